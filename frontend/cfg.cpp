#include "frontend/cfg.h"

#include <algorithm>

namespace numjit {

namespace {

/// Unrolling stops here: nested loops multiply.
constexpr size_t max_blocks = 20000;
const std::string too_many_blocks = "unrolling this function's loops makes it too large";

class Builder {
public:
  explicit Builder(const Bytecode &bytecode)
      : code_(bytecode.code), ranges_(bytecode.ranges), range_of_(code_.size(), -1) {
    for (size_t i = 0; i < ranges_.size(); ++i)
      std::fill(range_of_.begin() + ranges_[i].begin,
                range_of_.begin() + std::min<size_t>(ranges_[i].end, code_.size()),
                static_cast<int32_t>(i));
  }

  Cfg run(const UnrollPlan &plan) {
    find_leaders();
    int32_t entry = add_block(0);
    if (cfg_.blocks[entry].is_loop_header || leader_is_target(0)) {
      // The entry may have no predecessor.
      cfg_.blocks.insert(cfg_.blocks.begin(), CfgBlock());
      for (int32_t &block : block_at_)
        block += block >= 0;
      cfg_.blocks[0].succs = {1};
    }
    for (size_t block = 0; block < cfg_.blocks.size(); ++block)
      connect(static_cast<int32_t>(block));
    unroll(plan);
    remove_double_branches();
    find_order();
    split_critical_edges();
    find_order();
    return std::move(cfg_);
  }

private:
  /// The first instruction at or after `index` that does something: jumps and nops are passed.
  int32_t thread(int32_t index) const {
    constexpr int max_steps = 32; // loops that do nothing end the search too
    int32_t at = index;
    for (int step = 0; step < max_steps; ++step) {
      const Instruction &instruction = code_[at];
      if (instruction.op == Opcode::Nop)
        ++at;
      else if (instruction.op == Opcode::Jump)
        at = instruction.target;
      else
        return at;
    }
    return index;
  }

  static bool is_branch(const Instruction &instruction) {
    return instruction.has_target() && instruction.op != Opcode::Jump;
  }

  void find_leaders() {
    leader_.assign(code_.size() + 1, false);
    target_.assign(code_.size() + 1, false);
    leader_[0] = true;
    for (size_t i = 0; i < code_.size(); ++i) {
      const Instruction &instruction = code_[i];
      if (instruction.has_target()) {
        int32_t target = thread(instruction.target);
        leader_[target] = target_[target] = true;
      }
      if (instruction.op == Opcode::ForIter)
        leader_[i] = true;
      if (is_branch(instruction) || instruction.ends_block())
        leader_[i + 1] = true;
      if (is_branch(instruction)) {
        int32_t next = thread(static_cast<int32_t>(i) + 1);
        leader_[next] = true;
        target_[next] = target_[next] || next <= static_cast<int32_t>(i);
      }
    }
    find_protected_leaders();
    block_at_.assign(code_.size(), -1);
  }

  /// A handler sees the variables of the block that raises as they are at its end. So a block of a
  /// protected range writes them before it may raise.
  void find_protected_leaders() {
    if (ranges_.empty())
      return;
    for (const ProtectedRange &range : ranges_)
      leader_[range.handler] = target_[range.handler] = true;
    bool raises = false;
    for (size_t i = 0; i < code_.size(); ++i) {
      if (i > 0 && range_of_[i] != range_of_[i - 1])
        leader_[i] = true;
      if (raises && code_[i].writes_variable())
        leader_[i] = true;
      raises = range_of_[i] >= 0 && ((raises && !leader_[i]) || code_[i].may_raise());
    }
  }

  bool leader_is_target(int32_t index) const { return target_[index]; }

  int32_t add_block(int32_t begin) {
    if (block_at_[begin] >= 0)
      return block_at_[begin];
    CfgBlock block;
    block.begin = begin;
    block.end = begin;
    // The last instruction is Unsupported, so the range ends inside of the code.
    do {
      ++block.end;
    } while (!leader_[block.end] && !code_[block.end - 1].ends_block());
    block.is_loop_header = code_[begin].op == Opcode::ForIter;
    for (const ProtectedRange &range : ranges_)
      if (range.handler == begin) {
        block.action = EntryAction::Handler;
        block.entry_depth = range.depth;
        block.pushes_place = range.pushes_place;
      }
    block_at_[begin] = static_cast<int32_t>(cfg_.blocks.size());
    cfg_.blocks.push_back(std::move(block));
    return block_at_[begin];
  }

  int32_t add_edge_block(EntryAction action, int32_t begin) {
    int32_t succ = add_block(begin);
    CfgBlock block;
    block.begin = block.end = begin;
    block.action = action;
    block.succs = {succ};
    cfg_.blocks.push_back(std::move(block));
    return static_cast<int32_t>(cfg_.blocks.size()) - 1;
  }

  void connect(int32_t id) {
    if (cfg_.blocks[id].begin == cfg_.blocks[id].end)
      return; // edge blocks are connected already
    int32_t end = cfg_.blocks[id].end;
    const Instruction &last = code_[end - 1];
    std::vector<int32_t> succs;
    switch (last.op) {
    case Opcode::ForIter:
      succs = {add_edge_block(EntryAction::LoopBody, thread(end)),
               add_edge_block(last.flag ? EntryAction::SendExit : EntryAction::LoopExit,
                              thread(last.target))};
      break;
    case Opcode::BranchTrue:
    case Opcode::BranchNone:
    case Opcode::BranchNotNone:
      succs = {add_block(thread(last.target)), add_block(thread(end))};
      break;
    case Opcode::BranchFalse:
      succs = {add_block(thread(end)), add_block(thread(last.target))};
      break;
    case Opcode::Jump: succs = {add_block(thread(last.target))}; break;
    default:
      if (!last.ends_block())
        succs = {add_block(end)};
    }
    if (const ProtectedRange *range = protection(cfg_.blocks[id])) {
      succs.push_back(add_block(range->handler));
      cfg_.blocks[id].guarded = true;
      cfg_.blocks[id].handler_depth = range->depth;
    }
    cfg_.blocks[id].succs = std::move(succs);
  }

  /// The range that exceptions of a block leave; nullptr if there is none or it cannot raise.
  const ProtectedRange *protection(const CfgBlock &block) const {
    const int32_t range = range_of_[block.begin];
    if (range < 0)
      return nullptr;
    for (int32_t i = block.begin; i < block.end; ++i)
      if (code_[i].may_raise() && code_[i].op != Opcode::Unsupported)
        return &ranges_[range];
    return nullptr;
  }

  void unroll(const UnrollPlan &plan) {
    if (plan.empty())
      return;
    struct Loop {
      int32_t header, items;
    };
    std::vector<Loop> loops;
    for (size_t i = 0; i < cfg_.blocks.size(); ++i) {
      const CfgBlock &block = cfg_.blocks[i];
      if (!block.is_loop_header)
        continue;
      auto found = plan.find(code_[block.begin].offset);
      if (found != plan.end() && found->second != ssa::kRunsInOrder)
        loops.push_back({static_cast<int32_t>(i), found->second});
    }
    // Inner loops come later in the code: unrolled first, they are copied with the outer ones.
    std::sort(loops.begin(), loops.end(), [&](const Loop &a, const Loop &b) {
      return cfg_.blocks[a.header].begin > cfg_.blocks[b.header].begin;
    });
    for (const Loop &loop : loops) {
      const bool tested = loop.items < 0;
      const int32_t items = tested ? -1 - loop.items : loop.items;
      if (static_cast<size_t>(items) > max_blocks) {
        cfg_.refusal = &too_many_blocks;
        return;
      }
      unroll_loop(cfg_, loop.header, items, tested);
      if (cfg_.blocks.size() > max_blocks) {
        cfg_.refusal = &too_many_blocks;
        return;
      }
    }
  }

  /// A branch whose ways are the same is a jump.
  void remove_double_branches() {
    for (CfgBlock &block : cfg_.blocks)
      if (block.ways_on() == 2 && block.succs[0] == block.succs[1])
        block.succs.erase(block.succs.begin());
  }

  /// Reverse postorder of the reachable blocks; fills the predecessors. Of two successors the one
  /// that comes earlier in the source is also earlier in the order.
  void find_order() {
    std::vector<CfgBlock> &blocks = cfg_.blocks;
    struct Visit {
      int32_t block;
      size_t next;
    };
    std::vector<bool> seen(blocks.size(), false);
    std::vector<Visit> stack = {{0, 0}};
    seen[0] = true;
    cfg_.order.clear();
    while (!stack.empty()) {
      Visit &visit = stack.back();
      const std::vector<int32_t> &succs = blocks[visit.block].succs;
      if (visit.next == succs.size()) {
        cfg_.order.push_back(visit.block);
        stack.pop_back();
        continue;
      }
      // The later one is visited first and so comes last; the handler comes behind both.
      const CfgBlock &from = blocks[visit.block];
      size_t which = visit.next++;
      if (from.guarded && which == 0) {
        which = succs.size() - 1;
      } else {
        which -= from.guarded;
        if (from.ways_on() == 2 && blocks[succs[1]].begin > blocks[succs[0]].begin)
          which = 1 - which;
      }
      int32_t succ = succs[which];
      if (!seen[succ]) {
        seen[succ] = true;
        stack.push_back({succ, 0});
      }
    }
    std::reverse(cfg_.order.begin(), cfg_.order.end());
    for (CfgBlock &block : blocks)
      block.preds.clear();
    for (int32_t id : cfg_.order)
      for (int32_t succ : blocks[id].succs)
        blocks[succ].preds.push_back(id);
  }

  void split_critical_edges() {
    for (int32_t id : cfg_.order) {
      // Exceptions leave from the middle of a block, so their edge never brings values into phis.
      if (cfg_.blocks[id].succs.size() < 2 && !cfg_.blocks[id].guarded)
        continue;
      for (size_t i = 0; i < cfg_.blocks[id].succs.size(); ++i) {
        int32_t succ = cfg_.blocks[id].succs[i];
        if (cfg_.blocks[succ].preds.size() < 2)
          continue;
        CfgBlock edge;
        edge.begin = edge.end = cfg_.blocks[succ].begin;
        edge.succs = {succ};
        cfg_.blocks[id].succs[i] = static_cast<int32_t>(cfg_.blocks.size());
        cfg_.blocks.push_back(std::move(edge));
      }
    }
  }

  const std::vector<Instruction> &code_;
  const std::vector<ProtectedRange> &ranges_;
  std::vector<int32_t> range_of_; ///< by instruction, -1: none
  Cfg cfg_;
  std::vector<bool> leader_, target_;
  std::vector<int32_t> block_at_;
};

} // namespace

Cfg build_cfg(const Bytecode &bytecode, const UnrollPlan &plan) {
  return Builder(bytecode).run(plan);
}

} // namespace numjit
