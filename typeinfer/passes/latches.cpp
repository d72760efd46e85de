// One way back to each loop header.
//
// CPython copies the jump at the end of a loop's body into every branch that ends there, so that a
// loop whose body ends with an `if` has two edges back to its header. LLVM takes such a pair for
// two nested loops and then cannot make the `if` a conditional move, count the iterations or
// vectorise. Here the edges are led through one new block.
#include "typeinfer/ir/cfg.h"
#include "typeinfer/passes/edit.h"
#include "typeinfer/passes/passes.h"

#include <algorithm>

namespace numjit::passes {

using namespace tir;

namespace {

/// The operand that all of `latches` bring into `phi`, merged by a phi of `block` where they
/// differ.
Value *merged_operand(Function &function, Block &block, const Value &phi,
                      const std::vector<Block *> &latches) {
  std::vector<Value *> operands;
  for (const Block *latch : latches)
    operands.push_back(phi.operands[pred_index(*phi.block, latch)]);
  if (std::all_of(operands.begin(), operands.end(),
                  [&](const Value *operand) { return operand == operands[0]; }))
    return operands[0];
  Value *merged = append(block, make_value(function, Op::Phi, phi.type, {}, phi));
  merged->operands = operands;
  merged->name = phi.name;
  merged->nonneg = std::all_of(operands.begin(), operands.end(),
                               [](const Value *operand) { return operand->nonneg; });
  return merged;
}

void join_latches(Function &function, Block &header, const std::vector<Block *> &latches) {
  Block &joined = *function.new_block();
  std::vector<Value *> incoming;
  for (size_t i = 0; i < phi_count(header); ++i)
    incoming.push_back(merged_operand(function, joined, *header.values[i], latches));
  append(joined, make_value(function, Op::Jump, types::none(), {}, *latches[0]->terminator()));
  for (Block *latch : latches) {
    std::replace(latch->succs.begin(), latch->succs.end(), &header, &joined);
    const size_t index = pred_index(header, latch);
    header.preds.erase(header.preds.begin() + static_cast<ptrdiff_t>(index));
    for (size_t i = 0; i < phi_count(header); ++i)
      header.values[i]->operands.erase(header.values[i]->operands.begin() +
                                       static_cast<ptrdiff_t>(index));
  }
  joined.preds = latches;
  joined.succs = {&header};
  header.preds.push_back(&joined);
  for (size_t i = 0; i < incoming.size(); ++i)
    header.values[i]->operands.push_back(incoming[i]);
}

} // namespace

void latches(Module &module, const PassOptions &) {
  for (const auto &function : module.functions) {
    const Cfg cfg(*function);
    Loops loops(cfg);
    for (const Loop &loop : loops.all())
      if (loop.latches.size() > 1)
        join_latches(*function, *loop.header, loop.latches);
  }
}

} // namespace numjit::passes
