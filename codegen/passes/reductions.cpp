#include "codegen/passes/reductions.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace numjit::codegen {

namespace {

/// The addition that a phi of the loop's header collects in order, or null.
const llvm::Instruction *ordered_sum(const llvm::Loop &loop, const llvm::PHINode &phi) {
  if (!phi.getType()->isFloatingPointTy() || !loop.getLoopLatch())
    return nullptr;
  auto *sum = llvm::dyn_cast<llvm::Instruction>(phi.getIncomingValueForBlock(loop.getLoopLatch()));
  if (!sum || sum->getOpcode() != llvm::Instruction::FAdd || sum->hasAllowReassoc())
    return nullptr;
  return sum->getOperand(0) == &phi || sum->getOperand(1) == &phi ? sum : nullptr;
}

using Sums = llvm::SmallPtrSet<const llvm::Instruction *, 4>;

Sums ordered_sums(const llvm::Loop &loop) {
  Sums sums;
  for (const llvm::PHINode &phi : loop.getHeader()->phis())
    if (const llvm::Instruction *sum = ordered_sum(loop, phi))
      sums.insert(sum);
  return sums;
}

/// Whether there is no other arithmetic.
bool only_sums(const llvm::Loop &loop, const Sums &sums) {
  for (const llvm::BasicBlock *block : loop.blocks())
    for (const llvm::Instruction &instruction : *block)
      if (instruction.getType()->isFloatingPointTy() && !sums.contains(&instruction) &&
          !llvm::isa<llvm::PHINode, llvm::LoadInst>(instruction))
        return false;
  return true;
}

} // namespace

llvm::PreservedAnalyses PlainSumsPass::run(llvm::Function &function,
                                           llvm::FunctionAnalysisManager &analyses) {
  for (llvm::Loop *loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    const Sums sums = loop->isInnermost() ? ordered_sums(*loop) : Sums();
    if (sums.empty())
      continue;
    if (only_sums(*loop, sums))
      llvm::addStringMetadataToLoop(loop, "llvm.loop.vectorize.enable", 0);
    else
      llvm::addStringMetadataToLoop(loop, "llvm.loop.interleave.count", 1);
  }
  return llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses ComparedFloatsPass::run(llvm::Function &function,
                                                llvm::FunctionAnalysisManager &) {
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    auto *select = llvm::dyn_cast<llvm::SelectInst>(&instruction);
    auto *test = select ? llvm::dyn_cast<llvm::FCmpInst>(select->getCondition()) : nullptr;
    auto is_compared = [&](const llvm::Value *value) {
      return value == test->getOperand(0) || value == test->getOperand(1);
    };
    if (!test || !is_compared(select->getTrueValue()) || !is_compared(select->getFalseValue()))
      continue;
    llvm::FastMathFlags flags = select->getFastMathFlags();
    flags.setNoNaNs(flags.noNaNs() || test->hasNoNaNs());
    select->setFastMathFlags(flags);
  }
  return llvm::PreservedAnalyses::all();
}

} // namespace numjit::codegen
