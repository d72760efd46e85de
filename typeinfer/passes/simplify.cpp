// Local simplification. Rules are in Simplifier::rewrite, one per operation.
#include "typeinfer/passes/simplify.h"

#include "typeinfer/ir/cfg.h"
#include "typeinfer/passes/edit.h"
#include "typeinfer/passes/range_loop.h"

#include <algorithm>
#include <functional>
#include <optional>

namespace numjit::passes {

using namespace tir;

namespace {

bool is_const(const Value *value) { return value->op == Op::Const; }
bool is_const(const Value *value, int64_t integer) {
  return is_const(value) && value->integer == integer &&
         (value->type->is_integer() || value->type->is_bool());
}

/// Result of a scalar operation on int64 or bool constants; wraps as the machine does.
std::optional<int64_t> fold(Operator oper, const std::vector<Value *> &operands) {
  const int64_t a = operands[0]->integer, b = operands.size() > 1 ? operands[1]->integer : 0;
  const uint64_t x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  const bool is_bool = operands[0]->type->is_bool();
  switch (oper) {
  case Operator::Add: return is_bool ? std::nullopt : std::optional<int64_t>(x + y);
  case Operator::Sub: return is_bool ? std::nullopt : std::optional<int64_t>(x - y);
  case Operator::Mul: return is_bool ? std::nullopt : std::optional<int64_t>(x * y);
  case Operator::Neg: return is_bool ? std::nullopt : std::optional<int64_t>(0 - x);
  case Operator::And: return a & b;
  case Operator::Or: return a | b;
  case Operator::Xor: return a ^ b;
  case Operator::Lt: return a < b;
  case Operator::Le: return a <= b;
  case Operator::Gt: return a > b;
  case Operator::Ge: return a >= b;
  case Operator::Eq: return a == b;
  case Operator::Ne: return a != b;
  case Operator::Not: return !a;
  case Operator::Truth: return a != 0;
  default: return std::nullopt;
  }
}

/// As fold, of two int64 constants.
template <class Operation>
int64_t folded(const std::vector<Value *> &operands) {
  auto bits = [](const Value *each) { return static_cast<uint64_t>(each->integer); };
  return static_cast<int64_t>(Operation()(bits(operands[0]), bits(operands[1])));
}

class Simplifier {
public:
  explicit Simplifier(Function &function)
      : function_(function), forward_(function.values.size(), nullptr) {}

  bool run() {
    Cfg cfg(function_);
    for (Block *block : cfg.order())
      for (size_t i = 0; i < block->values.size(); ++i) {
        Value &value = *block->values[i];
        for (Value *&operand : value.operands)
          operand = resolve(operand);
        if (Value *better = rewrite(value); better && better != &value) {
          forward_[value.id] = better;
          better->nonneg |= value.nonneg && better->block == value.block;
          replaced_ = true;
        }
      }
    if (replaced_)
      for (Block *block : function_.blocks) {
        std::erase_if(block->values, [&](const Value *value) { return forward_[value->id]; });
        for (Value *value : block->values)
          for (Value *&operand : value->operands)
            operand = resolve(operand);
      }
    return replaced_ || changed_;
  }

private:
  Value *resolve(Value *value) {
    while (forward_[value->id])
      value = forward_[value->id];
    return value;
  }

  Value *become_const(Value &value, int64_t integer) {
    value.op = Op::Const;
    value.integer = integer;
    value.operands.clear();
    value.nonneg = integer >= 0;
    changed_ = true;
    return nullptr;
  }

  /// The value to use instead, or nullptr. Changes the value in place where that is better.
  Value *rewrite(Value &value) {
    const std::vector<Value *> &operands = value.operands;
    switch (value.op) {
    case Op::Phi: return trivial_phi(value);
    case Op::Field:
      return operands[0]->op == Op::Struct ? operands[0]->operands[field(value)] : nullptr;
    case Op::FieldAt:
      if (operands[0]->op == Op::Struct && is_const(operands[1]) && operands[1]->integer >= 0 &&
          static_cast<size_t>(operands[1]->integer) < operands[0]->operands.size())
        return operands[0]->operands[static_cast<size_t>(operands[1]->integer)];
      return nullptr;
    case Op::Struct: return same_struct(value);
    case Op::Select:
      if (operands[1] == operands[2])
        return operands[1];
      if (is_const(operands[0]))
        return operands[operands[0]->integer ? 1 : 2];
      return is_tested_length(value) ? operands[2] : nullptr;
    case Op::Cast: return cast(value);
    case Op::Call:
      if (const Value *same = returned_parameter(*value.callee);
          same && value.block->terminator()->op != Op::Try)
        return operands[static_cast<size_t>(same->index)];
      return nullptr;
    case Op::PtrAdd:
      return is_const(operands[1], 0) && operands[0]->type == value.type ? operands[0] : nullptr;
    case Op::IndexAdd:
      if (is_const(operands[0]) && is_const(operands[1]))
        return become_const(value, folded<std::plus<>>(operands));
      return is_const(operands[1], 0)   ? operands[0]
             : is_const(operands[0], 0) ? operands[1]
                                        : nullptr;
    case Op::IndexMul:
      if (is_const(operands[0]) && is_const(operands[1]))
        return become_const(value, folded<std::multiplies<>>(operands));
      return is_const(operands[1], 1)   ? operands[0]
             : is_const(operands[0], 1) ? operands[1]
                                        : nullptr;
    case Op::Scalar: return scalar_operation(value);
    case Op::Branch:
      if (is_const(operands[0]))
        jump_only(value, value.operands[0]->integer ? 0 : 1);
      return nullptr;
    default: return nullptr;
    }
  }

  /// `0 if n < 0 else n`, where the branch in front has gone another way for negative ones.
  static bool is_tested_length(const Value &select) {
    const Value *n = select.operands[2];
    const Block &block = *select.block;
    if (!is_const(select.operands[1], 0) || tested_negative(*select.operands[0]) != n ||
        block.preds.size() != 1)
      return false;
    const Value &end = *block.preds[0]->terminator();
    return end.op == Op::Branch && block.preds[0]->succs[0] != &block &&
           tested_negative(*end.operands[0]) == n;
  }

  static size_t field(const Value &value) { return static_cast<size_t>(value.index); }

  /// A phi whose operands are one value, or the phi itself.
  static Value *trivial_phi(Value &phi) {
    Value *only = nullptr;
    for (Value *operand : phi.operands) {
      if (operand == only || operand == &phi)
        continue;
      if (only)
        return nullptr;
      only = operand;
    }
    return only;
  }

  /// A struct of all the fields of another value of its type.
  static Value *same_struct(const Value &value) {
    Value *whole = nullptr;
    for (size_t i = 0; i < value.operands.size(); ++i) {
      const Value *part = value.operands[i];
      if (part->op != Op::Field || field(*part) != i || (whole && part->operands[0] != whole))
        return nullptr;
      whole = part->operands[0];
    }
    return whole && whole->type == value.type ? whole : nullptr;
  }

  Value *cast(Value &value) {
    Value *from = value.operands[0];
    if (from->type == value.type)
      return from;
    const bool from_integer = from->type->is(ScalarId::Int64) || from->type->is_bool();
    if (!is_const(from) || !from_integer)
      return nullptr;
    if (value.type->is(ScalarId::Int64))
      return become_const(value, from->integer);
    if (value.type->is_bool())
      return become_const(value, from->integer != 0);
    if (value.type->is(ScalarId::Float64)) {
      value.real = static_cast<double>(from->integer);
      return become_const(value, 0);
    }
    return nullptr;
  }

  Value *scalar_operation(Value &value) {
    const scalar::Row &row = scalar::row(value.scalar_op);
    const std::vector<Value *> &operands = value.operands;
    const Type *type = operands[0]->type;
    const bool to_bool = value.type->is_bool();
    if (!row.oper || !(type->is_bool() || type->is(ScalarId::Int64)) ||
        !(to_bool || value.type == type))
      return nullptr;
    if (std::all_of(operands.begin(), operands.end(),
                    [&](const Value *v) { return is_const(v) && v->type == type; })) {
      if (std::optional<int64_t> result = fold(*row.oper, operands))
        return become_const(value, *result);
      return nullptr;
    }
    if (*row.oper == Operator::Truth && type->is_bool())
      return operands[0];
    if (operands.size() != 2)
      return nullptr;
    // With one constant of bool: and, or.
    const bool both = *row.oper == Operator::And, either = *row.oper == Operator::Or;
    if (type->is_bool() && (both || either))
      for (size_t i : {0, 1})
        if (is_const(operands[i]))
          return (operands[i]->integer != 0) == both ? operands[1 - i] : operands[i];
    if (type->is(ScalarId::Int64) && value.type == type && is_const(operands[1], 0) &&
        (*row.oper == Operator::Add || *row.oper == Operator::Sub))
      return operands[0];
    // What is known not to be negative.
    if (operands[0]->nonneg && is_const(operands[1], 0) && type->is(ScalarId::Int64)) {
      if (*row.oper == Operator::Lt)
        return become_const(value, 0);
      if (*row.oper == Operator::Ge)
        return become_const(value, 1);
    }
    return nullptr;
  }

  void jump_only(Value &branch, size_t kept) {
    Block *block = branch.block, *lost = block->succs[1 - kept];
    block->succs = {block->succs[kept]};
    branch.op = Op::Jump;
    branch.operands.clear();
    branch.index = 0;
    const size_t index = pred_index(*lost, block);
    lost->preds.erase(lost->preds.begin() + static_cast<ptrdiff_t>(index));
    for (Value *phi : lost->values) {
      if (phi->op != Op::Phi)
        break;
      phi->operands.erase(phi->operands.begin() + static_cast<ptrdiff_t>(index));
    }
    changed_ = true;
  }

  Function &function_;
  std::vector<Value *> forward_; ///< by value id: what replaces it
  bool replaced_ = false, changed_ = false;
};

} // namespace

const Value *returned_parameter(const Function &function) {
  const Block &block = *function.blocks[0];
  const Value *end = block.terminator();
  if (end->op != Op::Return || end->operands[0]->op != Op::Param)
    return nullptr;
  const bool plain = std::all_of(block.values.begin(), block.values.end(), [&](const Value *value) {
    return value == end || effect_of(*value) == Effect::Pure;
  });
  return plain ? end->operands[0] : nullptr;
}

bool simplify(Function &function) { return Simplifier(function).run(); }

} // namespace numjit::passes
