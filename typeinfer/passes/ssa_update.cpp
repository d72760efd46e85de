#include "typeinfer/passes/ssa_update.h"

#include "typeinfer/passes/edit.h"

namespace numjit::tir {

/// The value, or a phi whose operands are still to be found.
Value *SsaVariable::find(Block *block, bool at_end) {
  std::vector<Block *> passed; // with one predecessor: what arrives is what leaves that
  Value *found = nullptr;
  while (!found) {
    if (at_end)
      if (auto written = written_.find(block); written != written_.end()) {
        found = written->second;
        break;
      }
    if (auto known = entering_.find(block); known != entering_.end()) {
      found = known->second;
    } else if (block->preds.size() == 1) {
      passed.push_back(block);
      block = block->preds[0];
      at_end = true;
    } else {
      found = make_value(function_, Op::Phi, type_, {}, like_);
      found->block = block;
      block->values.insert(block->values.begin(), found);
      entering_[block] = found;
      unfinished_.push_back(found);
    }
  }
  for (const Block *on_the_way : passed)
    entering_[on_the_way] = found;
  return found;
}

Value *SsaVariable::at_start(Block &block) {
  Value *result = find(&block, false);
  while (!unfinished_.empty()) {
    Value *phi = unfinished_.back();
    unfinished_.pop_back();
    for (Block *pred : phi->block->preds)
      phi->operands.push_back(find(pred, true));
  }
  return result;
}

Value *SsaVariable::at_end(Block &block) {
  auto written = written_.find(&block);
  return written != written_.end() ? written->second : at_start(block);
}

void split_exception_edges(Function &function) {
  const std::vector<Block *> blocks = function.blocks;
  for (Block *block : blocks) {
    const Op end = block->terminator()->op;
    if ((end == Op::Try || end == Op::Raise || end == Op::Reraise) && !block->succs.empty() &&
        block->succs.back()->preds.size() > 1)
      split_edge(function, *block, *block->succs.back());
  }
}

} // namespace numjit::tir
