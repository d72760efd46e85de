// The cleanup pass: simplifies until nothing changes, then drops what has become useless.
#include "typeinfer/ir/cfg.h"
#include "typeinfer/passes/edit.h"
#include "typeinfer/passes/passes.h"
#include "typeinfer/passes/simplify.h"

#include <algorithm>

namespace numjit::passes {

using namespace tir;

bool remove_unreachable(Function &function) {
  Cfg cfg(function);
  if (cfg.order().size() == function.blocks.size())
    return false;
  std::erase_if(function.blocks, [&](const Block *block) { return !cfg.reachable(block); });
  for (Block *block : function.blocks)
    for (size_t i = block->preds.size(); i-- > 0;) {
      if (cfg.reachable(block->preds[i]))
        continue;
      block->preds.erase(block->preds.begin() + static_cast<ptrdiff_t>(i));
      for (size_t k = phi_count(*block); k-- > 0;) {
        std::vector<Value *> &operands = block->values[k]->operands;
        operands.erase(operands.begin() + static_cast<ptrdiff_t>(i));
      }
    }
  return true;
}

bool merge_blocks(Function &function) {
  std::vector<bool> merged(function.arena_blocks.size(), false);
  bool changed = false;
  for (Block *block : function.blocks) {
    if (merged[block->id])
      continue;
    // Single-operand phis are gone by now, so blocks with one predecessor have none.
    while (block->terminator()->op == Op::Jump && block->succs[0]->preds.size() == 1 &&
           block->succs[0] != block && block->succs[0] != function.blocks[0] &&
           phi_count(*block->succs[0]) == 0) {
      Block *next = block->succs[0];
      block->values.pop_back();
      for (Value *value : next->values)
        append(*block, value);
      block->succs = next->succs;
      for (Block *succ : block->succs)
        std::replace(succ->preds.begin(), succ->preds.end(), next, block);
      merged[next->id] = changed = true;
    }
  }
  if (changed)
    std::erase_if(function.blocks, [&](const Block *block) { return merged[block->id]; });
  return changed;
}

bool remove_unused(Function &function) {
  std::vector<bool> used(function.values.size(), false);
  std::vector<const Value *> work;
  auto use = [&](const Value *value) {
    if (!used[value->id]) {
      used[value->id] = true;
      work.push_back(value);
    }
  };
  for (const Block *block : function.blocks)
    for (const Value *value : block->values) {
      Effect effect = effect_of(*value);
      // A load that takes the count out of memory is there for that.
      bool takes = value->op == Op::Load && value->index == 2;
      if ((effect != Effect::Pure && effect != Effect::Reads) || takes)
        use(value);
    }
  while (!work.empty()) {
    const Value *value = work.back();
    work.pop_back();
    for (const std::vector<Value *> *values : {&value->operands, &value->cleanup})
      for (const Value *operand : *values)
        use(operand);
  }
  bool changed = false;
  for (Block *block : function.blocks)
    changed |= std::erase_if(block->values, [&](const Value *v) { return !used[v->id]; }) > 0;
  return changed;
}

void tidy(Function &function) {
  remove_unreachable(function);
  split_phis(function);
  // Splitting and folding make work for each other; nested iterators need a round per level.
  for (int round = 0; round < 8; ++round) {
    bool changed = simplify(function);
    changed |= remove_unreachable(function);
    changed |= split_phis(function);
    if (!changed)
      break;
  }
  merge_blocks(function);
  remove_unused(function);
}

static bool calls_forwarder(const Function &function) {
  for (const Block *block : function.blocks)
    for (const Value *value : block->values)
      if (value->op == Op::Call && block->terminator()->op != Op::Try &&
          returned_parameter(*value->callee))
        return true;
  return false;
}

void cleanup(Module &module, const PassOptions &) {
  for (const auto &function : module.functions)
    tidy(*function);
  // A function that only calls one that only returns its parameter is such a function itself.
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto &function : module.functions)
      if (calls_forwarder(*function)) {
        tidy(*function);
        changed = true;
      }
  }
}

} // namespace numjit::passes
