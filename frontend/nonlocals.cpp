// Inner functions that assign variables of the function around them (nonlocal), or capture some
// that are assigned later.
//
// Inner functions capture values. One that assigns is made anew where it is called, with the values
// of that moment, and returns the new ones behind its result; the call assigns them. So it can be
// called by its name only:
//
//     def add(x):              def add(x, total):
//         nonlocal total           total += x
//         total += x               return None, total
//     add(3)                   _, total = add(3, total)
//
// One that captures variables which are assigned behind its definition is made anew wherever it is
// loaded, with the values of that moment; its variable holds the tuple of its defaults meanwhile.
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
void StackMachine::find_named_functions() {
  const std::vector<Instruction> &code = bytecode_.code;
  std::map<int32_t, std::pair<const Const *, size_t>> found; // the code, where it is stored
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
    const bool may_assign = inner && !inner->code.is_generator() && !code[i].flag;
    if (inner && !inner->code.freevars.empty() &&
        (may_assign || assigned_free_variables(*inner).empty()))
      found.emplace(code[i].arg, std::pair(made, i));
  }
  if (found.empty()) // nearly always
    return;
  for (size_t i = 0; i < code.size(); ++i)
    if (code[i].op == Opcode::StoreVariable || code[i].op == Opcode::DeleteVariable)
      if (auto known = found.find(code[i].arg);
          known != found.end() && made_before(i) != known->second.first)
        found.erase(known);
  std::erase_if(found, [&](const auto &each) {
    const auto &[made, at] = each.second;
    const bool assigns = !assigned_free_variables(*made->object->function).empty();
    if (assigns)
      assigning_.emplace(each.first, made);
    return assigns;
  });
  defer_functions(found);
}

/// Of the functions in variables of their own those that capture a variable which is stored behind
/// them, or one that holds such a function.
void StackMachine::defer_functions(
    const std::map<int32_t, std::pair<const Const *, size_t>> &named) {
  auto captures_late = [&](int32_t own, const FunctionDef &inner, size_t at) {
    return std::ranges::any_of(inner.code.freevars, [&](const std::string &name) {
      const int32_t slot = slot_of(name);
      if (slot == own || bytecode_.is_free(slot))
        return false;
      const auto behind = bytecode_.code.begin() + static_cast<ptrdiff_t>(at) + 1;
      return deferred_.contains(slot) ||
             std::any_of(behind, bytecode_.code.end(), [slot](const Instruction &each) {
               return each.op == Opcode::StoreVariable && each.arg == slot;
             });
    });
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto &[slot, function] : named)
      if (!deferred_.contains(slot) &&
          captures_late(slot, *function.first->object->function, function.second)) {
        deferred_.emplace(slot, function.first);
        changed = true;
      }
  }
}

/// Whether what is loaded now is captured by a function that is made later, which captures it then.
bool StackMachine::is_for_deferred() const {
  auto at = bytecode_.code.begin() + at_;
  while (at->op == Opcode::LoadVariable)
    ++at;
  return at->op == Opcode::BuildTuple && at[1].op == Opcode::LoadConst &&
         is_deferred(at[1].constant) && at[2].op == Opcode::MakeFunction;
}

bool StackMachine::is_deferred(const Const *code) const {
  return std::ranges::any_of(deferred_, [&](const auto &each) { return each.second == code; });
}

int32_t StackMachine::slot_of(const std::string &variable) const {
  const auto &names = bytecode_.variables;
  return static_cast<int32_t>(std::ranges::find(names, variable) - names.begin());
}

/// Whether a variable holds an inner function that the function calls and that calls it. Those that
/// are assigned otherwise are captured like other variables, and refused.
bool StackMachine::is_sibling(const FunctionDef &inner, const std::string &name) {
  const auto sibling = inner.siblings.find(name);
  if (sibling == inner.siblings.end())
    return false;
  const int32_t slot = slot_of(name);
  const auto deferred = deferred_.find(slot);
  return deferred != deferred_.end() && deferred->second == sibling->second &&
         Draft::resolve(draft_.read(block_, slot))->op != Op::Undef;
}

/// The value that a function made now captures of a variable.
Value *StackMachine::captured(int32_t slot) {
  if (bytecode_.is_free(slot) && !draft_.def.runtime_closure) {
    const auto index = static_cast<size_t>(slot - bytecode_.first_free);
    const auto &closure = environment_.closure(draft_.def);
    if (index < closure.size() && closure[index])
      return constant(closure[index]);
    Value *value = emit(Op::Unbound);
    value->name = bytecode_.variables[slot];
    return value;
  }
  return deferred_.contains(slot) ? made_now(slot) : draft_.read(block_, slot);
}

Value *StackMachine::made_now(int32_t slot) {
  const Const *code = deferred_.at(slot);
  const std::string &variable = bytecode_.variables[slot];
  Value *defaults = draft_.read(block_, slot);
  if (Draft::resolve(defaults)->op == Op::Undef) // it is not defined yet
    return defaults;
  const auto found = given_.find(code);
  if (found == given_.end() || std::ranges::find(making_, slot) != making_.end()) {
    refuse("inner function '" + variable + "' and others that it calls refer to one another");
    return defaults;
  }
  making_.push_back(slot);
  Value *function = draft_.make(Op::MakeFunction, position_);
  function->constant = code;
  const Value &given = *found->second;
  const size_t count = given.op == Op::Const ? given.constant->items.size() : given.operands.size();
  for (size_t i = 0; i < count; ++i)
    function->operands.push_back(
        given.op == Op::Const
            ? constant(given.constant->items[i])
            : emit(Op::GetItem, {defaults, constant(constants::integer(static_cast<int64_t>(i)))}));
  function->index = static_cast<int32_t>(count);
  Capture capture{function, {}};
  for (const std::string &name : code->object->function->code.freevars) {
    const int32_t captured_slot = slot_of(name);
    const bool is_itself = captured_slot == slot || is_sibling(*code->object->function, name);
    Value *value = is_itself ? emit(Op::Undef) : captured(captured_slot);
    if (is_itself) // see captures.cpp
      value->name = name;
    function->operands.push_back(value);
    capture.slots.push_back(is_itself ? -1 : captured_slot);
  }
  making_.pop_back();
  function->block = &draft_.blocks[block_].block;
  function->block->values.push_back(function);
  draft_.captures.push_back(std::move(capture));
  return function;
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
    function->operands.push_back(captured(slot));
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

/// The first value that a variable gets makes its box, which all functions share.
void StackMachine::store_in_box(const Instruction &instruction) {
  const int32_t slot = instruction.arg;
  const std::string &name = bytecode_.variables[slot];
  if (instruction.op == Opcode::DeleteVariable)
    return refuse("'" + name + "' cannot be deleted: inner functions that are values assign it");
  Value *value = pop();
  if (boxes_.contains(slot)) {
    emit(Op::SetItem, {draft_.read(block_, slot), constant(constants::integer(0)), value});
    return;
  }
  if (block_ != 0)
    return refuse(
        "'" + name +
        "' needs its first value in front of loops and conditions, as inner functions "
        "assign it that are passed on, call themselves or one another, or are called in a "
        "try block");
  draft_.write(block_, slot, new_box(slot, value));
}

Value *StackMachine::new_box(int32_t slot, Value *value) {
  Value *box = emit(Op::BuildList, {value});
  box->name = bytecode_.variables[slot];
  box->index = 1;
  boxes_.insert(slot);
  return box;
}

} // namespace numjit::ssa
