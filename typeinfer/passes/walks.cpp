// Loops that don't count up to a bound, but end soon all the same.
#include "typeinfer/passes/intervals.h"

#include <algorithm>

namespace numjit::tir {

namespace {

bool in_every_iteration(const Block *block, const Loop &loop, const Cfg &cfg) {
  return std::all_of(loop.latches.begin(), loop.latches.end(),
                     [&](const Block *latch) { return cfg.dominates(block, latch); });
}

/// What a phi of the header is in the next iteration; nullptr if that differs between the ways.
const Value *next_of(const Value *phi, const Loop &loop, const Loops &loops) {
  const Value *next = nullptr;
  for (size_t i = 0; i < phi->operands.size(); ++i) {
    if (!loops.contains(loop, loop.header->preds[i]))
      continue;
    if (next && next != phi->operands[i])
      return nullptr;
    next = phi->operands[i];
  }
  return next;
}

bool is_const(const Value *value, int64_t least) {
  return value->op == Op::Const && value->type->is_integer() && value->integer >= least;
}

// --- steps through memory ---

/// How a value changes from one iteration to the next.
enum class Change : uint8_t { None, Steps, Other };

class Walk {
public:
  Walk(const Value *phi, const Loop &loop, const Loops &loops)
      : phi_(phi), loop_(loop), loops_(loops) {}

  bool steps(const Value *address) const { return change(address, 12) == Change::Steps; }

private:
  Change change(const Value *value, int depth) const {
    if (value == phi_)
      return Change::Steps;
    if (!loops_.contains(loop_, value->block))
      return Change::None;
    if (depth == 0 || effect_of(*value) != Effect::Pure || value->op == Op::Phi)
      return Change::Other;
    size_t steps = 0, count = value->operands.size();
    for (size_t i = value->op == Op::Select ? 1 : 0; i < count; ++i) {
      const Change operand = change(value->operands[i], depth - 1);
      if (operand == Change::Other)
        return Change::Other;
      steps += operand == Change::Steps;
    }
    if (value->op == Op::Select) // an index that may count from the end
      return steps == 2 ? Change::Steps : Change::Other;
    if (steps == 0)
      return Change::None;
    const bool is_sum = value->op == Op::IndexAdd || value->op == Op::IndexMul ||
                        value->op == Op::PtrAdd || is_operator(value, Operator::Add) ||
                        is_operator(value, Operator::Sub);
    return is_sum && steps == 1 ? Change::Steps : Change::Other;
  }

  const Value *phi_;
  const Loop &loop_;
  const Loops &loops_;
};

/// The constant that an iteration adds to a variable; 0 if there is none.
int64_t step_of(const Value *next, const Value *phi) {
  const bool sum = next->op == Op::IndexAdd || is_operator(next, Operator::Add);
  if (!sum && !is_operator(next, Operator::Sub))
    return 0;
  const Value *step = next->operands[0] == phi          ? next->operands[1]
                      : sum && next->operands[1] == phi ? next->operands[0]
                                                        : nullptr;
  if (!step || step->op != Op::Const || step->integer == INT64_MIN)
    return 0;
  return sum ? step->integer : -step->integer;
}

// --- numbers that shrink ---

/// The number that the loop goes on with only where it is not 0; where it may be below 0,
/// `positive` says that it also ends there.
const Value *tested_number(const Block &block, const Loop &loop, const Loops &loops,
                           bool &positive) {
  const Value *end = block.terminator();
  if (end->op != Op::Branch || !loops.contains(loop, block.succs[0]) ||
      loops.contains(loop, block.succs[1]))
    return nullptr;
  const Value *condition = end->operands[0];
  positive = is_operator(condition, Operator::Gt);
  if (condition->op == Op::Cast)
    return condition->operands[0];
  const bool with_zero = (positive || is_operator(condition, Operator::Ne)) &&
                         is_const(condition->operands[1], 0) &&
                         condition->operands[1]->integer == 0;
  return with_zero ? condition->operands[0] : nullptr;
}

bool takes_lowest_bit(const Value *next, const Value *phi) {
  if (!is_operator(next, Operator::And))
    return false;
  for (size_t i : {0, 1}) {
    const Value *less = next->operands[1 - i];
    if (next->operands[i] != phi || less->operands.size() != 2 || less->operands[0] != phi ||
        less->operands[1]->op != Op::Const)
      continue;
    const bool sum = less->op == Op::IndexAdd || is_operator(less, Operator::Add);
    if (less->operands[1]->integer == (sum ? -1 : 1) && (sum || is_operator(less, Operator::Sub)))
      return true;
  }
  return false;
}

/// Limit for one phi, `next` being what it becomes.
std::optional<uint64_t> trips_of(const Value *phi, const Value *next, bool positive,
                                 const Loop &loop, const Loops &loops) {
  constexpr uint64_t bits = 64, euclid = 93; // Fibonacci numbers in 64 bits
  if (takes_lowest_bit(next, phi))
    return bits;
  if (next->op != Op::Scalar || next->operands.size() != 2)
    return std::nullopt;
  // Below 0, // and >> stay at -1.
  const bool ends = positive || phi->nonneg || !phi->type->is_signed();
  if (next->operands[0] == phi && ends &&
      ((is_operator(next, Operator::RShift) && is_const(next->operands[1], 1)) ||
       (is_operator(next, Operator::FloorDiv) && is_const(next->operands[1], 2))))
    return bits;
  const Value *dividend = next->operands[0];
  if (is_operator(next, Operator::Mod) && next->operands[1] == phi && dividend->op == Op::Phi &&
      dividend->block == loop.header && next_of(dividend, loop, loops) == phi)
    return euclid;
  return std::nullopt;
}

} // namespace

bool walks_memory(const Loop &loop, const Loops &loops, const Cfg &cfg) {
  for (const Value *phi : loop.header->values) {
    if (phi->op != Op::Phi)
      break;
    const Value *next = phi->type->is(ScalarId::Int64) ? next_of(phi, loop, loops) : nullptr;
    if (!next || step_of(next, phi) == 0)
      continue;
    const Walk walk(phi, loop, loops);
    for (const Block *block : loop.blocks)
      if (in_every_iteration(block, loop, cfg))
        for (const Value *value : block->values)
          if ((value->op == Op::Load || value->op == Op::Store) &&
              value->alias == Alias::ArrayData && walk.steps(value->operands[0]))
            return true;
  }
  return false;
}

/// Limit by one test that keeps the loop going while `a OPER b`.
static std::optional<uint64_t> trips_by_test(const Value &test, bool holds, const Block &block,
                                             const Loop &loop, const Loops &loops,
                                             Intervals &intervals) {
  const bool up = is_operator(&test, holds ? Operator::Lt : Operator::Ge) ||
                  is_operator(&test, holds ? Operator::Le : Operator::Gt);
  const bool down = is_operator(&test, holds ? Operator::Gt : Operator::Le) ||
                    is_operator(&test, holds ? Operator::Ge : Operator::Lt);
  const Value *phi = test.operands[0];
  if ((!up && !down) || !phi->type->is(ScalarId::Int64))
    return std::nullopt;
  if (phi->op != Op::Phi && !phi->operands.empty()) // j - 1, which the next iteration begins with
    phi = phi->operands[phi->operands[0]->op == Op::Const && phi->operands.size() == 2 ? 1 : 0];
  const Value *next =
      phi->op == Op::Phi && phi->block == loop.header ? next_of(phi, loop, loops) : nullptr;
  if (!next || (test.operands[0] != phi && test.operands[0] != next))
    return std::nullopt;
  const int64_t step = step_of(next, phi);
  constexpr int64_t large = int64_t(1) << 32; // what is computed of less does not wrap around
  const Interval end = intervals.at(test.operands[1], &block);
  const int64_t last = up ? end.high : end.low;
  if ((up ? step <= 0 : step >= 0) || step > large || step < -large || last > large ||
      last < -large)
    return std::nullopt;
  int64_t distance = 0;
  for (size_t i = 0; i < phi->operands.size(); ++i) {
    const Block *pred = loop.header->preds[i];
    if (loops.contains(loop, pred))
      continue;
    const Interval start = intervals.at(phi->operands[i], pred);
    const int64_t first = up ? start.low : start.high;
    if (first > large || first < -large)
      return std::nullopt;
    distance = std::max(distance, up ? last - first : first - last);
  }
  return static_cast<uint64_t>(distance / std::abs(step) + 2);
}

std::optional<uint64_t> counted_trips(const Loop &loop, const Loops &loops, const Cfg &cfg,
                                      Intervals &intervals) {
  std::optional<uint64_t> least;
  for (const Block *block : loop.blocks) {
    const Value *end = block->terminator();
    if (end->op != Op::Branch || end->operands[0]->op != Op::Scalar ||
        end->operands[0]->operands.size() != 2 || !in_every_iteration(block, loop, cfg))
      continue;
    const bool stays = loops.contains(loop, block->succs[0]);
    if (stays == loops.contains(loop, block->succs[1]))
      continue;
    const auto trips = trips_by_test(*end->operands[0], stays, *block, loop, loops, intervals);
    if (trips && (!least || *trips < *least))
      least = trips;
  }
  return least;
}

std::optional<uint64_t> shrinking_trips(const Loop &loop, const Loops &loops, const Cfg &cfg) {
  for (const Block *block : loop.blocks) {
    bool positive = false;
    const Value *tested = in_every_iteration(block, loop, cfg)
                              ? tested_number(*block, loop, loops, positive)
                              : nullptr;
    if (!tested || !tested->type->is_integer())
      continue;
    for (const Value *phi : loop.header->values) {
      if (phi->op != Op::Phi)
        break;
      const Value *next = phi->type == tested->type ? next_of(phi, loop, loops) : nullptr;
      if (next && (tested == phi || tested == next))
        if (std::optional<uint64_t> trips = trips_of(phi, next, positive, loop, loops))
          return trips;
    }
  }
  return std::nullopt;
}

} // namespace numjit::tir
