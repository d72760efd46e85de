#include "codegen/passes/memory_calls.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Scalar/LoopIdiomRecognize.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>

namespace numjit::codegen {

namespace {

/// Whether a loop copies items.
bool copies(const llvm::Loop &loop) {
  for (const llvm::BasicBlock *block : loop.blocks())
    for (const llvm::Instruction &instruction : *block)
      if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
        if (llvm::isa<llvm::LoadInst>(store->getValueOperand()))
          return true;
  return false;
}

/// Whether a loop around this one has stores outside of it.
bool is_step_of_work(const llvm::Loop &loop) {
  for (const llvm::BasicBlock *block : loop.getOutermostLoop()->blocks())
    if (!loop.contains(block))
      for (const llvm::Instruction &instruction : *block)
        if (llvm::isa<llvm::StoreInst>(instruction))
          return true;
  return false;
}

} // namespace

llvm::PreservedAnalyses MemoryCallsPass::run(llvm::Loop &loop, llvm::LoopAnalysisManager &analyses,
                                             llvm::LoopStandardAnalysisResults &results,
                                             llvm::LPMUpdater &updater) {
  if (copies(loop) && is_step_of_work(loop))
    return llvm::PreservedAnalyses::all();
  return llvm::LoopIdiomRecognizePass().run(loop, analyses, results, updater);
}

} // namespace numjit::codegen
