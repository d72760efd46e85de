// Unrolling `for` loops over a known number of items, by copying blocks. Done before SSA
// construction, so that every copy has variables of its own types.
#include "frontend/cfg.h"

namespace numjit {

namespace {

/// Blocks that can only be reached through `root`: the loop's body, and what its breaks and returns
/// run before they meet the rest of the function.
std::vector<int32_t> dominated_by(const Cfg &cfg, int32_t root) {
  auto reach = [&](int32_t start, std::vector<bool> &seen) {
    std::vector<int32_t> stack;
    auto visit = [&](int32_t block) {
      if (!seen[block]) {
        seen[block] = true;
        stack.push_back(block);
      }
    };
    visit(start);
    while (!stack.empty()) {
      int32_t block = stack.back();
      stack.pop_back();
      for (int32_t succ : cfg.blocks[block].succs)
        visit(succ);
    }
  };
  std::vector<bool> around(cfg.blocks.size(), false), all(cfg.blocks.size(), false);
  around[root] = true; // a wall
  reach(0, around);
  reach(root, all);
  std::vector<int32_t> result;
  for (size_t i = 0; i < cfg.blocks.size(); ++i)
    if (all[i] && (!around[i] || static_cast<int32_t>(i) == root))
      result.push_back(static_cast<int32_t>(i));
  return result;
}

} // namespace

void unroll_loop(Cfg &cfg, int32_t header, int32_t items, bool tested) {
  // Each copy of the body is entered from its own copy of the header, whose successor 1, the way
  // out, only the last one keeps, unless each tests whether there is an item; the block on the
  // edge to the body, which takes an iterator's item, goes.
  int32_t body_edge = cfg.blocks[header].succs[0];
  int32_t exit_edge = cfg.blocks[header].succs[1];
  int32_t body = cfg.blocks[body_edge].succs[0];
  std::vector<int32_t> region = dominated_by(cfg, body_edge);
  std::erase(region, body_edge);

  cfg.blocks[header].guarded = false; // taking an item of a tuple does not raise
  CfgBlock header_copy = cfg.blocks[header];
  std::vector<int32_t> headers = {header}; // the first is the old one: its predecessors stay
  for (int32_t item = 1; item <= items; ++item) {
    headers.push_back(static_cast<int32_t>(cfg.blocks.size()));
    cfg.blocks.push_back(header_copy);
  }
  // All copies are made from the originals, which become copy 0 at the end.
  std::vector<CfgBlock> originals;
  for (int32_t block : region)
    originals.push_back(cfg.blocks[block]);
  std::vector<int32_t> copy_of(cfg.blocks.size());
  for (int32_t item = 0; item < items; ++item) {
    for (size_t i = 0; i < copy_of.size(); ++i)
      copy_of[i] = static_cast<int32_t>(i);
    if (item > 0) {
      int32_t next = static_cast<int32_t>(cfg.blocks.size());
      for (int32_t block : region)
        copy_of[block] = next++;
      cfg.blocks.resize(next);
    }
    copy_of[header] = headers[item + 1];
    for (size_t i = 0; i < region.size(); ++i) {
      CfgBlock copy = originals[i];
      for (int32_t &succ : copy.succs)
        succ = copy_of[succ];
      cfg.blocks[copy_of[region[i]]] = std::move(copy);
    }
    // A body that is nothing but the way back to the header isn't in the region.
    CfgBlock &entry = cfg.blocks[headers[item]];
    entry.unrolled_item = item;
    entry.succs = {copy_of[body]};
    if (tested) {
      CfgBlock way_in = cfg.blocks[body_edge];
      way_in.action = EntryAction::UnrolledBody;
      way_in.unrolled_item = item;
      way_in.succs = entry.succs;
      entry.succs = {static_cast<int32_t>(cfg.blocks.size()), exit_edge};
      cfg.blocks.push_back(std::move(way_in));
    }
  }
  CfgBlock &last = cfg.blocks[headers[items]];
  last.end = last.begin; // no item: only leads out
  last.is_loop_header = false;
  last.succs = {exit_edge};
}

} // namespace numjit
