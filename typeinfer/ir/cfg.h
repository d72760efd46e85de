// What passes need of the control flow graph: an order, dominators, loops. Each user computes it
// again; graphs are small.
#pragma once

#include "typeinfer/ir/typed_ir.h"

#include <deque>
#include <vector>

namespace numjit::tir {

/// Reachable blocks in reverse postorder with their dominator tree.
class Cfg {
public:
  explicit Cfg(const Function &function);

  const std::vector<Block *> &order() const { return order_; }
  bool reachable(const Block *block) const { return index_[block->id] >= 0; }
  /// Place in order(); the block must be reachable.
  int index(const Block *block) const { return index_[block->id]; }
  /// nullptr for the entry.
  Block *immediate_dominator(const Block *block) const;
  /// Every block dominates itself. Both must be reachable.
  bool dominates(const Block *a, const Block *b) const;

private:
  void find_order(const Function &function);
  void find_dominators();

  std::vector<Block *> order_;
  std::vector<int> index_;         ///< by block id, -1: unreachable
  std::vector<int> dominator_;     ///< by place in the order
  std::vector<int> enter_, leave_; ///< interval of the block's subtree in the dominator tree
};

/// A natural loop: one header, all back edges to it.
struct Loop {
  Block *header = nullptr;
  Loop *parent = nullptr;
  std::vector<Loop *> children;
  std::vector<Block *> blocks;  ///< inner loops' blocks included, in reverse postorder
  std::vector<Block *> latches; ///< predecessors of the header inside

  bool contains(const Loop *other) const {
    for (; other; other = other->parent)
      if (other == this)
        return true;
    return false;
  }
};

class Loops {
public:
  explicit Loops(const Cfg &cfg);
  /// Inner loops before the loops around them.
  std::deque<Loop> &all() { return loops_; }
  /// The innermost loop around a block, nullptr outside of loops.
  Loop *of(const Block *block) const { return innermost_[static_cast<size_t>(cfg_.index(block))]; }
  bool contains(const Loop &loop, const Block *block) const {
    return cfg_.reachable(block) && loop.contains(of(block));
  }

private:
  const Cfg &cfg_;
  std::deque<Loop> loops_;
  std::vector<Loop *> innermost_; ///< by place in the order
};

} // namespace numjit::tir
