// Inner functions that assign variables of the function around them (nonlocal).
//
// Inner functions capture values. One that assigns is made anew where it is called, with the values
// of that moment, and returns the new ones behind its result; the call assigns them. So it can be
// called by its name only:
//
//     def add(x):              def add(x, total):
//         nonlocal total           total += x
//         total += x               return None, total
//     add(3)                   _, total = add(3, total)
#include "frontend/splice.h"
#include "frontend/stack_machine.h"

#include <algorithm>

namespace numjit::ssa {

namespace {

bool is_code(const Value *value) {
  return value->op == Op::Const && value->constant->is_object(ObjectKind::Code) &&
         value->constant->object->function;
}

} // namespace

/// Notes the variables that never hold anything but one such function.
void StackMachine::find_assigning_functions() {
  const std::vector<Instruction> &code = bytecode_.code;
  std::map<int32_t, const Const *> found;
  auto made_before = [&](size_t at) -> const Const * {
    const size_t store = at;
    while (at > 0 && (code[at - 1].op == Opcode::SetFunctionAttribute ||
                      code[at - 1].op == Opcode::MakeFunction))
      --at;
    const bool makes = at < store && at > 0 && code[at - 1].op == Opcode::LoadConst &&
                       code[at - 1].constant->is_object(ObjectKind::Code) &&
                       code[at - 1].constant->object->function;
    return makes ? code[at - 1].constant : nullptr;
  };
  for (size_t i = 0; i < code.size(); ++i) {
    if (code[i].op != Opcode::StoreVariable)
      continue;
    const Const *made = made_before(i);
    const FunctionDef *inner = made ? made->object->function : nullptr;
    if (inner && !code[i].flag && !inner->code.is_generator() && !inner->code.freevars.empty() &&
        !assigned_free_variables(*inner).empty())
      found.emplace(code[i].arg, made);
  }
  if (found.empty()) // nearly always
    return;
  for (size_t i = 0; i < code.size(); ++i)
    if (code[i].op == Opcode::StoreVariable || code[i].op == Opcode::DeleteVariable)
      if (auto known = found.find(code[i].arg);
          known != found.end() && made_before(i) != known->second)
        found.erase(known);
  assigning_ = std::move(found);
}

/// A call of such a function. False if `operands` are those of another call.
bool StackMachine::call_assigning(std::vector<Value *> operands,
                                  const std::vector<std::string> &keywords) {
  auto callee = std::find_if(operands.begin(), operands.begin() + 2, is_code);
  if (callee == operands.begin() + 2)
    return false;
  const FunctionDef &inner = *(*callee)->constant->object->function;
  if (draft_.blocks[block_].guarded) {
    refuse("inner function '" + inner.code.name +
           "' assigns a variable of the function around it (nonlocal), so it cannot be called in a "
           "try block; return the new value");
    return true;
  }
  auto slot_of = [&](const std::string &name) {
    const auto &names = bytecode_.variables;
    return static_cast<int32_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  Value *function = draft_.make(Op::MakeFunction, position_);
  function->constant = (*callee)->constant;
  if (auto defaults = defaults_.find(function->constant); defaults != defaults_.end())
    for (const Const *value : defaults->second->items)
      function->operands.push_back(constant(value));
  function->index = static_cast<int32_t>(function->operands.size());
  Capture capture{function, {}};
  for (const std::string &name : inner.code.freevars) {
    const int32_t slot = slot_of(name);
    if (slot >= static_cast<int32_t>(bytecode_.variables.size())) {
      damaged();
      return true;
    }
    function->operands.push_back(draft_.read(block_, slot));
    capture.slots.push_back(slot);
  }
  function->block = &draft_.blocks[block_].block;
  function->block->values.push_back(function);
  draft_.captures.push_back(std::move(capture));
  *callee = function;
  Value *results = emit(Op::Call, std::move(operands));
  results->keywords = keywords;
  results->star = unresolved_callee;
  auto item = [&](int64_t index) {
    Value *key = constant(constants::integer(index));
    return emit(Op::GetItem, {results, key});
  };
  push(item(0));
  int64_t index = 0;
  for (const std::string &name : assigned_free_variables(inner)) {
    const int32_t slot = slot_of(name);
    Value *value = item(++index);
    Value *marker = emit(Op::Undef); // as store_variable does
    marker->name = name;
    draft_.cell_stores.push_back({slot, value, marker});
    draft_.write(block_, slot, value);
  }
  return true;
}

/// What a function returns: with the variables that it assigns of the one around it.
Value *StackMachine::returned(Value *value) {
  if (!draft_.def.runtime_closure)
    return value;
  std::vector<Value *> items{value};
  const auto &names = bytecode_.variables;
  for (const std::string &name : assigned_free_variables(draft_.def)) {
    const auto slot = std::find(names.begin() + bytecode_.first_free, names.end(), name);
    items.push_back(draft_.read(block_, static_cast<int32_t>(slot - names.begin())));
  }
  return items.size() == 1 ? value : emit(Op::BuildTuple, std::move(items));
}

} // namespace numjit::ssa
