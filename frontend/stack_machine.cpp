// Blocks: their entry and exit, branches and loops. What single instructions do is in
// instructions.cpp and calls.cpp.
#include "frontend/stack_machine.h"

#include "frontend/decode.h"

#include <algorithm>

namespace numjit::ssa {

StackMachine::StackMachine(Draft &draft, const Cfg &cfg, Environment &environment)
    : draft_(draft), cfg_(cfg), bytecode_(draft.bytecode), environment_(environment) {
  find_named_functions();
  copies_paths_ = !bytecode_.ranges.empty();
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
    if (def.options.debug)
      value->variable = value->name;
    if (!has_declared_type_.empty() && has_declared_type_[slot]) {
      value = draft_.append(0, Op::Local, {value}, {});
      value->name = bytecode_.variables[slot];
    }
    if (is_boxed(slot) && bytecode_.is_free(slot))
      boxes_.insert(slot);
    else if (is_boxed(slot))
      value = new_box(slot, value);
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

Value *StackMachine::call_builtin(const char *name, std::vector<Value *> arguments) {
  arguments.insert(arguments.begin(), constant(constants::builtin(name)));
  return emit(Op::Call, std::move(arguments));
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
  if (action == EntryAction::LoopExit || action == EntryAction::SendExit) {
    if (stack_.empty())
      return damaged();
    stack_.pop_back();
    if (action == EntryAction::SendExit) {
      Value *next = header_of(block);
      push(next ? emit(Op::IterReturned, {next}) : none());
    }
  } else if (action == EntryAction::Handler) {
    if (cfg_.blocks[block].pushes_place)
      push(none());
    push(call_builtin("numjit.caught", {}));
  } else if (action == EntryAction::LoopBody) {
    Value *next = header_of(block);
    if (!next || stack_.empty())
      return damaged();
    position_ = next->position;
    stack_.back() = emit(Op::IterState, {next});
    push(emit(Op::IterValue, {next}));
  } else if (action == EntryAction::UnrolledBody) {
    push_unrolled_item(cfg_.blocks[block].unrolled_item);
  }
}

void StackMachine::push_unrolled_item(int32_t index) {
  Value *iterator = slot(1);
  if (failed_)
    return;
  Value *item = emit(Op::UnrolledItem, {Draft::resolve(iterator)});
  item->index = index;
  push(item);
}

/// The IterNext of the loop that an edge leads into or out of; null in loops that are unrolled. The
/// edge's only predecessor is the header; its last values are IterNext, IterValid, Branch.
Value *StackMachine::header_of(int32_t block) {
  const std::vector<Value *> &header = draft_.blocks[draft_.blocks[block].preds[0]].block.values;
  Value *next = header.size() >= 3 ? header[header.size() - 3] : nullptr;
  return next && next->op == Op::IterNext ? next : nullptr;
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
  auto depth_at = [&](size_t succ) {
    return draft.guarded && succ + 1 == draft.succs.size() ? cfg_.blocks[block_].handler_depth
                                                           : depth;
  };
  for (size_t i = 0; i < draft.succs.size(); ++i) {
    const DraftBlock &succ = draft_.blocks[draft.succs[i]];
    if (succ.dropped || (succ.depth >= 0 && succ.depth != depth_at(i)))
      failed_ = failed_ || !ended_ || draft.block.values.back()->op == Op::Branch;
    if (depth_at(i) > depth)
      failed_ = true;
  }
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
  const bool leaves = draft.guarded && (last == Op::Return || last == Op::Raise);
  if (last != Op::Jump && last != Op::Branch && !leaves) {
    draft.filled = true;
    draft_.cut_successors(block_);
    return;
  }
  if (leaves)
    draft_.keep_handler(block_);
  for (size_t i = 0; i < draft.succs.size(); ++i)
    draft_.blocks[draft.succs[i]].depth = depth_at(i);
  for (int32_t i = 0; i < depth; ++i)
    if (stack_[i])
      draft_.write(block_, draft_.stack_variable(i), stack_[i]);
  draft_.filled(block_);
}

void StackMachine::terminate(const Instruction &instruction) {
  switch (instruction.op) {
  case Opcode::Return: {
    Value *value = pop();
    if (!failed_) {
      value = draft_.def.makes_self ? draft_.read(block_, 0) : returned(value);
      emit(Op::Return, {value});
      ended_ = true;
    }
    return;
  }
  case Opcode::Raise:
  case Opcode::Reraise: {
    std::vector<Value *> operands = pop(instruction.op == Opcode::Reraise ? 1 : instruction.arg);
    if (operands.size() > 2)
      damaged();
    const bool again = operands.empty();
    if (again && bytecode_.handled >= 0)
      operands = {draft_.read(block_, bytecode_.handled)};
    if (!failed_) {
      emit(Op::Raise, std::move(operands))->index = again;
      ended_ = true;
    }
    return;
  }
  case Opcode::Jump: return; // leave() adds it
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
  if (cfg_.blocks[block_].ways_on() == 2)
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
    if (block.ways_on() == 1)
      return push_unrolled_item(block.unrolled_item);
    Value *index = constant(constants::integer(block.unrolled_item));
    end_with_branch(truth(call_builtin("numjit.has_item", {Draft::resolve(iterator), index})));
    return;
  }
  std::vector<Value *> operands{Draft::resolve(iterator)};
  if (bytecode_.code[at_].flag)
    operands.push_back(draft_.read(block_, bytecode_.sent));
  Value *next = emit(Op::IterNext, std::move(operands));
  end_with_branch(emit(Op::IterValid, {next}));
}

} // namespace numjit::ssa
