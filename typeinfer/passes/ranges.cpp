// Ranges of numbers. Python's rules make indices costly: negative ones count from the end, and
// additions may overflow. In `for i in range(1, n - 1): a[i - 1] + a[i + 1]` neither happens. This
// pass finds that out: it folds comparisons, marks values as not negative, and marks additions that
// cannot overflow. For floats it finds lower bounds, by which tests for zero divisors are removed:
// none is needed in `m / (dx * dx + dy * dy + 0.01)`.
#include "typeinfer/passes/edit.h"
#include "typeinfer/passes/float_bounds.h"
#include "typeinfer/passes/index_sums.h"
#include "typeinfer/passes/passes.h"
#include "typeinfer/passes/simplify.h"

#include <algorithm>

namespace numjit::passes {

using namespace tir;

namespace {
class Ranges {
public:
  explicit Ranges(Function &function)
      : function_(function), intervals_(function), sums_(intervals_),
        floats_(function, intervals_) {}

  bool run() {
    bool changed = false;
    for (Block *block : intervals_.cfg().order()) {
      for (Value *value : block->values)
        changed |= improve(*value);
      place_made(*block);
    }
    return changed;
  }

private:
  Interval at(const Value *value, const Block *block) { return intervals_.at(value, block); }
  Interval of(const Value *value) { return intervals_.of(value); }

  /// x == c and x < c are false if x > c or x is NaN.
  bool fold_float_compare(Value &value, Operator oper) {
    const Value *right = value.operands[1];
    if (right->op != Op::Const || !value.operands[0]->type->is_float() || !value.type->is_bool())
      return false;
    const double bound = floats_.lower_bound(value.operands[0]);
    bool result = false;
    switch (oper) {
    case Operator::Ne: result = true; [[fallthrough]];
    case Operator::Eq:
    case Operator::Le:
      if (bound > right->real)
        break;
      return false;
    case Operator::Lt:
      if (bound >= right->real)
        break;
      return false;
    default: return false;
    }
    fold(value, result);
    return true;
  }

  bool improve(Value &value) {
    bool changed = false;
    if (value.type->is(ScalarId::Int64) && !value.nonneg && of(&value).low >= 0)
      value.nonneg = changed = true;
    if (value.op != Op::Scalar || value.operands.size() != 2)
      return changed;
    const scalar::Row &row = scalar::row(value.scalar_op);
    if (!row.oper)
      return changed;
    if (row.oper == Operator::Ge && fold_bounds_check(value))
      return true;
    if (!value.operands[0]->type->is(ScalarId::Int64))
      return fold_float_compare(value, *row.oper) || changed;
    if (row.oper == Operator::Lt && fold_sign(value))
      return true;
    const Interval a = at(value.operands[0], value.block), b = at(value.operands[1], value.block);
    if (value.type->is_bool())
      return fold_compare(value, *row.oper, a, b) || changed;
    if (!value.type->is(ScalarId::Int64))
      return changed;
    if (row.oper == Operator::Mod && fold_mod(value))
      return true;
    return no_overflow(value, *row.oper, a, b) || changed;
  }

  // --- remainders ---

  /// Division is slow, and `a % b` needs none where a is known to be less than one divisor away
  /// from 0 .. b - 1: in `(i + 1) % n` and `(i - 1) % n` of a ring.
  bool fold_mod(Value &mod) {
    Value *a = mod.operands[0], *b = mod.operands[1];
    if (a->op == Op::Const)
      return false;
    const bool positive = at(b, mod.block).low > 0;
    auto distance_at_most = [&](int64_t of_a, int64_t of_b, int64_t limit) {
      Sum sum;
      sums_.add_product(sum, a, of_a);
      sums_.add_product(sum, b, of_b);
      return sums_.at_most(std::move(sum), limit, mod.block);
    };
    const bool not_negative =
        at(a, mod.block).low >= 0 || sums_.product_at_most(a, -1, 0, mod.block);
    if (!not_negative && !(positive && distance_at_most(-1, -1, 0)))
      return false;
    const bool less = distance_at_most(1, -1, -1), not_more = less || distance_at_most(1, -1, 0);
    // A divisor that may be 0 is not less than a here, which is then 0, as is the result.
    if (!(positive ? not_more || distance_at_most(1, -2, -1) : not_negative && not_more))
      return false;
    const Interval result = of(&mod);
    Value *wrapped = a;
    if (!not_more)
      wrapped = insert_select(mod, Operator::Ge, b, difference_of(mod, Operator::Sub), wrapped);
    else if (!less) // LLVM knows that this is the last iteration
      wrapped = insert_select(mod, Operator::Eq, b, zero(mod), wrapped);
    if (!not_negative)
      wrapped =
          insert_select(mod, Operator::Lt, zero(mod), difference_of(mod, Operator::Add), wrapped);
    mod.op = Op::IndexAdd;
    mod.operands = {wrapped, zero(mod)};
    intervals_.know(mod, {0, std::max<int64_t>(result.high, 0)});
    return true;
  }

  /// a + b or a - b, in front of a % b.
  Value *difference_of(const Value &mod, Operator oper) {
    Value *made = insert(mod, Op::Scalar, mod.type, {mod.operands[0], mod.operands[1]});
    made->scalar_op = scalar::by_operator(oper)->id;
    return made;
  }

  /// `a OPER right ? then : otherwise`, in front of a % b.
  Value *insert_select(const Value &mod, Operator oper, Value *right, Value *then,
                       Value *otherwise) {
    Value *condition =
        insert(mod, Op::Scalar, types::scalar(ScalarId::Bool), {mod.operands[0], right});
    condition->scalar_op = scalar::by_operator(oper)->id;
    return insert(mod, Op::Select, mod.type, {condition, then, otherwise});
  }

  Value *zero(const Value &like) {
    if (!zero_) {
      zero_ = constant(0, like);
      intervals_.know(*zero_, {0, 0});
    }
    return zero_;
  }

  Value *constant(int64_t number, const Value &like) {
    Value *made = make_value(function_, Op::Const, types::scalar(ScalarId::Int64), {}, like);
    made->integer = number;
    made->nonneg = number >= 0;
    made->block = function_.blocks[0];
    added_.push_back(made);
    return made;
  }

  Value *insert(const Value &before, Op op, const Type *type,
                std::initializer_list<Value *> operands) {
    Value *made = make_value(function_, op, type, operands, before);
    made->block = before.block;
    made_.emplace_back(&before, made);
    return made;
  }

  /// Puts what was inserted meanwhile in front of what needs it.
  void place_made(Block &block) {
    if (made_.empty())
      return;
    std::vector<Value *> values;
    auto next = made_.begin();
    for (Value *value : block.values) {
      for (; next != made_.end() && next->first == value; ++next)
        values.push_back(next->second);
      values.push_back(value);
    }
    block.values = std::move(values);
    made_.clear();
  }

  /// Bounds checks ask `uint64(index) >= uint64(length)`. Never so where the loops around keep the
  /// index inside: `a[i + j]` for i < len(a) - n + 1, j < n. Always so where an index that is not
  /// negative is counted from the end.
  bool fold_bounds_check(Value &check) {
    const Value *index = check.operands[0], *length = check.operands[1];
    auto is_cast = [](const Value *value) {
      return value->op == Op::Cast && value->type->is(ScalarId::UInt64) &&
             value->operands[0]->type->is(ScalarId::Int64);
    };
    if (!is_cast(index) || !is_cast(length))
      return false;
    index = index->operands[0], length = length->operands[0];
    if (at(index, check.block).low < 0 && !sums_.product_at_most(index, -1, 0, check.block))
      return false;
    auto distance = [&](int64_t sign) {
      Sum sum;
      sums_.add_product(sum, index, sign);
      sums_.add_product(sum, length, -sign);
      return sum;
    };
    const bool inside = sums_.at_most(distance(1), -1, check.block);
    if (!inside && (of(length).low < 0 || !sums_.at_most(distance(-1), 0, check.block)))
      return false;
    fold(check, !inside);
    return true;
  }

  /// `index < 0` asks whether to count from the end: never in `a[n - 1 - i]`, always in `a[-i -
  /// 1]`.
  bool fold_sign(Value &compare) {
    Value *index = compare.operands[0];
    const Value *zero = compare.operands[1];
    if (zero->op != Op::Const || zero->integer != 0 || index->op == Op::Const)
      return false;
    if (of(index).low < 0 && sums_.product_at_most(index, -1, 0, index->block)) {
      intervals_.know(*index, {0, of(index).high});
      fold(compare, false);
      return true;
    }
    if (of(index).high >= 0 && sums_.product_at_most(index, 1, -1, index->block)) {
      fold(compare, true);
      return true;
    }
    return false;
  }

  bool fold_compare(Value &value, Operator oper, Interval a, Interval b) {
    std::optional<bool> result;
    const bool less = a.high<b.low, greater = a.low> b.high;
    const bool not_less = a.low >= b.high, not_greater = a.high <= b.low;
    auto decide = [&](bool yes, bool no) {
      if (yes || no)
        result = yes;
    };
    switch (oper) {
    case Operator::Lt: decide(less, not_less); break;
    case Operator::Ge: decide(not_less, less); break;
    case Operator::Gt: decide(greater, not_greater); break;
    case Operator::Le: decide(not_greater, greater); break;
    case Operator::Eq: decide(false, less || greater); break;
    case Operator::Ne: decide(less || greater, false); break;
    default: break;
    }
    if (!result)
      return false;
    fold(value, *result);
    return true;
  }

  static void fold(Value &value, bool result) {
    value.op = Op::Const;
    value.integer = result;
    value.operands.clear();
  }

  /// Index arithmetic is what LLVM may widen, reorder and compare freely.
  bool no_overflow(Value &value, Operator oper, Interval a, Interval b) {
    if (oper == Operator::Add && fits(Wide(a.low) + b.low, Wide(a.high) + b.high)) {
      value.op = Op::IndexAdd;
      return true;
    }
    if (oper == Operator::Mul) {
      auto [low, high] = product(a, b);
      if (fits(low, high))
        value.op = Op::IndexMul;
      return fits(low, high);
    }
    const Value *right = value.operands[1];
    if (oper != Operator::Sub || right->op != Op::Const || right->integer == INT64_MIN ||
        !fits(Wide(a.low) - b.high, Wide(a.high) - b.low))
      return false;
    value.op = Op::IndexAdd;
    value.operands[1] = constant(-right->integer, *right);
    return true;
  }

public:
  /// Constants made meanwhile go to the beginning of the entry.
  void place_constants() {
    Block &entry = *function_.blocks[0];
    size_t first = 0;
    while (entry.values[first]->op == Op::Param)
      ++first;
    entry.values.insert(entry.values.begin() + static_cast<ptrdiff_t>(first), added_.begin(),
                        added_.end());
  }

private:
  Function &function_;
  Intervals intervals_;
  IndexSums sums_;
  FloatBounds floats_;
  std::vector<Value *> added_;                          ///< constants
  std::vector<std::pair<const Value *, Value *>> made_; ///< what to stand before, in order
  Value *zero_ = nullptr;
};

} // namespace

void ranges(Module &module, const PassOptions &) {
  for (const auto &function : module.functions) {
    Ranges ranges(*function);
    bool changed = ranges.run();
    ranges.place_constants();
    if (changed)
      tidy(*function);
  }
}

} // namespace numjit::passes
