// A loop over a range with a step of any size counts how many iterations are left: its index might
// go over the end of int64 instead of reaching the stop. Their number takes a division, and from
// the count nobody sees where the index lies. Where the step is known to be positive and not large
//
//   i = phi(start, i + step); left = phi(range_trips(start, stop, step), left - 1); if (left > 0)
//
// becomes
//
//   i = phi(start, i + step); if (i < stop)
//
// as in `for i in range(cuda.grid(1), n, cuda.gridsize(1))`.
#include "frontend/code.h"
#include "typeinfer/passes/edit.h"
#include "typeinfer/passes/intervals.h"
#include "typeinfer/passes/passes.h"
#include "typeinfer/passes/simplify.h"

#include <algorithm>
#include <optional>

namespace numjit::passes {

using namespace tir;

namespace {

bool is_count(const Value &value) {
  if (value.op != Op::Call || !value.callee->def)
    return false;
  const FunctionDef &def = *value.callee->def;
  return def.promotes_as_numpy && def.code.name == "range_trips" &&
         value.operands[0]->type->is(ScalarId::Int64);
}

class CountedLoop {
public:
  CountedLoop(Function &function, const Loop &loop, const Loops &loops, Intervals &intervals)
      : function_(function), loop_(loop), loops_(loops), intervals_(intervals) {}

  bool run() {
    Block &header = *loop_.header;
    const std::optional<RangeLoop> range = find_range(loop_, loops_);
    if (!range || range->up || range->counts_up() || !range->start || !is_count(*range->start))
      return false;
    const std::vector<Value *> &numbers = range->start->operands; // start, stop, step
    const Interval step = intervals_.at(numbers[2], range->start->block);
    Value *index = index_of(*range);
    if (!index || step.low < 1)
      return false;
    Value *stop = numbers[1];
    if (intervals_.at(stop, range->start->block).high > INT64_MAX - step.high) {
      // Threads that count by their number to the end of int64 would take years.
      if (!counts_threads(*numbers[2]) || !has_room(intervals_.at(numbers[0], range->start->block)))
        return false;
      stop = at_most(INT64_MAX - step.high, stop, *range->start);
    }
    Value *test =
        make_value(function_, Op::Scalar, types::boolean(), {index, stop}, *range->compare);
    test->scalar_op = scalar::by_operator(Operator::Lt)->id;
    test->block = &header;
    header.values.insert(header.values.end() - 1, test);
    header.terminator()->operands[0] = test;
    return true;
  }

private:
  /// The phi that begins at the start and adds the step.
  Value *index_of(const RangeLoop &count) const {
    const Block &header = *loop_.header;
    if (header.terminator()->operands[0] != count.compare || count.bound->op != Op::Const ||
        count.bound->integer != 0 || count.step->op != Op::Const || count.step->integer != -1)
      return nullptr;
    const std::vector<Value *> &numbers = count.start->operands;
    for (size_t i = 0; i < phi_count(header); ++i) {
      Value *phi = header.values[i];
      bool counts = phi->type->is(ScalarId::Int64);
      for (size_t k = 0; counts && k < phi->operands.size(); ++k) {
        const Value *operand = phi->operands[k];
        counts = loops_.contains(loop_, header.preds[k])
                     ? is_operator(operand, Operator::Add) && operand->operands[0] == phi &&
                           operand->operands[1] == numbers[2]
                     : operand == numbers[0];
      }
      if (counts)
        return phi;
    }
    return nullptr;
  }

  /// The lower of the two, in front of `place`.
  Value *at_most(int64_t limit, Value *number, Value &place) {
    Value *most = make_value(function_, Op::Const, types::int64(), {}, place);
    most->integer = limit;
    Value *lower = make_value(function_, Op::Scalar, types::int64(), {number, most}, place);
    lower->scalar_op = scalar::OpId::Min;
    Block &block = *place.block;
    most->block = lower->block = &block;
    block.values.insert(std::ranges::find(block.values, &place), {most, lower});
    return lower;
  }

  Function &function_;
  const Loop &loop_;
  const Loops &loops_;
  Intervals &intervals_;
};

bool has_counts(const Function &function) {
  return std::ranges::any_of(function.blocks, [](const Block *block) {
    return std::ranges::any_of(block->values, [](const Value *value) { return is_count(*value); });
  });
}

} // namespace

void trips(Module &module, const PassOptions &) {
  for (const auto &function : module.functions) {
    if (!has_counts(*function))
      continue;
    const Cfg cfg(*function);
    Loops loops(cfg);
    Intervals intervals(*function);
    bool changed = false;
    for (const Loop &loop : loops.all())
      changed |= CountedLoop(*function, loop, loops, intervals).run();
    if (changed)
      tidy(*function);
  }
}

} // namespace numjit::passes
