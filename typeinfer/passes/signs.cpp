// Variables of loops that are never negative, by induction: in `while x: x //= 10`, x is not if it
// was not before the loop, and neither is the greatest of what is greater than it, in
// `if product > best: best = product`.
#include "typeinfer/passes/intervals.h"

#include <algorithm>

namespace numjit::tir {

bool Intervals::stays_not_negative(const Value &phi) {
  Proof proof;
  return not_negative(&phi, phi.block, proof);
}

/// As seen in `block`, if no phi of the proof was negative before.
bool Intervals::not_negative(const Value *value, const Block *block, Proof &proof) {
  if (!value->type->is(ScalarId::Int64) || --proof.steps < 0)
    return false;
  if (value->nonneg || at(value, block).low >= 0)
    return true;
  const size_t known = proof.phis.size();
  if (not_negative_by_operands(*value, proof))
    return true;
  proof.phis.resize(known); // what followed from the attempt
  return not_negative_by_order(value, block, proof);
}

bool Intervals::not_negative_by_order(const Value *value, const Block *block, Proof &proof) {
  const auto tests = above_.find(value);
  if (tests == above_.end())
    return false;
  const size_t known = proof.phis.size();
  for (const auto &[tested, other, strict] : tests->second) {
    if (cfg_.dominates(tested, block) && not_negative(other, tested, proof))
      return true;
    proof.phis.resize(known);
  }
  return false;
}

bool Intervals::not_negative_by_operands(const Value &value, Proof &proof) {
  auto operand = [&](size_t i) { return not_negative(value.operands[i], value.block, proof); };
  switch (value.op) {
  case Op::Phi:
    if (std::ranges::find(proof.phis, &value) != proof.phis.end())
      return true;
    proof.phis.push_back(&value);
    for (size_t i = 0; i < value.operands.size(); ++i)
      if (!not_negative(value.operands[i], value.block->preds[i], proof))
        return false;
    return true;
  case Op::Select: return operand(1) && operand(2);
  case Op::IndexAdd:
  case Op::IndexMul: return operand(0) && operand(1);
  case Op::Scalar: return not_negative_by_operator(value, proof);
  default: return false;
  }
}

bool Intervals::not_negative_by_operator(const Value &value, Proof &proof) {
  const scalar::Row &row = scalar::row(value.scalar_op);
  if (value.operands.size() != 2)
    return false;
  const Value *left = value.operands[0], *right = value.operands[1];
  auto of_left = [&] { return not_negative(left, value.block, proof); };
  auto of_right = [&] { return not_negative(right, value.block, proof); };
  auto either = [&] {
    const size_t known = proof.phis.size();
    if (of_left())
      return true;
    proof.phis.resize(known);
    return of_right();
  };
  if (row.id == scalar::OpId::Min)
    return of_left() && of_right();
  if (row.id == scalar::OpId::Max)
    return either();
  if (!row.oper)
    return false;
  switch (*row.oper) {
  case Operator::And: return either();
  case Operator::Or:
  case Operator::Xor: return of_left() && of_right();
  case Operator::Mod: return of_right(); // takes the sign of the divisor
  case Operator::FloorDiv:
  case Operator::RShift: return of_left() && of_right();
  case Operator::Sub: { // x - y where x >= y
    const auto tests = above_.find(left);
    return tests != above_.end() &&
           std::ranges::any_of(tests->second,
                               [&](const Above &test) {
                                 return test.other == right &&
                                        cfg_.dominates(test.block, value.block);
                               }) &&
           of_right();
  }
  default: return false;
  }
}

} // namespace numjit::tir
