// Where numbers lie. Python's rules make indices costly: they wrap around below zero, and
// additions may overflow. In `for i in range(1, n - 1): a[i - 1] + a[i + 1]` neither happens, and
// this pass says so: comparisons fold, values are marked as not negative, additions turn into those
// that cannot overflow. Floats have lower bounds, which is what tests for zero divisors ask for:
// none is needed in `m / (dx * dx + dy * dy + 0.01)`.
#include "typeinfer/passes/edit.h"
#include "typeinfer/passes/passes.h"
#include "typeinfer/passes/range_loop.h"
#include "typeinfer/passes/simplify.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace numjit::passes {

using namespace tir;

namespace {

__extension__ typedef __int128 Wide;

/// All values from low to high, both included.
struct Interval {
  int64_t low = INT64_MIN, high = INT64_MAX;
  bool is_full() const { return low == INT64_MIN && high == INT64_MAX; }
};

/// Lengths of arrays and lists: far beyond any memory, and there is room to add and subtract.
constexpr int64_t longest = int64_t(1) << 62;
using types::usual_stride;

Interval join(Interval a, Interval b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

bool fits(Wide low, Wide high) { return low >= INT64_MIN && high <= INT64_MAX; }

/// Values of an operation that wraps around: nothing is known once it may.
Interval wrapping(Wide low, Wide high) {
  if (!fits(low, high))
    return {};
  return {static_cast<int64_t>(low), static_cast<int64_t>(high)};
}

/// Values of an operation that does not overflow.
Interval saturating(Wide low, Wide high) {
  return {static_cast<int64_t>(std::clamp<Wide>(low, INT64_MIN, INT64_MAX)),
          static_cast<int64_t>(std::clamp<Wide>(high, INT64_MIN, INT64_MAX))};
}

std::pair<Wide, Wide> product(Interval a, Interval b) {
  const Wide corners[] = {Wide(a.low) * b.low, Wide(a.low) * b.high, Wide(a.high) * b.low,
                          Wide(a.high) * b.high};
  return {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
}

class Ranges {
public:
  explicit Ranges(Function &function)
      : function_(function), cfg_(function), loops_(cfg_), known_(function.values.size()),
        state_(function.values.size(), State::New) {
    for (const Block *block : cfg_.order())
      note_test(*block);
  }

  bool run() {
    bool changed = false;
    for (Block *block : cfg_.order()) {
      for (Value *value : block->values)
        changed |= improve(*value);
      place_made(*block);
    }
    return changed;
  }

private:
  enum class State : uint8_t { New, Running, Done };

  /// Values of `value` as seen in `block`.
  Interval at(const Value *value, const Block *block) {
    Interval interval = of(value);
    if (value->op == Op::Phi)
      refine(interval, value, block);
    if (const auto tests = tested_.find(value); tests != tested_.end())
      for (const Block *fine : tests->second)
        if (interval.low < 0 && cfg_.dominates(fine, block))
          interval = {0, std::max<int64_t>(interval.high, 0)};
    if (interval.low < 1 && (value->op == Op::Field || value->op == Op::Param))
      interval.low = std::max(interval.low, least_in_loops(value, block));
    return interval;
  }

  /// In the body of `for i in range(n)`, n is at least 1.
  int64_t least_in_loops(const Value *bound, const Block *block) {
    for (const Loop *loop = loops_.of(block); loop; loop = loop->parent)
      for (const Value *phi : loop->header->values) {
        if (phi->op != Op::Phi)
          break;
        const std::optional<RangeLoop> range = loop_around(phi, block);
        if (range && range->counts_up() && range->step->integer > 0 &&
            is_same(range->bound, bound) && range->start && range->start->op == Op::Const &&
            range->start->integer >= 0)
          return range->start->integer + 1;
      }
    return INT64_MIN;
  }

  /// A block that follows where `n < 0` does not hold: lengths are tested so.
  void note_test(const Block &block) {
    const Value &end = *block.terminator();
    if (end.op != Op::Branch || block.succs[0] == block.succs[1] ||
        block.succs[1]->preds.size() != 1)
      return;
    if (const Value *n = tested_negative(*end.operands[0]))
      tested_[n].push_back(block.succs[1]);
  }

  /// Values anywhere.
  Interval of(const Value *value) {
    if (state_[value->id] == State::Running)
      return {};
    if (state_[value->id] == State::New) {
      state_[value->id] = State::Running;
      Interval interval = compute(*value);
      if (value->nonneg && value->type->is(ScalarId::Int64))
        interval.low = std::max<int64_t>(interval.low, 0),
        interval.high = std::max(interval.high, interval.low);
      known_[value->id] = interval;
      state_[value->id] = State::Done;
    }
    return known_[value->id];
  }

  Interval compute(const Value &value) {
    if (!value.type->is(ScalarId::Int64))
      return of_type(value.type);
    auto operand = [&](size_t i) { return at(value.operands[i], value.block); };
    switch (value.op) {
    case Op::Const: return {value.integer, value.integer};
    case Op::Cast: return of_type(value.operands[0]->type, value.operands[0]);
    case Op::Select: return join(operand(1), operand(2));
    case Op::Field:
    case Op::FieldAt: {
      const Value *tuple = value.operands[0];
      bool is_shape =
          tuple->op == Op::Field && tuple->index == 2 && tuple->operands[0]->type->is_array();
      return is_shape ? Interval{0, longest} : Interval{};
    }
    case Op::Load: return value.nonneg ? Interval{0, longest} : Interval{};
    case Op::IndexAdd: {
      Interval a = operand(0), b = operand(1);
      return saturating(Wide(a.low) + b.low, Wide(a.high) + b.high);
    }
    case Op::IndexMul: {
      auto [low, high] = product(operand(0), operand(1));
      return saturating(low, high);
    }
    case Op::Scalar: return scalar_operation(value);
    case Op::Phi: return phi(value);
    default: return {};
    }
  }

  /// Values that the type has; of int64 and uint64 nothing is said.
  Interval of_type(const Type *type, const Value *value = nullptr) {
    if (value && type->is(ScalarId::Int64))
      return of(value);
    if (type->is_bool())
      return {0, 1};
    if (!type->is_integer() || type->bits() == 64)
      return {};
    const int64_t count = int64_t(1) << type->bits();
    return type->is_signed() ? Interval{-count / 2, count / 2 - 1} : Interval{0, count - 1};
  }

  Interval scalar_operation(const Value &value) {
    const scalar::Row &row = scalar::row(value.scalar_op);
    if (is_operator(&value, Operator::Neg)) {
      const Interval a = at(value.operands[0], value.block);
      return wrapping(-Wide(a.high), -Wide(a.low));
    }
    if (value.operands.size() != 2 || !value.operands[0]->type->is(ScalarId::Int64))
      return {};
    const Interval a = at(value.operands[0], value.block), b = at(value.operands[1], value.block);
    if (row.id == scalar::OpId::Min)
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    if (row.id == scalar::OpId::Max)
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
    if (!row.oper)
      return {};
    switch (*row.oper) {
    case Operator::Add: return wrapping(Wide(a.low) + b.low, Wide(a.high) + b.high);
    case Operator::Sub: return wrapping(Wide(a.low) - b.high, Wide(a.high) - b.low);
    case Operator::Mul: {
      auto [low, high] = product(a, b);
      return wrapping(low, high);
    }
    case Operator::FloorDiv:
      return a.low >= 0 && b.low > 0 ? Interval{a.low / b.high, a.high / b.low} : Interval{};
    case Operator::Mod: // takes the sign of the divisor
      return b.low > 0 ? Interval{0, b.high - 1} : Interval{};
    case Operator::RShift: return a.low >= 0 && b.low >= 0 ? Interval{0, a.high} : Interval{};
    case Operator::And:
      if (a.low >= 0 || b.low >= 0)
        return {0, std::min(a.low >= 0 ? a.high : INT64_MAX, b.low >= 0 ? b.high : INT64_MAX)};
      return {};
    default: return {};
    }
  }

  // --- floats ---

  /// A number that `value` is not less than (it may be NaN). Rounding is monotonic, so bounds
  /// computed like the values are hold for rounded results. Zeros may be negative ones.
  double lower_bound(const Value *value) {
    if (value->type->is_integer() || value->type->is_bool())
      return static_cast<double>(of_type(value->type, value).low);
    if (!value->type->is_float() || value->type->is(ScalarId::Float16))
      return unbounded;
    if (bounds_.empty())
      bounds_.resize(function_.values.size(), std::numeric_limits<double>::quiet_NaN());
    if (value->id >= bounds_.size()) // made by this pass: an integer
      return unbounded;
    double &bound = bounds_[value->id];
    if (std::isnan(bound)) {
      bound = unbounded;
      const double found = compute_lower_bound(*value);
      bounds_[value->id] = value->type->is(ScalarId::Float32) ? static_cast<float>(found) : found;
    }
    return bounds_[value->id];
  }

  double compute_lower_bound(const Value &value) {
    auto operand = [&](size_t i) { return lower_bound(value.operands[i]); };
    switch (value.op) {
    case Op::Const: return std::isnan(value.real) ? unbounded : value.real;
    case Op::Cast: return operand(0);
    case Op::Select: return std::min(operand(1), operand(2));
    case Op::Scalar: break;
    default: return unbounded;
    }
    using scalar::OpId;
    switch (value.scalar_op) {
    case OpId::Add: {
      const double a = operand(0), b = operand(1);
      return a > unbounded && b > unbounded ? a + b : unbounded;
    }
    case OpId::Mul: {
      if (value.operands[0] == value.operands[1])
        return 0;
      const double a = operand(0), b = operand(1);
      return a >= 0 && b >= 0 ? a * b : unbounded;
    }
    case OpId::TrueDiv: return operand(0) >= 0 && operand(1) > 0 ? 0 : unbounded;
    case OpId::Sqrt: return std::sqrt(std::max(operand(0), 0.0));
    case OpId::Abs:
    case OpId::Fabs:
    case OpId::Square:
    case OpId::Hypot:
    case OpId::Exp:
    case OpId::Exp2: return 0;
    case OpId::Maximum: return std::max(operand(0), operand(1));
    case OpId::Min:
    case OpId::Minimum:
    case OpId::Fmin: return std::min(operand(0), operand(1));
    case OpId::Max: // of a NaN and a number they may be either
    case OpId::Fmax: {
      double bound = std::min(operand(0), operand(1));
      for (const Value *side : value.operands)
        if (side->op == Op::Const && !std::isnan(side->real))
          bound = std::max(bound, side->real);
      return bound;
    }
    default: return unbounded;
    }
  }

  /// x == c and x < c are false if x > c or x is NaN.
  bool fold_float_compare(Value &value) {
    const Value *right = value.operands[1];
    if (right->op != Op::Const || !value.operands[0]->type->is_float() || !value.type->is_bool())
      return false;
    const double bound = lower_bound(value.operands[0]);
    bool result = false;
    switch (*scalar::row(value.scalar_op).oper) {
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

  // --- loops ---

  std::optional<RangeLoop> counting_loop(const Value &phi) {
    Loop *loop = loops_.of(phi.block);
    if (!loop || loop->header != phi.block)
      return std::nullopt;
    std::optional<RangeLoop> range = find_range(*loop, loops_);
    if (!range || range->index != &phi || range->up || range->step->op != Op::Const)
      return std::nullopt;
    return range;
  }

  Interval phi(const Value &phi) {
    std::optional<RangeLoop> range = counting_loop(phi);
    if (!range)
      return join_operands(phi, nullptr);
    const Interval start = join_operands(phi, loops_.of(phi.block)), bound = of(range->bound);
    const int64_t step = range->step->integer;
    // Python's ranges don't wrap around; steps of the usual size could do so only after years.
    if (range->counts_up() && step > 0 && step <= usual_stride)
      return {start.low, std::max(start.high, saturating(0, Wide(bound.high) - 1 + step).high)};
    if (!range->counts_up() && step < 0 && step >= -usual_stride)
      return {std::min(start.low, saturating(Wide(bound.low) + 1 + step, 0).low), start.high};
    return {};
  }

  /// Of the ways into the loop only, if one is given.
  Interval join_operands(const Value &phi, const Loop *loop) {
    Interval joined{INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < phi.operands.size(); ++i)
      if (!loop || !loops_.contains(*loop, phi.block->preds[i]))
        joined = join(joined, at(phi.operands[i], phi.block->preds[i]));
    return joined;
  }

  /// In the body of a counting loop the index has not reached the bound.
  void refine(Interval &interval, const Value *phi, const Block *block) {
    if (!phi->type->is(ScalarId::Int64) || phi->block == block ||
        phi->block->terminator()->op != Op::Branch)
      return;
    const Block *body = phi->block->succs[0];
    if (body->preds.size() != 1 || !cfg_.dominates(body, block))
      return;
    std::optional<RangeLoop> range = counting_loop(*phi);
    if (!range)
      return;
    const Interval bound = of(range->bound);
    if (range->counts_up() && bound.high > INT64_MIN)
      interval.high = std::min(interval.high, bound.high - 1);
    else if (!range->counts_up() && bound.low < INT64_MAX)
      interval.low = std::max(interval.low, bound.low + 1);
  }

  // --- what it is good for ---

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
      return fold_float_compare(value) || changed;
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
      add_product(sum, a, of_a);
      add_product(sum, b, of_b);
      return at_most(std::move(sum), limit, mod.block);
    };
    const bool not_negative = at(a, mod.block).low >= 0 || product_at_most(a, -1, 0, mod.block);
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
    know(mod, {0, std::max<int64_t>(result.high, 0)});
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
      know(*zero_, {0, 0});
    }
    return zero_;
  }

  Value *constant(int64_t number, const Value &like) {
    Value *made = make_value(function_, Op::Const, types::scalar(ScalarId::Int64), {}, like);
    made->integer = number;
    made->nonneg = number >= 0;
    made->block = function_.blocks[0];
    added_.push_back(made);
    make_room();
    return made;
  }

  Value *insert(const Value &before, Op op, const Type *type,
                std::initializer_list<Value *> operands) {
    Value *made = make_value(function_, op, type, operands, before);
    made->block = before.block;
    made_.emplace_back(&before, made);
    make_room();
    return made;
  }

  void make_room() {
    known_.resize(function_.values.size());
    state_.resize(function_.values.size(), State::New);
  }

  void know(Value &value, Interval interval) {
    value.nonneg = interval.low >= 0;
    known_[value.id] = interval;
    state_[value.id] = State::Done;
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

  // --- indices ---

  /// Parts of one value: each read of a shape is a value of its own.
  static bool is_same(const Value *a, const Value *b) {
    if (a == b)
      return true;
    return a->op == Op::Field && b->op == Op::Field && a->index == b->index &&
           is_same(a->operands[0], b->operands[0]);
  }

  /// Values times factors, plus a constant. Nothing is known of it once a number overflowed.
  struct Sum {
    std::vector<std::pair<const Value *, int64_t>> terms;
    int64_t constant = 0;
    bool known = true;

    void add(int64_t number, int64_t factor) {
      int64_t product = 0;
      known = known && !__builtin_mul_overflow(number, factor, &product) &&
              !__builtin_add_overflow(constant, product, &constant);
    }
    auto term_of(const Value *value) {
      return std::find_if(terms.begin(), terms.end(),
                          [&](const auto &term) { return is_same(term.first, value); });
    }
    void add(const Value *value, int64_t factor) {
      auto term = term_of(value);
      if (term == terms.end())
        terms.emplace_back(value, factor);
      else if (__builtin_add_overflow(term->second, factor, &term->second))
        known = false;
      else if (term->second == 0)
        terms.erase(term);
    }
  };
  static constexpr int deepest = 16;

  /// Adds `factor * value`, taken apart as far as nothing can wrap around.
  void add_product(Sum &sum, const Value *value, int64_t factor, int depth = 0) {
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
                       !of(value).is_full(); // what may wrap around could be anything
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
  bool add_last(Sum &sum, const RangeLoop &range, int64_t factor) {
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

  /// The counting loop that `block` is in the body of and `value` the index.
  std::optional<RangeLoop> loop_around(const Value *value, const Block *block) {
    if (value->op != Op::Phi || !value->type->is(ScalarId::Int64) || value->block == block ||
        value->block->succs.size() != 2)
      return std::nullopt;
    const Block *body = value->block->succs[0];
    if (body->preds.size() != 1 || !cfg_.dominates(body, block))
      return std::nullopt;
    return counting_loop(*value);
  }

  /// Whether the sum is at most `limit` in `block`.
  bool at_most(Sum sum, int64_t limit, const Block *block) {
    // Indices of inner loops first: their bounds may speak of those around.
    for (int k = 0; k < deepest; ++k) {
      std::optional<RangeLoop> innermost;
      for (auto [value, factor] : sum.terms)
        if (std::optional<RangeLoop> range = loop_around(value, block))
          if (!innermost || cfg_.dominates(innermost->index->block, value->block))
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
      const Interval interval = at(value, block);
      const int64_t end = factor > 0 ? interval.high : interval.low;
      if (end == INT64_MIN || end == INT64_MAX)
        return false;
      most += Wide(factor) * end;
    }
    return sum.known && most <= limit;
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
    if (at(index, check.block).low < 0 && !product_at_most(index, -1, 0, check.block))
      return false;
    auto distance = [&](int64_t sign) {
      Sum sum;
      add_product(sum, index, sign);
      add_product(sum, length, -sign);
      return sum;
    };
    const bool inside = at_most(distance(1), -1, check.block);
    if (!inside && (of(length).low < 0 || !at_most(distance(-1), 0, check.block)))
      return false;
    fold(check, !inside);
    return true;
  }

  bool product_at_most(const Value *value, int64_t factor, int64_t limit, const Block *block) {
    Sum sum;
    add_product(sum, value, factor);
    return at_most(std::move(sum), limit, block);
  }

  /// `index < 0` asks whether to count from the end: never in `a[n - 1 - i]`, always in `a[-i -
  /// 1]`.
  bool fold_sign(Value &compare) {
    Value *index = compare.operands[0];
    const Value *zero = compare.operands[1];
    if (zero->op != Op::Const || zero->integer != 0 || index->op == Op::Const)
      return false;
    if (of(index).low < 0 && product_at_most(index, -1, 0, index->block)) {
      index->nonneg = true;
      known_[index->id].low = 0;
      fold(compare, false);
      return true;
    }
    if (of(index).high >= 0 && product_at_most(index, 1, -1, index->block)) {
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
  Cfg cfg_;
  Loops loops_;
  std::unordered_map<const Value *, std::vector<const Block *>> tested_; ///< where values are >= 0
  std::vector<Interval> known_;                                          ///< by value id
  std::vector<State> state_;
  static constexpr double unbounded = -std::numeric_limits<double>::infinity();
  std::vector<double> bounds_; ///< of floats, by value id; NaN: not looked at yet
  std::vector<Value *> added_; ///< constants
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
