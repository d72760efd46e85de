// What a factory makes that is written where it is used: defaultdict(lambda: defaultdict(list)).
// Its result becomes part of the function, as the types of empty containers follow from what is
// done with them there.
#include "frontend/factories.h"

#include "frontend/ssa_builder.h"
#include "frontend/stack_machine.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace numjit::ssa {

namespace {

/// Answers for an inner function as for the one around it, which depends on the answers.
class Around : public Environment {
public:
  Around(const FunctionDef &function, Environment &environment)
      : function_(function), environment_(environment) {}

  const Const *global(const FunctionDef &, const std::string &name) override {
    return environment_.global(function_, name);
  }
  const Const *attribute(const FunctionDef &, const Const &object,
                         const std::string &name) override {
    return environment_.attribute(function_, object, name);
  }
  const Const *imported(const FunctionDef &, const std::string &statement) override {
    return environment_.imported(function_, statement);
  }

private:
  const FunctionDef &function_;
  Environment &environment_;
};

/// Whether a value is made anew by an operation that does nothing else.
bool only_makes(const Value &value) {
  switch (value.op) {
  case Op::Param:
  case Op::Const:
  case Op::BuildTuple:
  case Op::BuildList:
  case Op::BuildSet:
  case Op::BuildMap:
  case Op::MakeFunction:
  case Op::Return: return true;
  case Op::Call: {
    const Value &callee = *value.operands[0];
    if (callee.op != Op::Const || !callee.constant->object)
      return false;
    const std::string &name = callee.constant->object->name;
    return makes_collection_object(name) ||
           (value.operands.size() == 1 &&
            (name == "builtins.list" || name == "builtins.dict" || name == "builtins.set"));
  }
  default: return false;
  }
}

/// The function that makes containers, and nothing else; null for others.
std::shared_ptr<const Function> body_of(const Draft &draft, const Value &factory,
                                        Environment &environment) {
  if (factory.op != Op::MakeFunction || factory.index > 0)
    return nullptr;
  const FunctionDef &inner = *factory.constant->object->function;
  if (inner.parameter_count() > 0 || inner.code.is_generator() || !inner.siblings.empty() ||
      inner.globals != draft.def.globals || factory.operands.size() != inner.code.freevars.size())
    return nullptr;
  Around around(draft.def, environment);
  std::shared_ptr<const Function> body = build_ssa(inner, around, {});
  const bool makes = body->blocks.size() == 1 &&
                     std::ranges::all_of(body->blocks[0].values,
                                         [](const Value *value) { return only_makes(*value); });
  return makes ? body : nullptr;
}

std::mutex mutex;
std::vector<const Const *> numbered; ///< code

} // namespace

int32_t number_of_factory(const Const *code) {
  std::lock_guard lock(mutex);
  const auto index = std::ranges::find(numbered, code) - numbered.begin();
  if (index == std::ssize(numbered))
    numbered.push_back(code);
  return static_cast<int32_t>(index) + 1;
}

const Const *factory_numbered(int32_t number) {
  std::lock_guard lock(mutex);
  return numbered.at(static_cast<size_t>(number) - 1);
}

bool is_factory_of_containers(Draft &draft, const Value &factory, Environment &environment) {
  return body_of(draft, factory, environment) != nullptr;
}

std::vector<Value *> copy_of_result(Draft &draft, const Value &factory, Environment &environment) {
  const std::shared_ptr<const Function> body = body_of(draft, factory, environment);
  if (!body)
    return {};
  std::vector<Value *> made;
  std::map<const Value *, Value *> copies;
  for (const Value *value : body->blocks[0].values) {
    if (value->op == Op::Return) {
      Value *result = copies.at(value->operands[0]);
      if (made.empty() || made.back() != result)
        return {}; // a constant, or what it captured
      return made;
    }
    if (value->op == Op::Param) {
      copies[value] = factory.operands[static_cast<size_t>(value->index)];
      continue;
    }
    Value *copy = draft.make(value->op);
    *copy = *value;
    copy->position = factory.position;
    copy->block = nullptr;
    copy->id = copy->uses = 0;
    for (Value *&operand : copy->operands)
      operand = copies.at(operand);
    copies[value] = copy;
    made.push_back(copy);
  }
  return {};
}

} // namespace numjit::ssa
