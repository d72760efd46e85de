// Blocks: their entry and exit, branches and loops. What single instructions do is in
// instructions.cpp and calls.cpp.
#include "frontend/stack_machine.h"

#include "frontend/decode.h"

namespace numjit::ssa {

namespace {
const std::string try_statement =
    "try statements are not supported in compiled code yet; move the try out of this function";
} // namespace

StackMachine::StackMachine(Draft &draft, const Cfg &cfg, Environment &environment)
    : draft_(draft), cfg_(cfg), bytecode_(draft.bytecode), environment_(environment),
      range_noted_(draft.bytecode.ranges.size(), false) {
  if (draft.def.options.locals.empty())
    return;
  for (const std::string &name : bytecode_.variables)
    has_declared_type_.push_back(draft.def.options.locals.count(name) > 0);
}

void StackMachine::add_parameters() {
  const FunctionDef &def = draft_.def;
  auto add = [&](int32_t index, int32_t slot) {
    Value *value = draft_.append(0, Op::Param, {}, {});
    value->index = index;
    value->name = bytecode_.variables[slot];
    draft_.write(0, slot, value);
  };
  int32_t count = def.parameter_count();
  for (int32_t i = 0; i < count && i < bytecode_.first_free; ++i)
    add(i, i);
  if (def.runtime_closure)
    for (int32_t slot = bytecode_.first_free; slot < bytecode_.end_free; ++slot)
      add(count + slot - bytecode_.first_free, slot);
}

// --- values and the stack ---

Value *StackMachine::emit(Op op, std::vector<Value *> operands) {
  return draft_.append(block_, op, std::move(operands), position_);
}

Value *StackMachine::constant(const Const *value) {
  Value *result = emit(Op::Const);
  result->constant = value;
  return result;
}

void StackMachine::refuse(const std::string &text) {
  emit(Op::Unsupported)->name = text;
  emit(Op::Unreachable);
  ended_ = true;
}

Value *StackMachine::load_slot(size_t index) {
  Value *&value = stack_[index];
  if (!value) {
    // Nothing has been written to this slot in this block, so its value is the one at entry.
    value = draft_.read(block_, draft_.stack_variable(static_cast<int32_t>(index)));
  }
  return value;
}

Value *StackMachine::pop() {
  if (stack_.empty()) {
    damaged();
    return &draft_.null;
  }
  Value *value = load_slot(stack_.size() - 1);
  stack_.pop_back();
  return Draft::resolve(value);
}

std::vector<Value *> StackMachine::pop(int32_t count) {
  if (static_cast<size_t>(count) > stack_.size()) {
    damaged();
    return std::vector<Value *>(count, &draft_.null);
  }
  std::vector<Value *> values(count);
  for (int32_t i = count; i-- > 0;)
    values[i] = pop();
  return values;
}

Value *&StackMachine::slot(int32_t depth) {
  if (depth < 1 || static_cast<size_t>(depth) > stack_.size()) {
    damaged();
    static thread_local Value *nowhere;
    nowhere = &draft_.null;
    return nowhere;
  }
  load_slot(stack_.size() - depth);
  return stack_[stack_.size() - depth];
}

// --- blocks ---

/// Instructions that the compiler added have no place in the source: they keep the last one.
void StackMachine::move_to(const Instruction &instruction) {
  if (instruction.position.known())
    position_ = instruction.position;
}

void StackMachine::enter(int32_t block) {
  block_ = block;
  failed_ = ended_ = false;
  stack_.assign(draft_.blocks[block].depth, nullptr);
  move_to(bytecode_.code[cfg_.blocks[block].begin]);
  EntryAction action = cfg_.blocks[block].action;
  if (action == EntryAction::LoopExit) {
    if (stack_.empty())
      return damaged();
    stack_.pop_back();
  } else if (action == EntryAction::LoopBody) {
    // The edge's only predecessor is the header; its last values are IterNext, IterValid, Branch.
    const std::vector<Value *> &header = draft_.blocks[draft_.blocks[block].preds[0]].block.values;
    Value *next = header.size() >= 3 ? header[header.size() - 3] : nullptr;
    if (!next || next->op != Op::IterNext || stack_.empty())
      return damaged();
    position_ = next->position;
    stack_.back() = emit(Op::IterState, {next});
    push(emit(Op::IterValue, {next}));
  }
}

void StackMachine::fill_block(int32_t block) {
  DraftBlock &draft = draft_.blocks[block];
  const CfgBlock &cfg_block = cfg_.blocks[block];
  bool reached = block == 0;
  for (int32_t pred : draft.preds)
    reached = reached || draft_.blocks[pred].filled;
  if (!reached) {
    draft.dropped = true;
    draft_.cut_successors(block);
    return;
  }
  enter(block);
  if (block == 0 && cfg_.refusal)
    refuse(*cfg_.refusal);
  for (int32_t i = cfg_block.begin; i < cfg_block.end && !ended_ && !failed_; ++i) {
    const Instruction &instruction = bytecode_.code[i];
    move_to(instruction);
    at_ = i;
    if (!range_noted_.empty())
      note_protected_ranges(i);
    if (instruction.op == Opcode::ForIter)
      loop_header(cfg_block);
    else if (instruction.ends_block())
      terminate(instruction);
    else if (instruction.has_target())
      branch(instruction);
    else
      execute(instruction);
  }
  leave();
}

/// Hands the stack to the successors, and ends the block if no instruction has.
void StackMachine::leave() {
  DraftBlock &draft = draft_.blocks[block_];
  int32_t depth = static_cast<int32_t>(stack_.size());
  for (int32_t succ : draft.succs)
    if (draft_.blocks[succ].dropped ||
        (draft_.blocks[succ].depth >= 0 && draft_.blocks[succ].depth != depth))
      failed_ = failed_ || !ended_ || draft.block.values.back()->op == Op::Branch;
  if (failed_) {
    std::vector<Value *> &values = draft.block.values;
    if (!values.empty() && values.back()->op == Op::Branch)
      values.pop_back();
    if (!ended_ || values.empty() || !is_terminator(values.back()->op))
      refuse(refusals::invalid_bytecode);
  }
  if (!ended_) {
    emit(Op::Jump);
    ended_ = true;
  }
  Op last = draft.block.values.back()->op;
  if (last != Op::Jump && last != Op::Branch) {
    draft.filled = true;
    draft_.cut_successors(block_);
    return;
  }
  for (int32_t succ : draft.succs)
    draft_.blocks[succ].depth = depth;
  for (int32_t i = 0; i < depth; ++i)
    if (stack_[i])
      draft_.write(block_, draft_.stack_variable(i), stack_[i]);
  draft_.filled(block_);
}

/// User code in `try` or `with` can't be compiled: say so where its body starts, once. (The with
/// statement has an instruction of its own that says it.)
void StackMachine::note_protected_ranges(int32_t index) {
  for (size_t i = 0; i < range_noted_.size(); ++i) {
    const ProtectedRange &range = bytecode_.ranges[i];
    if (range_noted_[i] || index < range.begin || index >= range.end)
      continue;
    range_noted_[i] = true;
    if (range.is_with)
      continue;
    Value *value = emit(Op::Unsupported);
    value->name = try_statement;
    if (range.position.known())
      value->position = range.position;
  }
}

void StackMachine::terminate(const Instruction &instruction) {
  switch (instruction.op) {
  case Opcode::Return: {
    Value *value = pop();
    if (!failed_) {
      emit(Op::Return, {value});
      ended_ = true;
    }
    return;
  }
  case Opcode::Raise: {
    std::vector<Value *> operands = pop(instruction.arg);
    if (operands.size() > 2)
      damaged();
    if (!failed_) {
      emit(Op::Raise, std::move(operands));
      ended_ = true;
    }
    return;
  }
  case Opcode::Jump: return; // leave() adds it
  case Opcode::StartGenerator:
  case Opcode::Yield: return refuse(refusals::generator);
  case Opcode::Unsupported:
    return refuse(instruction.name ? *instruction.name : refusals::invalid_bytecode);
  default: return refuse(refusals::invalid_bytecode);
  }
}

Value *StackMachine::truth(Value *value) {
  if (value->op == Op::Operator && value->oper == Operator::Truth)
    return value;
  Value *result = emit(Op::Operator, {value});
  result->oper = Operator::Truth;
  return result;
}

void StackMachine::end_with_branch(Value *condition) {
  if (failed_)
    return;
  if (draft_.blocks[block_].succs.size() == 2)
    emit(Op::Branch, {condition});
  else
    emit(Op::Jump); // both ways are the same
  ended_ = true;
}

void StackMachine::branch(const Instruction &instruction) {
  Value *value = pop();
  if (instruction.op == Opcode::BranchNone || instruction.op == Opcode::BranchNotNone) {
    Value *none_value = none();
    value = emit(Op::Operator, {value, none_value});
    value->oper = instruction.op == Opcode::BranchNone ? Operator::Is : Operator::IsNot;
  }
  end_with_branch(truth(value));
}

void StackMachine::loop_header(const CfgBlock &block) {
  Value *iterator = slot(1);
  if (failed_)
    return;
  if (block.unrolled_item >= 0) {
    Value *item = emit(Op::UnrolledItem, {Draft::resolve(iterator)});
    item->index = block.unrolled_item;
    push(item);
    return;
  }
  Value *next = emit(Op::IterNext, {Draft::resolve(iterator)});
  end_with_branch(emit(Op::IterValid, {next}));
}

} // namespace numjit::ssa
