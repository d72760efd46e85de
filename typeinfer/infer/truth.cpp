// bool(x), by the column `truth` of kinds.def.
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/overloads.h"

namespace numjit {

namespace {

Operand truth_no(Emitter &e, const Operand &) { return e.boolean(false); }
Operand truth_yes(Emitter &e, const Operand &) { return e.boolean(true); }
Operand truth_scalar(Emitter &e, const Operand &a) { return e.cast(a, types::boolean()); }
Operand truth_string(Emitter &e, const Operand &a) {
  return e.boolean(!a.type->constant->text.empty());
}
Operand truth_text(Emitter &e, const Operand &a) {
  return e.op(Operator::Ne, e.field(a, 2), e.i64(0));
}
Operand truth_time(Emitter &e, const Operand &a) {
  return e.op(Operator::Ne, e.field(a, 0), e.i64(0));
}
Operand truth_params(Emitter &e, const Operand &a) { return e.boolean(!a.type->params.empty()); }

/// A member is true, unless it is an int.
Operand truth_enum(Emitter &e, const Operand &a) {
  return a.type->unit ? e.truth(e.unwrap(a)) : e.boolean(true);
}

Operand truth_optional(Emitter &e, const Operand &a) {
  return e.choose(
      e.field(a, 0), [&] { return e.truth(e.field(a, 1)); }, [&] { return e.boolean(false); });
}

/// By __bool__ or __len__ of the library or of the user's overloads; what has neither is true.
Operand truth_library(Emitter &e, const Operand &a) {
  const std::string kind(kind_name(a.type));
  if (const std::string method = kind + ".__bool__"; e.engine.host.library(method))
    return e.truth(e.library(method, {a}));
  if (const std::string method = kind + ".__len__"; e.engine.host.library(method)) {
    Operands one{a};
    return e.truth(find_builtin("builtins.len")->rule(e, one));
  }
  for (const char *name : {"builtins.bool", "builtins.len"})
    if (e.engine.host.has_overloads(name)) {
      Operand result;
      CallArguments self{{a}, {}};
      if (call_overload(e, name, self, result))
        return e.truth(result);
    }
  return e.boolean(true);
}

Operand truth_instance(Emitter &e, const Operand &a) {
  for (const char *method : {"__bool__", "__len__"})
    if (Operand result; call_class_method(e, a, method, {}, result))
      return e.truth(result);
  return truth_library(e, a);
}

constexpr Operand (*kTruth[])(Emitter &, const Operand &) = {
#define NUMJIT_KIND(id, attributes, cls, fields, text, items, iteration, truth, ...) truth_##truth,
#include "typeinfer/types/kinds.def"
#undef NUMJIT_KIND
};

} // namespace

Operand Emitter::truth(const Operand &a) {
  const Const *c = a.constant;
  if (c) {
    switch (c->kind) {
    case ConstKind::None: return boolean(false);
    case ConstKind::Bool:
    case ConstKind::Int: return boolean(c->integer != 0 || c->big);
    case ConstKind::Float: return boolean(c->real != 0);
    case ConstKind::Str:
    case ConstKind::Bytes: return boolean(!c->text.empty());
    case ConstKind::Tuple:
      if (c->is_tuple())
        return boolean(!c->items.empty());
      break;
    default: break;
    }
  }
  return kTruth[static_cast<size_t>(a.type->kind)](*this, a);
}

} // namespace numjit
