// Programs that try what an object can do: `try: n = len(x)`, `except TypeError: n = 1`. Where such
// an operation has no type, and Python raises an exception there that a handler takes, it raises
// that when it is reached. Only what Python certainly refuses counts, not what numjit does not
// know.
//
// What else has no type is an error of the program. Where nothing else helps, those in branches are
// raised when a call reaches them, since which branches calls take is known at run time only. No
// handler takes such an error, as Python raises none there.
#include "typeinfer/infer/engine.h"

#include <algorithm>
#include <array>
#include <set>

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

bool is_no_integer(const Type *type) {
  return type && (is_none(type) || type->is_text() || type->kind == Kind::Tuple ||
                  (type->kind == Kind::List && !type->typed));
}

/// float(x), int(x), operator.index(x) of what is no number, or no integer.
std::optional<LateError> of_conversion(Emitter &e, const ssa::Value &call, const Type *given) {
  if (!given || call.operands.size() != 2)
    return std::nullopt;
  const bool is_container = is_no_integer(given) && !given->is_text();
  if (calls(call, "operator.index") && (is_container || given->is_text() || given->is_float()))
    return LateError{"TypeError", "'" + name_of_class(e, given) +
                                      "' object cannot be interpreted as an integer"};
  const bool to_float = calls(call, "builtins.float");
  if (!is_container || (!to_float && !calls(call, "builtins.int")))
    return std::nullopt;
  return LateError{"TypeError",
                   (to_float ? "float() argument must be a string or a real number, not '"
                             : "int() argument must be a string, a bytes-like object or a real "
                               "number, not '") +
                       name_of_class(e, given) + "'"};
}

/// What takes an iterable.
constexpr std::array<std::string_view, 7> kIterating = {
    "builtins.iter",   "builtins.tuple", "builtins.list",     "builtins.set",
    "builtins.sorted", "builtins.sum",   "builtins.enumerate"};

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
  const bool iterates =
      std::ranges::any_of(kIterating, [&](std::string_view name) { return calls(value, name); });
  if (calls(value, "builtins.range") && value.operands.size() == 2 && is_no_integer(type(1)))
    return refuses(1, "cannot be interpreted as an integer");
  if (iterates && value.operands.size() == 2 && is_one_value(type(1)))
    return refuses(1, "is not iterable");
  switch (value.op) {
  case ssa::Op::Call:
    return value.operands.size() == 2 ? of_conversion(e, value, type(1)) : std::nullopt;
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

namespace {

/// The blocks of the loop that begins with `head`: from where an edge leads back to it. None if
/// it is no such block.
std::set<const ssa::Block *> loop_of(const ssa::Block &head) {
  std::vector<const ssa::Block *> stack;
  for (const ssa::Block *pred : head.preds)
    if (pred->id >= head.id)
      stack.push_back(pred);
  std::set<const ssa::Block *> loop;
  if (!stack.empty())
    loop.insert(&head);
  while (!stack.empty()) {
    const ssa::Block *block = stack.back();
    stack.pop_back();
    if (loop.insert(block).second)
      stack.insert(stack.end(), block->preds.begin(), block->preds.end());
  }
  return loop;
}

/// Whether some way through a function leads around a block, if no exception is raised and every
/// loop has items.
bool is_avoidable(const Specialization &spec, const ssa::Block &wanted) {
  std::set<std::pair<const ssa::Block *, bool>> seen; // with whether an iteration ends there
  std::vector<std::pair<const ssa::Block *, bool>> stack{{&spec.source->blocks.front(), false}};
  while (!stack.empty()) {
    const auto [block, again] = stack.back();
    stack.pop_back();
    if (block == &wanted || !spec.reachable[block->id] || !seen.emplace(block, again).second)
      continue;
    if (block->terminator()->op == ssa::Op::Return)
      return true;
    const std::set<const ssa::Block *> loop =
        again ? std::set<const ssa::Block *>() : loop_of(*block);
    for (size_t i = 0; i + (block->guarded ? 1 : 0) < block->succs.size(); ++i)
      if (loop.empty() || loop.contains(block->succs[i]))
        stack.emplace_back(block->succs[i], block->succs[i]->id <= block->id);
  }
  return false;
}

const Const *places_of(const CompileError &error) {
  std::vector<const Const *> places;
  for (const Blame &place : error.places) {
    const Position &at = place.position;
    const int first = place.function ? place.function->code.first_line : -1;
    const int line = at.known() ? at.line : first;
    places.push_back(constants::tuple(
        {constants::string(place.function ? place.function->code.filename : ""),
         constants::string(place.function ? place.function->name() : ""), constants::integer(first),
         constants::integer(line), constants::integer(at.known() ? at.end_line : line),
         constants::integer(at.column), constants::integer(at.end_column),
         constants::string(place.label)}));
  }
  return constants::tuple(std::move(places));
}

} // namespace

/// A name that is not defined yet may be at the next call, which compiles anew.
std::optional<LateError> deferred_error(Emitter &e, const Specialization &spec,
                                        const ssa::Value &value, const CompileError &error) {
  if (value.op == ssa::Op::Phi || value.op == ssa::Op::Unbound || ssa::is_terminator(value.op) ||
      error.cls == "LiteralTypingError" || !is_avoidable(spec, *value.block))
    return std::nullopt;
  const Const *maker =
      e.engine.host.called("numjit.diagnostics.deferred_error",
                           {constants::string(error.cls), constants::string(error.message),
                            places_of(error), constants::string(error.hint)});
  return LateError{error.cls, error.message, maker};
}

} // namespace numjit
