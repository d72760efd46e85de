// Exceptions: raising them, and what handlers do with those that arrive.
//
// A handler takes the pending error of the thread as a value, a counted block (runtime/error.cpp).
// Its class is known at run time only, so handlers test it there.
#include "typeinfer/infer/engine.h"

#include <array>

namespace numjit {

namespace {

Operand matches(Emitter &e, const Operand &exception, const Object &cls, bool exactly) {
  std::array<Operand, 3> arguments{
      e.field(exception, 0),
      e.address(references::make(references::object, {}, constants::object(&cls)), types::int64()),
      e.i64(exactly)};
  return e.runtime(tir::RuntimeOp::ErrorMatches, types::boolean(), arguments);
}

/// numjit.caught(): the pending exception. Errors that wait for a call to reach them are no
/// exceptions of the program.
Operand caught(Emitter &e, Operands &) {
  const Operand exception =
      e.make(types::caught_exception(), {e.runtime(tir::RuntimeOp::TakeError, types::owner(), {})});
  if (!e.engine.defers || e.dry())
    return exception;
  const Const *cls = e.engine.host.class_named("numjit.diagnostics.DeferredError");
  tir::Block *passes = e.new_block(), *stays = e.new_block();
  e.branch(e.code(matches(e, exception, *cls->object, false)), passes, stays, 2);
  e.block = passes;
  e.raise_exception(exception, {});
  e.block = stays;
  return exception;
}

Operand is_caught(Emitter &e, Operands &a) { return rule_is_caught(e, a[0], a[1]); }

bool is_exception_class(const Operand &a) {
  return a.type->kind == Kind::Function && a.type->constant->is_object(ObjectKind::ExceptionClass);
}

/// numjit.is_exactly(e, cls): whether type(e) is cls, which may be anything.
Operand is_exactly(Emitter &e, Operands &a) {
  return is_exception_class(a[1]) ? matches(e, a[0], *a[1].type->constant->object, true)
                                  : e.boolean(false);
}

const Builtin kExceptionRows[] = {
    {"numjit.caught", "", caught},
    {"numjit.is_exactly", "exception cls", is_exactly},
    {"numjit.is_caught", "exception classes", is_caught},
};

} // namespace

BuiltinTable exception_builtins() { return kExceptionRows; }

Operand rule_is_caught(Emitter &e, const Operand &exception, const Operand &classes) {
  if (classes.type->is_tuple()) {
    Operand any = e.boolean(false);
    for (size_t i = 0; i < classes.type->params.size(); ++i) {
      Operand one = rule_is_caught(e, exception, e.field(classes, static_cast<int>(i)));
      any = any.constant ? one : e.op(Operator::Or, any, one);
    }
    return any;
  }
  if (!is_exception_class(classes))
    e.fail("catching classes that do not inherit from BaseException is not allowed: " +
           classes.type->text);
  const Object &cls = *classes.type->constant->object;
  if (cls.name == "builtins.BaseException")
    return e.boolean(true);
  return matches(e, exception, cls, false);
}

Operand rule_caught_attribute(Emitter &e, const Operand &exception, const std::string &name,
                              const Type *type) {
  Operand out = e.stack_alloc(layout_of(type).size, type);
  std::array<Operand, 4> operands{
      e.field(exception, 0), e.bytes(name + '\0'),
      e.address(references::make(references::type, {type}), types::int64()), out};
  e.runtime(tir::RuntimeOp::ErrorAttribute, types::none(), operands);
  return layout_of(type).leaves.empty() ? e.unit(type) : e.load(out, tir::Alias::Stack, true);
}

void rule_raise(Emitter &e, const Operands &operands) {
  const char *nothing = "No active exception to reraise";
  if (operands.empty() || operands[0].type->kind == Kind::Undefined)
    return e.raise("RuntimeError", nothing);
  Operand exception = operands[0];
  if (exception.type->kind == Kind::Maybe) {
    e.raise_if(e.logical_not(e.field(exception, 0)), "RuntimeError", nothing);
    exception = e.field(exception, 1);
  }
  if (exception.type->kind != Kind::Exception && !is_exception_class(exception))
    e.fail("exceptions must derive from BaseException, not " + exception.type->text);
  exception.constant = exception.type->constant;
  Operand cause = operands.size() > 1 ? operands[1] : Operand{};
  if (cause && cause.type->kind != Kind::Exception && cause.type->kind != Kind::None &&
      !is_exception_class(cause))
    e.fail("exception causes must derive from BaseException, not " + cause.type->text);
  if (cause && exception.type == types::caught_exception())
    e.fail_as("UnsupportedError", "a caught exception cannot be given a cause",
              "raise a new exception from it");
  e.raise_exception(exception, cause);
}

} // namespace numjit
