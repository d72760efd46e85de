// Runs typed IR of integers, for tests that compare a function before and after a pass.
#pragma once

#include "typeinfer/passes/edit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

namespace numjit::tir {

/// Runs a function of int64 and bool values without memory; polls are counted.
class IntInterpreter {
public:
  explicit IntInterpreter(const Function &function)
      : function_(function), values_(function.values.size()) {}

  int64_t polls = 0;
  bool may_overflow = false; ///< index arithmetic whose result is not used

  int64_t most_steps = 50'000'000;

  /// The result; nothing if that takes too many steps.
  std::optional<int64_t> run(const std::vector<int64_t> &arguments) {
    const Block *from = nullptr, *block = function_.blocks[0];
    for (int64_t steps = 0; steps < most_steps;) {
      std::vector<int64_t> phis;
      for (const Value *value : block->values)
        if (value->op == Op::Phi)
          phis.push_back(values_[value->operands[pred_index(*block, from)]->id]);
      for (size_t i = 0; i < phis.size(); ++i) {
        values_[block->values[i]->id] = phis[i];
        check(*block->values[i]);
      }
      for (size_t i = phis.size(); i < block->values.size(); ++i, ++steps)
        if (const Value &value = *block->values[i]; value.op != Op::Return) {
          values_[value.id] = evaluate(value, arguments);
          check(value);
        }
      const Value &end = *block->terminator();
      if (end.op == Op::Return)
        return values_[end.operands[0]->id];
      from = block;
      block = block->succs[end.op == Op::Branch && !values_[end.operands[0]->id]];
    }
    return std::nullopt;
  }

private:
  void check(const Value &value) {
    EXPECT_FALSE(value.nonneg && value.type->is(ScalarId::Int64) && values_[value.id] < 0)
        << values_[value.id] << " for " << print(value);
  }

  int64_t evaluate(const Value &value, const std::vector<int64_t> &arguments) {
    auto s = [&](size_t i) { return values_[value.operands[i]->id]; };
    auto u = [&](size_t i) { return static_cast<uint64_t>(s(i)); };
    switch (value.op) {
    case Op::Param: return arguments[static_cast<size_t>(value.index)];
    case Op::Const: return value.integer;
    case Op::Cast: return s(0);
    case Op::Select: return s(0) ? s(1) : s(2);
    case Op::IndexAdd: {
      int64_t sum = 0;
      EXPECT_FALSE(__builtin_add_overflow(s(0), s(1), &sum) && !may_overflow) << print(value);
      return sum;
    }
    case Op::IndexMul: {
      int64_t product = 0;
      EXPECT_FALSE(__builtin_mul_overflow(s(0), s(1), &product)) << print(value);
      return product;
    }
    case Op::Poll: ++polls; return 0;
    case Op::Jump:
    case Op::Branch: return 0;
    case Op::Scalar: {
      const bool is_unsigned = value.operands[0]->type->is_unsigned();
      if (scalar::row(value.scalar_op).id == scalar::OpId::Min)
        return std::min(s(0), s(1));
      if (scalar::row(value.scalar_op).id == scalar::OpId::Max)
        return std::max(s(0), s(1));
      switch (*scalar::row(value.scalar_op).oper) {
      case Operator::Add: return static_cast<int64_t>(u(0) + u(1));
      case Operator::Sub: return static_cast<int64_t>(u(0) - u(1));
      case Operator::Mul: return static_cast<int64_t>(u(0) * u(1));
      case Operator::Lt: return is_unsigned ? u(0) < u(1) : s(0) < s(1);
      case Operator::Gt: return is_unsigned ? u(0) > u(1) : s(0) > s(1);
      case Operator::And: return s(0) & s(1);
      case Operator::RShift: return s(0) >> (s(1) & 63);
      case Operator::Eq: return s(0) == s(1);
      case Operator::Le: return s(0) <= s(1);
      case Operator::Ge: return s(0) >= s(1);
      case Operator::Mod: {
        int64_t rest = s(1) == 0 || s(1) == -1 ? 0 : s(0) % s(1);
        return rest != 0 && (rest < 0) != (s(1) < 0) ? rest + s(1) : rest;
      }
      case Operator::FloorDiv: {
        if (s(1) == 0 || s(1) == -1)
          return 0;
        int64_t quotient = s(0) / s(1);
        return s(0) % s(1) != 0 && (s(0) < 0) != (s(1) < 0) ? quotient - 1 : quotient;
      }
      default: ADD_FAILURE() << print(value); return 0;
      }
    }
    default: ADD_FAILURE() << print(value); return 0;
    }
  }

  const Function &function_;
  std::vector<int64_t> values_;
};

} // namespace numjit::tir
