// Choices that are the same in all iterations of a loop.
#pragma once

#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>

namespace numjit::codegen {

/// Makes a copy of a short loop, with those inside it, for each outcome of a condition that no
/// iteration changes: whether a date is NaT, an option of the program. It is behind vectorisation,
/// where conditions become masks, and leaves long loops alone, in which a branch that always goes
/// the same way costs next to nothing.
struct FixedChoicesPass : llvm::PassInfoMixin<FixedChoicesPass> {
  llvm::PreservedAnalyses run(llvm::Loop &loop, llvm::LoopAnalysisManager &analyses,
                              llvm::LoopStandardAnalysisResults &results,
                              llvm::LPMUpdater &updater);
};

} // namespace numjit::codegen
