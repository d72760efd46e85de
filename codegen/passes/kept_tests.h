// A pass of LLVM IR over loops.
#pragma once

#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/PassManager.h>

namespace llvm {
class LPMUpdater;
}

namespace numjit::codegen {

/// A test that holds when a loop begins and before each further iteration holds in all of them:
///
///     while i < n:                      while i < n:
///         j = i                             j = i
///         while j < n and ...:   ->         do: ... while j < n and ...
///
/// Applies to comparisons of a loop's variables with what no iteration changes. LLVM does this for
/// variables that count.
struct KeptTestsPass : llvm::PassInfoMixin<KeptTestsPass> {
  llvm::PreservedAnalyses run(llvm::Loop &loop, llvm::LoopAnalysisManager &analyses,
                              llvm::LoopStandardAnalysisResults &results, llvm::LPMUpdater &);
};

} // namespace numjit::codegen
