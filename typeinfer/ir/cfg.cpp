#include "typeinfer/ir/cfg.h"

#include <algorithm>

namespace numjit::tir {

Cfg::Cfg(const Function &function) {
  find_order(function);
  find_dominators();
}

void Cfg::find_order(const Function &function) {
  index_.assign(function.arena_blocks.size(), -1);
  // Depth first with an explicit stack: generated code nests deeply.
  std::vector<std::pair<Block *, size_t>> stack = {{function.blocks[0], 0}};
  index_[function.blocks[0]->id] = 0;
  while (!stack.empty()) {
    auto &[block, next] = stack.back();
    if (next < block->succs.size()) {
      // Last successor first, so that the first one comes first in the order.
      Block *succ = block->succs[block->succs.size() - ++next];
      if (index_[succ->id] < 0) {
        index_[succ->id] = 0;
        stack.emplace_back(succ, 0);
      }
    } else {
      order_.push_back(block);
      stack.pop_back();
    }
  }
  std::reverse(order_.begin(), order_.end());
  for (size_t i = 0; i < order_.size(); ++i)
    index_[order_[i]->id] = static_cast<int>(i);
}

/// Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm".
void Cfg::find_dominators() {
  dominator_.assign(order_.size(), -1);
  dominator_[0] = 0;
  auto meet = [this](int a, int b) {
    while (a != b) {
      while (a > b)
        a = dominator_[static_cast<size_t>(a)];
      while (b > a)
        b = dominator_[static_cast<size_t>(b)];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 1; i < order_.size(); ++i) {
      int found = -1;
      for (const Block *pred : order_[i]->preds) {
        int p = index_[pred->id];
        if (p >= 0 && dominator_[static_cast<size_t>(p)] >= 0)
          found = found < 0 ? p : meet(p, found);
      }
      changed |= dominator_[i] != found;
      dominator_[i] = found;
    }
  }

  // Dominators come earlier in the order, so sizes of subtrees add up backwards and intervals
  // are handed out forwards.
  std::vector<int> size(order_.size(), 1);
  for (size_t i = order_.size(); --i > 0;)
    size[static_cast<size_t>(dominator_[i])] += size[i];
  enter_.assign(order_.size(), 0);
  leave_.assign(order_.size(), 0);
  std::vector<int> next(order_.size(), 0); // first free number in the subtree
  for (size_t i = 0; i < order_.size(); ++i) {
    int &free = next[static_cast<size_t>(dominator_[i])];
    enter_[i] = i == 0 ? 0 : free;
    leave_[i] = enter_[i] + size[i];
    if (i > 0)
      free = leave_[i];
    next[i] = enter_[i] + 1;
  }
}

Block *Cfg::immediate_dominator(const Block *block) const {
  int i = index(block);
  return i == 0 ? nullptr : order_[static_cast<size_t>(dominator_[static_cast<size_t>(i)])];
}

bool Cfg::dominates(const Block *a, const Block *b) const {
  auto i = static_cast<size_t>(index(a)), j = static_cast<size_t>(index(b));
  return enter_[i] <= enter_[j] && leave_[j] <= leave_[i];
}

Loops::Loops(const Cfg &cfg) : cfg_(cfg), innermost_(cfg.order().size(), nullptr) {
  const std::vector<Block *> &order = cfg.order();
  // Headers of inner loops come later in the order, so this meets inner loops first.
  for (size_t i = order.size(); i-- > 0;) {
    Block *header = order[i];
    std::vector<Block *> latches;
    for (Block *pred : header->preds)
      if (cfg.reachable(pred) && cfg.dominates(header, pred))
        latches.push_back(pred);
    if (latches.empty())
      continue;
    Loop &loop = loops_.emplace_back();
    loop.header = header;
    loop.latches = latches;
    innermost_[i] = &loop;
    // Backwards from the latches; a loop found earlier is stepped over as a whole.
    std::vector<Block *> work = latches;
    while (!work.empty()) {
      Block *block = work.back();
      work.pop_back();
      Loop *inner = of(block);
      if (!inner) {
        innermost_[static_cast<size_t>(cfg.index(block))] = &loop;
      } else {
        while (inner->parent)
          inner = inner->parent;
        if (inner == &loop)
          continue;
        inner->parent = &loop;
        loop.children.push_back(inner);
        block = inner->header;
      }
      for (Block *pred : block->preds)
        if (cfg.reachable(pred))
          work.push_back(pred);
    }
  }
  for (size_t i = 0; i < order.size(); ++i)
    for (Loop *loop = innermost_[i]; loop; loop = loop->parent)
      loop->blocks.push_back(order[i]);
}

} // namespace numjit::tir
