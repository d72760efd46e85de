#include "typeinfer/passes/range_loop.h"

#include "typeinfer/passes/edit.h"

#include <algorithm>

namespace numjit::tir {

bool is_operator(const Value *value, Operator oper) {
  return value->op == Op::Scalar && scalar::row(value->scalar_op).oper == oper;
}

const Value *tested_negative(const Value &condition) {
  if (!is_operator(&condition, Operator::Lt) || !condition.operands[0]->type->is(ScalarId::Int64) ||
      condition.operands[1]->op != Op::Const || condition.operands[1]->integer != 0)
    return nullptr;
  return condition.operands[0];
}

static bool is_sum(const Value *value) {
  return value->op == Op::IndexAdd || is_operator(value, Operator::Add);
}

/// Cheap, and without effect wherever it is computed.
static bool may_move(const Value *value) {
  switch (value->op) {
  case Op::Const:
  case Op::Struct:
  case Op::Field:
  case Op::Cast:
  case Op::Select:
  case Op::IndexAdd:
  case Op::IndexMul: return true;
  case Op::Scalar: return scalar::row(value->scalar_op).cost < 10;
  default: return false;
  }
}

bool is_invariant(const Value *value, const Loop &loop, const Loops &loops) {
  if (!loops.contains(loop, value->block))
    return true;
  return may_move(value) &&
         std::all_of(value->operands.begin(), value->operands.end(),
                     [&](const Value *operand) { return is_invariant(operand, loop, loops); });
}

void hoist(Value *value, const Loop &loop, const Loops &loops, Block &to) {
  if (value->block == &to || !loops.contains(loop, value->block))
    return;
  for (Value *operand : value->operands)
    hoist(operand, loop, loops, to);
  std::erase(value->block->values, value);
  value->block = &to;
  to.values.insert(to.values.end() - 1, value);
}

bool RangeLoop::counts_up() const { return !up && is_operator(compare, Operator::Lt); }

std::optional<uint64_t> RangeLoop::most_trips() const {
  const bool upwards = counts_up();
  const Value *end = bound;
  if (upwards && bound->op == Op::Scalar && bound->scalar_op == scalar::OpId::Min)
    for (const Value *operand : bound->operands) // range(min(n, 1000))
      if (operand->op == Op::Const)
        end = operand;
  if (up || !start || start->op != Op::Const || step->op != Op::Const || end->op != Op::Const)
    return std::nullopt;
  const int64_t by = step->integer, from = start->integer, to = end->integer;
  if (upwards ? from >= to : from <= to)
    return 0;
  if (by == 0 || (by > 0) != upwards)
    return std::nullopt;
  // Distances of int64 fit uint64.
  uint64_t distance = static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
  uint64_t stride = static_cast<uint64_t>(by);
  if (!upwards)
    distance = -distance, stride = -stride;
  return (distance - 1) / stride + 1;
}

/// Fills in index, start and step if the phi counts.
static bool find_induction(RangeLoop &range, Value *phi, const Loop &loop, const Loops &loops) {
  if (phi->op != Op::Phi || phi->block != loop.header || !phi->type->is(ScalarId::Int64))
    return false;
  Value *next = nullptr, *start = nullptr;
  bool one_start = true;
  for (size_t i = 0; i < phi->operands.size(); ++i) {
    const bool inside = loops.contains(loop, loop.header->preds[i]);
    Value *&seen = inside ? next : start;
    if (seen && seen != phi->operands[i]) {
      if (inside)
        return false;
      one_start = false;
    }
    seen = phi->operands[i];
  }
  if (!next || !is_sum(next))
    return false;
  Value *step = next->operands[0] == phi   ? next->operands[1]
                : next->operands[1] == phi ? next->operands[0]
                                           : nullptr;
  if (!step || !is_invariant(step, loop, loops))
    return false;
  range.index = phi;
  range.start = one_start ? start : nullptr;
  range.step = step;
  return true;
}

/// index < bound or index > bound, also written the other way round.
static bool find_compare(RangeLoop &range, Value *compare, const Loop &loop, const Loops &loops) {
  if (!is_operator(compare, Operator::Lt) && !is_operator(compare, Operator::Gt))
    return false;
  if (!find_induction(range, compare->operands[0], loop, loops))
    return false;
  range.compare = compare;
  range.bound = compare->operands[1];
  range.fixed_bound = is_invariant(range.bound, loop, loops);
  return true;
}

static std::optional<RangeLoop> find_in_condition(Value *condition, const Loop &loop,
                                                  const Loops &loops) {
  RangeLoop range;
  if (find_compare(range, condition, loop, loops))
    return range;
  // step > 0 ? index < bound : index > bound
  if (condition->op == Op::Select && is_invariant(condition->operands[0], loop, loops) &&
      find_compare(range, condition->operands[1], loop, loops) && range.counts_up()) {
    Value *bound = range.bound, *index = range.index;
    if (find_compare(range, condition->operands[2], loop, loops) && !range.counts_up() &&
        range.bound == bound && range.index == index) {
      range.compare = condition;
      range.up = condition->operands[0];
      return range;
    }
  }
  // zip: one of several conditions
  if (is_operator(condition, Operator::And) && condition->type->is_bool())
    for (Value *part : condition->operands)
      if (std::optional<RangeLoop> found = find_in_condition(part, loop, loops))
        return found;
  return std::nullopt;
}

std::optional<RangeLoop> find_range(const Loop &loop, const Loops &loops) {
  const Value *end = loop.header->terminator();
  if (end->op != Op::Branch || !loops.contains(loop, loop.header->succs[0]) ||
      loops.contains(loop, loop.header->succs[1]))
    return std::nullopt;
  return find_in_condition(end->operands[0], loop, loops);
}

// --- bounds ---

static bool is_shape(const Value *value) {
  if (value->op != Op::Field && value->op != Op::FieldAt)
    return false;
  const Value *tuple = value->operands[0];
  return tuple->op == Op::Field && tuple->index == 2 && tuple->operands[0]->type->is_array();
}

static bool bounded(const Value *value, Loops &loops, int depth) {
  if (depth == 0 || !value->type->is(ScalarId::Int64))
    return false;
  auto operand = [&](size_t i) { return bounded(value->operands[i], loops, depth - 1); };
  if (value->op == Op::Const)
    return value->integer < 1 << 16;
  if (is_shape(value) || (value->op == Op::Load && value->alias == Alias::ListHeader))
    return true;
  if (is_sum(value) || value->op == Op::IndexMul || is_operator(value, Operator::Mul))
    return operand(0) && operand(1);
  // What is taken away is hardly ever negative and large.
  if (is_operator(value, Operator::Sub) || is_operator(value, Operator::FloorDiv))
    return operand(0);
  if (value->op == Op::Scalar && scalar::row(value->scalar_op).id == scalar::OpId::Min)
    return operand(0) || operand(1);
  if (value->op == Op::Scalar && scalar::row(value->scalar_op).id == scalar::OpId::Max)
    return operand(0) && operand(1);
  if (value->op == Op::Select)
    return operand(1) && operand(2);
  if (value->op != Op::Phi)
    return false;
  // The index of a loop that counts up to a bounded number.
  Loop *loop = loops.of(value->block);
  if (!loop || loop->header != value->block)
    return false;
  std::optional<RangeLoop> range = find_range(*loop, loops);
  return range && range->index == value && range->counts_up() && range->start &&
         bounded(range->start, loops, depth - 1) && bounded(range->bound, loops, depth - 1);
}

bool bounded_by_memory(const Value *value, Loops &loops) { return bounded(value, loops, 8); }

} // namespace numjit::tir
