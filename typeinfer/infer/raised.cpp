// What a handler catches: the arguments of the `raise` statements that lead to it.
//
// Any operation may raise, and which exception arrives is known at run time only. But `e.args`
// needs a type, and programs that read it expect the exceptions that they raise themselves. The
// arguments of others (a message of the library, as a rule) are compared with that type at run
// time.
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/unify.h"

#include <algorithm>
#include <set>

namespace numjit {

namespace {

void trace(const ssa::Value &exception, std::set<const ssa::Value *> &origins) {
  if (!origins.insert(&exception).second || exception.op == ssa::Op::Call)
    return;
  for (const ssa::Value *operand : exception.operands)
    trace(*operand, origins);
}

/// The values that an exception comes from, up to those that take it over in a handler.
std::set<const ssa::Value *> origins_of(const ssa::Value &exception) {
  std::set<const ssa::Value *> origins;
  trace(exception, origins);
  return origins;
}

/// Whether what arrives at `handler` is taken over in `block`, perhaps behind blocks that only
/// jump.
bool leads_to(const ssa::Block *handler, const ssa::Block &block) {
  while (handler != &block && handler->values.size() == 1 &&
         handler->terminator()->op == ssa::Op::Jump)
    handler = handler->succs[0];
  return handler == &block;
}

/// What a generator returns that is asked by a call: next(g), g.send(x); null if it is no such
/// call.
const Type *returned_by_generator(const Specialization &spec, const ssa::Value &call) {
  if (call.op != ssa::Op::Call || call.operands.empty())
    return nullptr;
  const ssa::Value *callee = call.operands[0];
  const ssa::Value *asked = nullptr;
  if (calls(call, "builtins.next") && call.operands.size() == 2)
    asked = call.operands[1];
  else if (callee->op == ssa::Op::GetAttr && (callee->name == "send" || callee->name == "__next__"))
    asked = callee->operands[0];
  const Type *type = asked ? spec.facts[asked->id].type : nullptr;
  const bool returns = type && type->kind == Kind::Generator && type->params[2]->kind != Kind::None;
  return returns ? type->params[2] : nullptr;
}

/// The function that a call is of, whose exceptions are those of the program. Programs do not see
/// what the library raises; the body of a loop over prange is no call.
const Specialization *called_by(const Specialization &spec, const ssa::Value &value) {
  const auto found = spec.callees.find(&value);
  if (found == spec.callees.end() || value.op == ssa::Op::ParallelLoop)
    return nullptr;
  const Specialization *callee = found->second;
  return !callee->def->is_library || spec.def->is_library ? callee : nullptr;
}

/// The types of the exceptions that arrive somewhere.
class RaisedTypes {
public:
  /// What may arrive at the handlers that take an exception over.
  void add_caught(const Specialization &spec, const std::set<const ssa::Value *> &origins) {
    for (const ssa::Value *origin : origins)
      if (origin->op == ssa::Op::Call && seen_.insert(origin).second)
        for (const ssa::Block &block : spec.source->blocks)
          if (spec.reachable[block.id] && block.guarded &&
              leads_to(block.succs.back(), *origin->block))
            add(spec, block);
  }

  std::vector<const Type *> types;
  std::set<const Const *> classes;    ///< that the handler names
  std::vector<const Type *> returned; ///< by generators that are asked: the value of StopIteration

private:
  /// What is raised in a block, and what leaves the functions that it calls.
  void add(const Specialization &spec, const ssa::Block &block) {
    for (const ssa::Value *value : block.values) {
      if (const Specialization *callee = called_by(spec, *value))
        add_leaving(*callee);
      if (const Type *type = returned_by_generator(spec, *value))
        returned.push_back(type);
      const Type *type = value->op == ssa::Op::Raise ? spec.facts[value->id].type : nullptr;
      if (type == types::caught_exception())
        add_caught(spec, origins_of(*value->operands[0]));
      else if (type)
        types.push_back(type);
      if (value == spec.ends[block.id])
        return;
    }
  }

  void add_leaving(const Specialization &spec) {
    if (spec.facts.empty() || !seen_.insert(&spec).second)
      return;
    for (const ssa::Block &block : spec.source->blocks)
      if (spec.reachable[block.id] && !block.guarded)
        add(spec, block);
  }

  std::set<const void *> seen_; ///< specialisations and handlers
};

/// Whether every way to `to` leads through `block`.
bool leads_through(const ssa::Function &function, const ssa::Block &block, const ssa::Block &to) {
  std::vector<bool> seen(function.blocks.size(), false);
  std::vector<const ssa::Block *> stack{&function.blocks.front()};
  while (!stack.empty()) {
    const ssa::Block *at = stack.back();
    stack.pop_back();
    if (at == &block || seen[at->id])
      continue;
    if (at == &to)
      return false;
    seen[at->id] = true;
    stack.insert(stack.end(), at->succs.begin(), at->succs.end());
  }
  return true;
}

/// The classes that a handler around `place` names.
std::set<const Const *> classes_caught(const Specialization &spec, const ssa::Block &place,
                                       const std::set<const ssa::Value *> &origins) {
  std::set<const Const *> classes;
  for (const ssa::Block &block : spec.source->blocks) {
    const ssa::Value &end = *block.terminator();
    if (end.op != ssa::Op::Branch)
      continue;
    const ssa::Value *test = end.operands[0];
    if (test->op == ssa::Op::Operator && test->oper == Operator::Truth)
      test = test->operands[0];
    if (!calls(*test, "numjit.is_caught") || !origins.contains(test->operands[1]) ||
        !leads_through(*spec.source, *block.succs[0], place))
      continue;
    const Type *named = spec.facts[test->operands[2]->id].type;
    if (named && named->is_tuple())
      for (const Type *one : named->params)
        classes.insert(one->constant);
    else if (named)
      classes.insert(named->constant);
  }
  return classes;
}

/// The types of the exceptions that a handler catches.
RaisedTypes caught_types(const Specialization &spec, const ssa::Value &attribute) {
  const std::set<const ssa::Value *> origins = origins_of(*attribute.operands[0]);
  RaisedTypes raised;
  raised.add_caught(spec, origins);
  raised.classes = classes_caught(spec, *attribute.block, origins);
  auto is_named = [&](const Type *type) { return raised.classes.contains(type->constant); };
  if (std::any_of(raised.types.begin(), raised.types.end(), is_named))
    std::erase_if(raised.types, [&](const Type *type) { return !is_named(type); });
  return raised;
}

/// The types of an exception's arguments; what a class of the program says comes first.
std::vector<const Type *> arguments_of(Emitter &e, const Type *exception) {
  try {
    if (const Type *type = type_of_exceptions_attribute(e, exception, "args"))
      return type->is_tuple() ? type->params : std::vector<const Type *>{};
  } catch (const CompileError &) { // an __init__ that has no types: what it is given
  }
  return exception->kind == Kind::Exception ? exception->params : std::vector<const Type *>{};
}

/// One type of an attribute for all of the exceptions that are caught.
const Type *join(const Type *joined, const Type *type, const Specialization &spec,
                 const ssa::Value &attribute, const char *what) {
  const Type *both = joined ? unify(joined, type) : type;
  if (!both)
    throw CompileError("TypingError",
                       std::string("the exceptions that are caught here have ") + what +
                           " of several types: " + joined->text + " and " + type->text,
                       {Blame{spec.def, attribute.position, {}}},
                       "catch each class by a handler of its own, or use str(e)");
  return both;
}

} // namespace

const Type *find_caught_attribute_type(Emitter &e, const Specialization &spec,
                                       const ssa::Value &attribute) {
  const Type *joined = nullptr;
  for (const Type *exception : caught_types(spec, attribute).types)
    if (const Type *type = type_of_exceptions_attribute(e, exception, attribute.name))
      joined = join(joined, type, spec, attribute, "attributes");
  return joined;
}

const Type *find_arguments_type(Emitter &e, const Specialization &spec,
                                const ssa::Value &attribute) {
  const RaisedTypes raised = caught_types(spec, attribute);
  const bool stops = std::ranges::any_of(raised.classes, [](const Const *cls) {
    return cls->object->name == "builtins.StopIteration";
  });
  std::vector<std::vector<const Type *>> found;
  for (const Type *type : raised.types)
    found.push_back(arguments_of(e, type));
  for (const Type *type : raised.returned)
    if (stops)
      found.push_back({type});
  if (attribute.name == "value" && !stops)
    return nullptr;
  const Type *joined = nullptr;
  for (std::vector<const Type *> &items : found) {
    for (const Type *&item : items)
      item = item_type_of(item);
    joined = join(joined, types::tuple(std::move(items)), spec, attribute, "arguments");
  }
  if (joined)
    return joined;
  return types::tuple(attribute.name == "value" ? std::vector<const Type *>{}
                                                : std::vector<const Type *>{types::unicode()});
}

Operand SsaRules::caught_attribute(const ssa::Value &value, const Operand &object) {
  if (value.name == "args")
    return rule_caught_attribute(e, object, "args", arguments_type(value));
  if (value.name == "value")
    if (const Type *type = arguments_type(value)) { // of StopIteration
      Operand arguments = rule_caught_attribute(e, object, "args", type);
      return type->params.empty() ? e.none() : e.field(arguments, 0);
    }
  const Type *type = value.name.starts_with("__") ? nullptr : caught_attribute_type(value);
  return type ? rule_caught_attribute(e, object, value.name, type)
              : rule_getattr(e, object, value.name);
}

} // namespace numjit
