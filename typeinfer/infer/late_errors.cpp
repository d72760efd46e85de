// Programs that try what an object can do: `try: n = len(x)`, `except TypeError: n = 1`. Where such
// an operation has no type, and Python raises an exception there that a handler takes, it raises
// that when it is reached. Only what Python certainly refuses counts, not what numjit does not
// know.
#include "typeinfer/infer/engine.h"

#include <algorithm>
#include <array>

namespace numjit {

namespace {

bool is_plain_number(const Type *type) { return type && (type->is_scalar() || type->is_bool()); }
bool is_none(const Type *type) { return type && type->kind == Kind::None; }
bool is_one_value(const Type *type) { return is_plain_number(type) || is_none(type); }

/// "int", as messages name a class.
std::string name_of_class(Emitter &e, const Type *type) {
  const Const *cls = is_none(type) ? nullptr : class_of(e, type);
  return cls ? cls->object->short_name() : "NoneType";
}

bool is_class(const ssa::Value &value, std::string_view name) {
  return value.op == ssa::Op::Const && value.constant->object &&
         value.constant->object->name == name;
}

/// Whether one of the classes that a test of a handler names is one of `wanted`.
bool names_class(const ssa::Value &classes, const std::string &cls) {
  if (classes.op == ssa::Op::BuildTuple)
    return std::ranges::any_of(classes.operands,
                               [&](const ssa::Value *each) { return names_class(*each, cls); });
  return is_class(classes, "builtins." + cls) || is_class(classes, "builtins.Exception") ||
         is_class(classes, "builtins.BaseException") ||
         (cls == "IndexError" && is_class(classes, "builtins.LookupError"));
}

/// Whether a handler that a block has takes exceptions of a class.
bool is_taken(const ssa::Block &block, const std::string &cls) {
  const ssa::Block *handler = block.guarded ? block.succs.back() : nullptr;
  for (int steps = 0; handler && steps < 32; ++steps) {
    const auto test = std::ranges::find_if(
        handler->values, [](const ssa::Value *value) { return calls(*value, "numjit.is_caught"); });
    const bool tests = test != handler->values.end();
    if (tests && names_class(*(*test)->operands[2], cls))
      return true;
    const ssa::Op end = handler->terminator()->op;
    handler = tests && end == ssa::Op::Branch  ? handler->succs[1]
              : !tests && end == ssa::Op::Jump ? handler->succs[0]
                                               : nullptr;
  }
  return false;
}

/// Whether exceptions alone lead to a block: it is part of a handler.
bool is_in_handler(const ssa::Function &source, const ssa::Block &wanted) {
  std::vector<bool> seen(source.blocks.size(), false);
  std::vector<const ssa::Block *> stack{&source.blocks.front()};
  while (!stack.empty()) {
    const ssa::Block &block = *stack.back();
    stack.pop_back();
    if (seen[block.id])
      continue;
    seen[block.id] = true;
    for (size_t i = 0; i + (block.guarded ? 1 : 0) < block.succs.size(); ++i)
      stack.push_back(block.succs[i]);
  }
  return !seen[wanted.id];
}

/// Of an attribute of a number, None, text, tuple, list, set, array or dtype.
std::optional<LateError> of_attribute(Emitter &e, const Type *object, const std::string &name) {
  const bool is_plain_container = object->kind == Kind::Tuple || object->kind == Kind::Set ||
                                  (object->kind == Kind::List && !object->typed);
  const bool is_known = is_one_value(object) || object->is_text() || is_plain_container ||
                        object->is_array() || object->kind == Kind::DType;
  const Const *cls = is_known && !is_none(object) ? class_of(e, object) : nullptr;
  if (!is_known || (!cls && !is_none(object)))
    return std::nullopt;
  if (cls) {
    const Const *has = e.engine.host.called("builtins.hasattr", {cls, constants::string(name)});
    if (!has || has->integer != 0)
      return std::nullopt;
  }
  return LateError{"AttributeError",
                   "'" + name_of_class(e, object) + "' object has no attribute '" + name + "'"};
}

/// Of operators between texts, numbers and None.
std::optional<LateError> of_operator(Emitter &e, Operator oper, const Type *a, const Type *b) {
  static constexpr std::array refused = {Operator::Add,      Operator::Sub, Operator::TrueDiv,
                                         Operator::FloorDiv, Operator::Pow, Operator::Lt,
                                         Operator::Le,       Operator::Gt,  Operator::Ge};
  auto is_simple = [](const Type *type) { return type && (is_one_value(type) || type->is_text()); };
  const bool numbers = is_plain_number(a) && is_plain_number(b);
  if (!is_simple(a) || !is_simple(b) || numbers || (a->is_text() && b->is_text()) ||
      std::ranges::find(refused, oper) == refused.end())
    return std::nullopt;
  return LateError{"TypeError", "unsupported operand type(s) for " +
                                    std::string(operator_row(oper).symbol) + ": '" +
                                    name_of_class(e, a) + "' and '" + name_of_class(e, b) + "'"};
}

std::optional<LateError> raised_by_python(Emitter &e, const Specialization &spec,
                                          const ssa::Value &value, const CompileError &error) {
  auto type = [&](size_t operand) { return spec.facts[value.operands[operand]->id].type; };
  auto refuses = [&](size_t operand, const std::string &what) {
    return LateError{"TypeError", "'" + name_of_class(e, type(operand)) + "' object " + what};
  };
  if (error.cls == "NumbaIndexError")
    return LateError{"IndexError", "tuple index out of range"};
  if (calls(value, "builtins.len") && value.operands.size() == 2 && is_one_value(type(1)))
    return LateError{"TypeError",
                     "object of type '" + name_of_class(e, type(1)) + "' has no len()"};
  if (calls(value, "builtins.iter") && value.operands.size() == 2 && is_one_value(type(1)))
    return refuses(1, "is not iterable");
  switch (value.op) {
  case ssa::Op::GetAttr: return type(0) ? of_attribute(e, type(0), value.name) : std::nullopt;
  case ssa::Op::GetIter:
    return is_one_value(type(0)) ? std::optional(refuses(0, "is not iterable")) : std::nullopt;
  case ssa::Op::GetItem:
    return is_one_value(type(0)) ? std::optional(refuses(0, "is not subscriptable")) : std::nullopt;
  case ssa::Op::Operator:
    return value.operands.size() == 2 ? of_operator(e, value.oper, type(0), type(1)) : std::nullopt;
  default: return std::nullopt;
  }
}

} // namespace

std::optional<LateError> late_error(Emitter &e, const Specialization &spec, const ssa::Value &value,
                                    const CompileError &error) {
  const bool in_handler = !value.block->guarded && is_in_handler(*spec.source, *value.block);
  if (spec.def->is_library || (!value.block->guarded && !in_handler))
    return std::nullopt;
  std::optional<LateError> late = raised_by_python(e, spec, value, error);
  return late && (in_handler || is_taken(*value.block, late->cls)) ? late : std::nullopt;
}

} // namespace numjit
