// Checks that are the same in all iterations go in front of their loops. In
//
//   for p in range(n):
//     for q in range(m):
//       total += a[c, q]
//
// whether `c` is inside of `a` is tested once, if there is an iteration: `0 < m and c >= len(a)`,
// and then once more in front of the outer loop. LLVM moves such a test out of an innermost loop;
// further out other tests prevent that.
//
// Only tests that the first iteration reaches in any case are moved, and only if there are no side
// effects before them, so that a failing program has the same effects and the same exception.
#include "typeinfer/passes/edit.h"
#include "typeinfer/passes/passes.h"
#include "typeinfer/passes/range_loop.h"

#include <algorithm>
#include <unordered_map>

namespace numjit::passes {

using namespace tir;

namespace {

/// A block that does nothing but raise, to the caller: a handler in the function would see the
/// variables as they are in front of the loop.
bool is_raise(const Block &block) {
  return block.terminator()->op == Op::Raise && block.succs.empty() && block.preds.size() == 1;
}

bool is_quiet(const Value &value) {
  const Effect effect = effect_of(value);
  return (effect == Effect::Pure || effect == Effect::Reads) && !can_raise(value);
}

/// Whether two values are computed alike from the same values.
bool is_alike(const Value *a, const Value *b, int depth = 3) {
  if (a == b)
    return true;
  if (depth == 0 || a->op != b->op || a->type != b->type)
    return false;
  if (a->op == Op::Const)
    return a->type->is_integer() && a->integer == b->integer;
  return a->op == Op::Scalar && a->scalar_op == b->scalar_op &&
         std::ranges::equal(a->operands, b->operands, [&](const Value *x, const Value *y) {
           return is_alike(x, y, depth - 1);
         });
}

class Checks {
public:
  explicit Checks(Function &function) : function_(function), cfg_(function), loops_(cfg_) {}

  void run() {
    for (Loop &loop : loops_.all()) // what leaves a loop is part of the loop around it
      if (std::optional<RangeLoop> range = find_range(loop, loops_); range && enters(loop, *range))
        take_out(loop, *range);
  }

private:
  /// Whether we know what its header decides at the first time, and where the loop is entered.
  bool enters(const Loop &loop, const RangeLoop &range) {
    const Block &header = *loop.header;
    if (range.up || !range.start || !range.fixed_bound || !is_quiet_block(header) ||
        header.terminator()->operands[0] != range.compare)
      return false;
    before_ = cfg_.immediate_dominator(&header);
    return before_->terminator()->op == Op::Jump; // to the header, which is entered from there only
  }

  static bool is_quiet_block(const Block &block) {
    return std::all_of(block.values.begin(), block.values.end() - 1,
                       [](const Value *value) { return is_quiet(*value); });
  }

  Loop *loop_of(const Block &block) {
    const auto made = made_.find(&block);
    return made == made_.end() ? loops_.of(&block) : made->second;
  }

  /// Follows the first iteration as far as there is one way.
  void take_out(Loop &loop, const RangeLoop &range) {
    entry_ = before_;
    Block *block = loop.header->succs[0];
    while (block->preds.size() == 1 && loop_of(*block) == &loop && is_quiet_block(*block)) {
      const Value &end = *block->terminator();
      if (end.op == Op::Branch && is_raise(*block->succs[0]) &&
          block->succs[0] != block->succs[1]) {
        Block *next = block->succs[1];
        if (!may_leave(*block, loop))
          return;
        move_check(*block, loop, range);
        block = next;
      } else if (end.op == Op::Jump) {
        block = block->succs[0];
      } else {
        return;
      }
    }
  }

  bool may_leave(const Block &block, const Loop &loop) {
    if (!is_invariant(block.terminator()->operands[0], loop, loops_))
      return false;
    const Block &raise = *block.succs[0];
    return std::ranges::all_of(raise.values, [&](const Value *value) {
      return (value == raise.terminator() || is_quiet(*value)) &&
             std::ranges::all_of(value->operands, [&](const Value *operand) {
               return operand->block == &raise || is_invariant(operand, loop, loops_);
             });
    });
  }

  /// Values go to the block that was in front of the loop before we came; tests stand behind each
  /// other between it and the header.
  void move_check(Block &block, const Loop &loop, const RangeLoop &range) {
    Block &raise = *block.succs[0], &next = *block.succs[1];
    if (entry_->terminator()->op != Op::Jump) {
      Block *made = split_edge(function_, *entry_, *loop.header);
      made_[made] = loop_of(*before_);
      entry_ = made;
    }
    Value *check = block.terminator();
    auto lift = [&](Value *value) {
      hoist(value, loop, loops_, *before_);
      return value;
    };
    for (Value *value : raise.values)
      for (Value *operand : value->operands)
        if (operand->block != &raise)
          lift(operand);
    Value *outside = lift(check->operands[0]);
    Value *runs = make_value(function_, Op::Scalar, types::boolean(),
                             {lift(range.start), lift(range.bound)}, *check);
    runs->scalar_op = range.compare->scalar_op;
    Value *both = make_value(function_, Op::Scalar, types::boolean(), {runs, outside}, *check);
    both->scalar_op = scalar::OpId::And;
    for (Value *value : {runs, both}) {
      value->block = before_;
      before_->values.insert(before_->values.end() - 1, value);
    }
    check->operands[0] = both;
    drop_alike(*outside, loop, *check);
    // The two blocks exchange how they end.
    std::swap(entry_->values.back(), block.values.back());
    entry_->values.back()->block = entry_;
    block.values.back()->block = &block;
    entry_->succs = {&raise, loop.header};
    raise.preds = {entry_};
    block.succs = {&next};
  }

  /// The same test anywhere else in the loop is known not to hold: of two remainders by one number,
  /// that of the second. It is tested before the loop now, and does not change in it.
  void drop_alike(const Value &test, const Loop &loop, const Value &check) {
    for (Block *block : loop.blocks) {
      Value *end = block->terminator();
      if (end == &check || end->op != Op::Branch || !is_raise(*block->succs[0]) ||
          !is_alike(end->operands[0], &test))
        continue;
      Value *never = make_value(function_, Op::Const, types::boolean(), {}, *end);
      never->block = block;
      block->values.insert(block->values.end() - 1, never);
      end->operands[0] = never;
    }
  }

  Function &function_;
  Cfg cfg_;
  Loops loops_;
  Block *before_ = nullptr; ///< the loop that is being looked at, as it was
  Block *entry_ = nullptr;  ///< the last one before its header now
  std::unordered_map<const Block *, Loop *> made_;
};

} // namespace

void checks(Module &module, const PassOptions &) {
  for (const auto &function : module.functions)
    Checks(*function).run();
}

} // namespace numjit::passes
