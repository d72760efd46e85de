#include "typeinfer/passes/intervals.h"

#include <algorithm>

namespace numjit::tir {

using types::usual_stride;

namespace {

/// Lengths of arrays and lists: far beyond any memory, and there is room to add and subtract.
constexpr int64_t longest = int64_t(1) << 62;

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

Interval join(Interval a, Interval b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }
Interval meet(Interval a, Interval b) { return {std::max(a.low, b.low), std::min(a.high, b.high)}; }

/// The narrower integer that a value was widened from: each use may widen it anew.
const Value *widened_from(const Value *value) {
  const bool is_widened = value->op == Op::Cast && value->type->is(ScalarId::Int64) &&
                          value->operands[0]->type->is_integer() &&
                          value->operands[0]->type->bits() < 64;
  return is_widened ? value->operands[0] : value;
}

/// Lengths as they are read: an array's extent, a list's length.
bool is_length(const Value &value) {
  if (value.op == Op::Load)
    return value.nonneg;
  if (value.op != Op::Field && value.op != Op::FieldAt)
    return false;
  const Value *shape = value.operands[0];
  return shape->op == Op::Field && shape->index == 2 && shape->operands[0]->type->is_array();
}

/// Where `x OPER limit` (`limit OPER x` if turned) holds or does not.
Interval compared(Operator oper, bool turned, bool holds, int64_t limit) {
  if (oper == Operator::Eq)
    return holds ? Interval{limit, limit} : Interval{};
  const bool strict = oper == Operator::Lt || oper == Operator::Gt;
  if (!strict && oper != Operator::Le && oper != Operator::Ge)
    return {};
  const bool less = (oper == Operator::Lt || oper == Operator::Le) != turned;
  const int64_t apart = strict == holds; // whether the limit itself is left out
  if (less == holds)
    return limit < INT64_MIN + apart ? Interval{} : Interval{INT64_MIN, limit - apart};
  return limit > INT64_MAX - apart ? Interval{} : Interval{limit + apart, INT64_MAX};
}

} // namespace

bool has_room(const Interval &start) { return start.high <= INT64_MAX - longest / 4; }

std::pair<Wide, Wide> product(Interval a, Interval b) {
  const Wide corners[] = {Wide(a.low) * b.low, Wide(a.low) * b.high, Wide(a.high) * b.low,
                          Wide(a.high) * b.high};
  return {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
}

const Value *returned_value(const Value &value) {
  const bool is_part = value.op == Op::Field && value.operands[0]->op == Op::Call;
  const Value &call = is_part ? *value.operands[0] : value;
  if (call.op != Op::Call || call.callee->blocks.size() != 1)
    return nullptr;
  const Value *end = call.callee->blocks[0]->terminator();
  if (end->op != Op::Return || end->operands.empty())
    return nullptr;
  const Value *result = end->operands[0];
  if (!is_part)
    return result;
  return result->op == Op::Struct ? result->operands[static_cast<size_t>(value.index)] : nullptr;
}

/// Of the numbers that say where a thread is, by what launches there can be.
static std::optional<Interval> place_in_launch(const Value &value) {
  constexpr int64_t threads = 1024, blocks = INT32_MAX;
  const Value *named = returned_value(value);
  const Value &place = named ? *named : value;
  if (place.op != Op::Device)
    return std::nullopt;
  switch (place.device_op) {
  case DeviceOp::ThreadIdxX:
  case DeviceOp::ThreadIdxY:
  case DeviceOp::ThreadIdxZ: return Interval{0, threads - 1};
  case DeviceOp::BlockIdxX:
  case DeviceOp::BlockIdxY:
  case DeviceOp::BlockIdxZ: return Interval{0, blocks - 1};
  case DeviceOp::BlockDimX:
  case DeviceOp::BlockDimY:
  case DeviceOp::BlockDimZ: return Interval{1, threads};
  case DeviceOp::GridDimX:
  case DeviceOp::GridDimY:
  case DeviceOp::GridDimZ: return Interval{1, blocks};
  default: return std::nullopt;
  }
}

bool counts_threads(const Value &value, int depth) {
  if (--depth < 0)
    return false;
  if (value.op == Op::Cast)
    return counts_threads(*value.operands[0], depth);
  if (value.op == Op::IndexMul || is_operator(&value, Operator::Mul))
    return counts_threads(*value.operands[0], depth) && counts_threads(*value.operands[1], depth);
  if (const std::optional<Interval> place = place_in_launch(value))
    return place->low == 1;
  const Value *returned = returned_value(value);
  return returned && counts_threads(*returned, depth);
}

bool is_same(const Value *a, const Value *b) {
  if (a == b)
    return true;
  return a->op == Op::Field && b->op == Op::Field && a->index == b->index &&
         is_same(a->operands[0], b->operands[0]);
}

Intervals::Intervals(const Function &function, int callees)
    : cfg_(function), loops_(cfg_), callees_(callees), known_(function.values.size()),
      state_(function.values.size(), State::New) {
  for (const Block *block : cfg_.order())
    note_test(*block);
}

void Intervals::make_room(const Value &value) {
  if (value.id < known_.size())
    return;
  known_.resize(value.id + 1);
  state_.resize(value.id + 1, State::New);
}

void Intervals::know(Value &value, Interval interval) {
  make_room(value);
  value.nonneg = interval.low >= 0;
  known_[value.id] = interval;
  state_[value.id] = State::Done;
}

Interval Intervals::at(const Value *value, const Block *block) {
  Interval interval = of(value);
  if (value->op == Op::Phi)
    Intervals::refine(interval, value, block);
  if (const auto tests = tested_.find(widened_from(value)); tests != tested_.end())
    for (const auto &[fine, known] : tests->second) {
      const Interval both = meet(interval, known);
      if (!both.is_empty() && (both.low > interval.low || both.high < interval.high) &&
          cfg_.dominates(fine, block))
        interval = both;
    }
  if (interval.low < 1)
    interval.low = std::max(interval.low, least_above(value, block));
  interval.high = std::max(interval.high, interval.low);
  if (interval.low < 1 && (value->op == Op::Field || value->op == Op::Param))
    interval.low = std::max(interval.low, least_in_loops(value, block));
  return interval;
}

/// By comparisons with variables that are known. Others are not computed for this: what asks may
/// be what they depend on.
int64_t Intervals::least_above(const Value *value, const Block *block) {
  int64_t least = INT64_MIN;
  const auto tests = above_.find(value);
  if (tests == above_.end())
    return least;
  for (const auto &[tested, other, strict] : tests->second)
    if (other->id < state_.size() && (running_ == 0 || state_[other->id] == State::Done) &&
        cfg_.dominates(tested, block))
      least = std::max(least, saturating(Wide(of(other).low) + strict, 0).low);
  return least;
}

/// In the body of `for i in range(n)`, n is at least 1.
int64_t Intervals::least_in_loops(const Value *bound, const Block *block) {
  for (const Loop *loop = loops_.of(block); loop; loop = loop->parent)
    for (const Value *phi : loop->header->values) {
      if (phi->op != Op::Phi)
        break;
      const std::optional<RangeLoop> range = loop_around(phi, block);
      if (range && range->counts_up() && range->step->integer > 0 && is_same(range->bound, bound) &&
          range->start && range->start->op == Op::Const && range->start->integer >= 0)
        return range->start->integer + 1;
    }
  return INT64_MIN;
}

/// What a block tests, where one way leads on.
void Intervals::note_test(const Block &block) {
  const Value &end = *block.terminator();
  if (end.op != Op::Branch || block.succs[0] == block.succs[1])
    return;
  for (size_t i : {0, 1})
    if (block.succs[i]->preds.size() == 1)
      note_condition(*end.operands[0], *block.succs[i], i == 0);
}

/// Comparisons with constants (`n < 0` of lengths, `0 <= k` of an index that is tested), and with
/// lengths: `j < len(a)`.
void Intervals::note_condition(const Value &condition, const Block &block, bool holds) {
  if (condition.op != Op::Scalar || condition.operands.size() != 2)
    return;
  const Value *left = condition.operands[0], *right = condition.operands[1];
  if (holds && is_operator(&condition, Operator::And) && condition.type->is_bool()) {
    note_condition(*left, block, true);
    note_condition(*right, block, true);
    return;
  }
  const std::optional<Operator> oper = scalar::row(condition.scalar_op).oper;
  if (!oper || !left->type->is(ScalarId::Int64) || !right->type->is(ScalarId::Int64))
    return;
  const bool turned = left->op == Op::Const || (right->op != Op::Const && is_length(*left));
  if (turned)
    std::swap(left, right);
  if (left->op != Op::Const && right->op != Op::Const)
    note_order(*oper, turned ? right : left, turned ? left : right, block, holds);
  if (left->op == Op::Const || (right->op != Op::Const && !is_length(*right)))
    return;
  const Interval where =
      compared(*oper, turned, holds, right->op == Op::Const ? right->integer : longest);
  // What is less than a length is less than the greatest; no more is known.
  const bool says = right->op == Op::Const || where.low == INT64_MIN;
  if (says && !where.is_full() && !where.is_empty())
    tested_[widened_from(left)].push_back({&block, where});
}

/// Comparisons of two variables: `product > best`.
void Intervals::note_order(Operator oper, const Value *left, const Value *right, const Block &block,
                           bool holds) {
  const bool strict = oper == Operator::Lt || oper == Operator::Gt;
  if (!strict && oper != Operator::Le && oper != Operator::Ge)
    return;
  if ((oper == Operator::Lt || oper == Operator::Le) == holds)
    std::swap(left, right);
  above_[left].push_back({&block, right, strict == holds});
}

/// Whether a test says that `value` is no less than `other`: in `j - gap` behind `j >= gap`.
bool Intervals::is_above(const Value *value, const Value *other, const Block *block) const {
  const auto tests = above_.find(value);
  return tests != above_.end() &&
         std::any_of(tests->second.begin(), tests->second.end(), [&](const Above &test) {
           return test.other == other && cfg_.dominates(test.block, block);
         });
}

Interval Intervals::of(const Value *value) {
  make_room(*value);
  if (state_[value->id] == State::Running)
    return {};
  if (state_[value->id] == State::New) {
    state_[value->id] = State::Running;
    ++running_;
    Interval interval = compute(*value);
    if (value->nonneg && value->type->is(ScalarId::Int64))
      interval.low = std::max<int64_t>(interval.low, 0),
      interval.high = std::max(interval.high, interval.low);
    known_[value->id] = interval;
    state_[value->id] = State::Done;
    if (--running_ == 0)
      hasty_.clear();
    else if (interval.low < 0)
      hasty_.push_back(value);
  }
  return known_[value->id];
}

Interval Intervals::compute(const Value &value) {
  if (!value.type->is(ScalarId::Int64))
    return of_type(value.type);
  auto operand = [&](size_t i) { return at(value.operands[i], value.block); };
  switch (value.op) {
  case Op::Const: return {value.integer, value.integer};
  case Op::Cast: return of_type(value.operands[0]->type, value.operands[0]);
  case Op::Select: return join(operand(1), operand(2));
  case Op::Field:
  case Op::FieldAt:
  case Op::Load: return is_length(value) ? Interval{0, longest} : Interval{};
  case Op::IndexAdd: {
    Interval a = operand(0), b = operand(1);
    return saturating(Wide(a.low) + b.low, Wide(a.high) + b.high);
  }
  case Op::IndexMul: {
    auto [low, high] = product(operand(0), operand(1));
    return saturating(low, high);
  }
  case Op::Scalar: return Intervals::scalar_operation(value);
  case Op::Phi: return Intervals::phi(value);
  case Op::Call: return Intervals::returned(value);
  default: return {};
  }
}

/// By what the function returns whatever its arguments are.
Interval Intervals::returned(const Value &value) {
  const Value *result = callees_ > 0 ? returned_value(value) : nullptr;
  return result ? Intervals(*value.callee, callees_ - 1).at(result, result->block) : Interval{};
}

Interval Intervals::of_type(const Type *type, const Value *value) {
  if (value && type->is(ScalarId::Int64))
    return of(value);
  if (const std::optional<Interval> place = value ? place_in_launch(*value) : std::nullopt)
    return *place;
  if (type->is_bool())
    return {0, 1};
  if (!type->is_integer() || type->bits() == 64)
    return {};
  const int64_t count = int64_t(1) << type->bits();
  return type->is_signed() ? Interval{-count / 2, count / 2 - 1} : Interval{0, count - 1};
}

Interval Intervals::scalar_operation(const Value &value) {
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
  case Operator::Sub: {
    const Interval difference = wrapping(Wide(a.low) - b.high, Wide(a.high) - b.low);
    if (difference.low >= 0)
      return difference;
    if (Intervals::is_distance(value))
      return {0, std::max<int64_t>(difference.high, 0)};
    if (b.low >= 0 && is_above(value.operands[0], value.operands[1], value.block))
      return {0, std::max<int64_t>(a.high - b.low, 0)};
    return difference;
  }
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

/// The loop that ends by comparing the phi.
std::optional<RangeLoop> Intervals::indexed_loop(const Value &phi) {
  Loop *loop = loops_.of(phi.block);
  if (!loop || loop->header != phi.block)
    return std::nullopt;
  std::optional<RangeLoop> range = find_range(*loop, loops_);
  return range && range->index == &phi && !range->up ? range : std::nullopt;
}

std::optional<RangeLoop> Intervals::counting_loop(const Value &phi) {
  std::optional<RangeLoop> range = indexed_loop(phi);
  return range && range->step->op == Op::Const ? range : std::nullopt;
}

/// A loop that counts up by a step that is no constant, but positive, and reaches its bound before
/// it overflows: threads that go on by their number would take years to.
std::optional<RangeLoop> Intervals::loop_by_steps(const Value &phi) {
  std::optional<RangeLoop> range = indexed_loop(phi);
  if (!range || !range->counts_up() || range->step->op == Op::Const)
    return std::nullopt;
  const Interval step = of(range->step);
  if (step.low < 1)
    return std::nullopt;
  const bool ends = of(range->bound).high <= INT64_MAX - step.high;
  return ends || (counts_threads(*range->step) &&
                  has_room(join_operands(phi, loops_.of(phi.block))))
             ? range
             : std::nullopt;
}

/// How far a loop has come or has to go: `i - low` in `for i in range(low, high)`, whose overflow
/// takes years.
bool Intervals::is_distance(const Value &difference) {
  const Value *from = difference.operands[0], *to = difference.operands[1];
  auto is_usual = [](const RangeLoop &range) {
    const int64_t step = range.step->integer;
    return range.counts_up() ? step > 0 && step <= usual_stride : step < 0 && step >= -usual_stride;
  };
  auto is_start = [&](const Value *index, const Value *other, bool upwards) {
    const std::optional<RangeLoop> range =
        index->op == Op::Phi ? counting_loop(*index) : std::nullopt;
    return range && is_usual(*range) && range->counts_up() == upwards && range->start &&
           is_same(range->start, other);
  };
  auto is_bound = [&](const Value *index, const Value *other, bool upwards) {
    const std::optional<RangeLoop> range = loop_around(index, difference.block);
    if (!range || !is_usual(*range) || range->counts_up() != upwards || !range->fixed_bound)
      return false;
    const Value *bound = range->bound; // range(n, other - 1, -1) reaches `other`
    const bool less = !upwards && bound->operands.size() == 2 &&
                      bound->operands[1]->op == Op::Const && is_same(bound->operands[0], other) &&
                      ((is_operator(bound, Operator::Sub) && bound->operands[1]->integer == 1) ||
                       (bound->op == Op::IndexAdd && bound->operands[1]->integer == -1));
    return less || is_same(bound, other);
  };
  return is_start(from, to, true) || is_start(to, from, false) || is_bound(from, to, false) ||
         is_bound(to, from, true);
}

/// Where a variable starts that other phis and small constants of one sign are added to only, in
/// loops around each other. What changes it in other ways counts as a start.
Interval Intervals::start_of_drift(const Value &phi, bool up) {
  constexpr int64_t most = 16;
  Interval start{INT64_MAX, INT64_MIN};
  std::vector<const Value *> seen = {&phi};
  for (size_t i = 0; i < seen.size(); ++i)
    for (size_t k = 0; k < seen[i]->operands.size(); ++k) {
      const Value *value = seen[i]->operands[k];
      while (value->op == Op::IndexAdd || is_operator(value, Operator::Add) ||
             is_operator(value, Operator::Sub)) {
        const Value *constant = value->operands[1];
        if (constant->op != Op::Const || constant->integer < -most || constant->integer > most)
          break;
        const bool less = is_operator(value, Operator::Sub);
        const int64_t step = less ? -constant->integer : constant->integer;
        if (up ? step < 0 : step > 0)
          break;
        value = value->operands[0];
      }
      if (value->op != Op::Phi)
        start = join(start, at(value, seen[i]->block->preds[k]));
      else if (std::find(seen.begin(), seen.end(), value) == seen.end())
        seen.push_back(value);
    }
  return start;
}

Interval Intervals::phi(const Value &phi) {
  std::optional<RangeLoop> range = counting_loop(phi);
  if (!range && (range = loop_by_steps(phi))) {
    const Interval start = join_operands(phi, loops_.of(phi.block)), bound = of(range->bound);
    return {start.low,
            std::max(start.high, saturating(0, Wide(bound.high) + of(range->step).high - 1).high)};
  }
  if (!range) {
    // What was computed before the phi was known is computed anew when it is asked for again.
    auto forget = [&, hasty = hasty_.size()] {
      for (; hasty_.size() > hasty; hasty_.pop_back())
        state_[hasty_.back()->id] = State::New;
    };
    // A variable that only grows, by so little that half of the room left takes years:
    // `i = j; while a[j] == a[i]: j += 1`; one that only falls.
    Interval joined = Intervals::join_operands(phi, nullptr);
    if (joined.low < 0 || joined.high == INT64_MAX)
      if (const Interval start = start_of_drift(phi, true); start.low >= 0 && has_room(start)) {
        forget();
        return {0, start.high + (INT64_MAX - start.high) / 2};
      }
    if (joined.high == INT64_MAX)
      if (const Interval start = start_of_drift(phi, false); has_room(start))
        joined.high = std::max(start.high, joined.low);
    if (joined.low < 0 && stays_not_negative(phi)) {
      forget();
      joined = {0, std::max<int64_t>(joined.high, 0)};
    }
    return joined;
  }
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
Interval Intervals::join_operands(const Value &phi, const Loop *loop) {
  Interval joined{INT64_MAX, INT64_MIN};
  for (size_t i = 0; i < phi.operands.size(); ++i)
    if (!loop || !loops_.contains(*loop, phi.block->preds[i]))
      joined = join(joined, at(phi.operands[i], phi.block->preds[i]));
  return joined;
}

/// In the body of a counting loop the index has not reached the bound.
void Intervals::refine(Interval &interval, const Value *phi, const Block *block) {
  if (!phi->type->is(ScalarId::Int64) || phi->block == block ||
      phi->block->terminator()->op != Op::Branch)
    return;
  const Block *body = phi->block->succs[0];
  if (body->preds.size() != 1 || !cfg_.dominates(body, block))
    return;
  std::optional<RangeLoop> range = counting_loop(*phi);
  if (!range)
    range = loop_by_steps(*phi);
  if (!range)
    return;
  const Interval bound = of(range->bound);
  if (range->counts_up() && bound.high > INT64_MIN)
    interval.high = std::min(interval.high, bound.high - 1);
  else if (!range->counts_up() && bound.low < INT64_MAX)
    interval.low = std::max(interval.low, bound.low + 1);
}

std::optional<RangeLoop> Intervals::loop_around(const Value *value, const Block *block) {
  if (value->op != Op::Phi || !value->type->is(ScalarId::Int64) || value->block == block ||
      value->block->succs.size() != 2)
    return std::nullopt;
  const Block *body = value->block->succs[0];
  if (body->preds.size() != 1 || !cfg_.dominates(body, block))
    return std::nullopt;
  return counting_loop(*value);
}

} // namespace numjit::tir
