#include "typeinfer/passes/index_sums.h"

namespace numjit::tir {

void IndexSums::add_product(Sum &sum, const Value *value, int64_t factor, int depth) {
  auto add_operand = [&](size_t i, int64_t times) {
    add_product(sum, value->operands[i], times, depth + 1);
  };
  auto is_const = [&](size_t i) { return value->operands[i]->op == Op::Const; };
  if (value->op == Op::Const)
    return sum.add(value->integer, factor);
  if (depth == deepest || factor == INT64_MIN)
    return sum.add(value, factor);
  if (value->op == Op::Select && is_const(0))
    return add_operand(value->operands[0]->integer ? 1 : 2, factor);
  int64_t product = 0;
  if (value->op == Op::IndexMul)
    for (size_t i : {0, 1})
      if (is_const(i) && !__builtin_mul_overflow(factor, value->operands[i]->integer, &product))
        return product == 0 ? void() : add_operand(1 - i, product);
  const bool plain = value->op == Op::Scalar && value->type->is(ScalarId::Int64) &&
                     !intervals_.of(value).is_full(); // what may wrap around could be anything
  if (plain && is_operator(value, Operator::Neg))
    return add_operand(0, -factor);
  const bool difference = plain && is_operator(value, Operator::Sub);
  if (value->op == Op::IndexAdd || difference || (plain && is_operator(value, Operator::Add))) {
    add_operand(0, factor);
    return add_operand(1, difference ? -factor : factor);
  }
  sum.add(value, factor);
}

/// Adds what `factor` times the index of a loop is at most: i < bound where it counts up,
/// i > bound where it counts down. Whether it is known.
bool IndexSums::add_last(Sum &sum, const RangeLoop &range, int64_t factor) {
  if ((factor > 0) == range.counts_up()) {
    sum.add(range.counts_up() ? -1 : 1, factor);
    add_product(sum, range.bound, factor);
    return true;
  }
  if (!range.start || (range.step->integer > 0) != range.counts_up())
    return false;
  add_product(sum, range.start, factor);
  return true;
}
bool IndexSums::at_most(Sum sum, int64_t limit, const Block *block) {
  // Indices of inner loops first: their bounds may speak of those around.
  for (int k = 0; k < deepest; ++k) {
    std::optional<RangeLoop> innermost;
    for (auto [value, factor] : sum.terms)
      if (std::optional<RangeLoop> range = intervals_.loop_around(value, block))
        if (!innermost || intervals_.cfg().dominates(innermost->index->block, value->block))
          innermost = range;
    if (!innermost)
      break;
    auto term = sum.term_of(innermost->index);
    const int64_t factor = term->second;
    sum.terms.erase(term);
    if (!add_last(sum, *innermost, factor))
      return false;
  }
  // c * (x // c) <= x
  for (size_t i = 0; i < sum.terms.size();) {
    const auto [value, factor] = sum.terms[i++];
    if (factor <= 0 || !is_operator(value, Operator::FloorDiv) ||
        value->operands[1]->op != Op::Const || value->operands[1]->integer <= 0 ||
        factor % value->operands[1]->integer != 0)
      continue;
    sum.terms.erase(sum.term_of(value));
    add_product(sum, value->operands[0], factor / value->operands[1]->integer);
    i = 0;
  }
  Wide most = sum.constant;
  for (auto [value, factor] : sum.terms) {
    const Interval interval = intervals_.at(value, block);
    const int64_t end = factor > 0 ? interval.high : interval.low;
    if (end == INT64_MIN || end == INT64_MAX)
      return false;
    most += Wide(factor) * end;
  }
  return sum.known && most <= limit;
}

bool IndexSums::product_at_most(const Value *value, int64_t factor, int64_t limit,
                                const Block *block) {
  Sum sum;
  add_product(sum, value, factor);
  return at_most(std::move(sum), limit, block);
}

} // namespace numjit::tir
