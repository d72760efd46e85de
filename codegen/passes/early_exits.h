// A pass of LLVM IR over loops.
#pragma once

#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/PassManager.h>

namespace llvm {
class LPMUpdater;
}

namespace numjit::codegen {

/// A loop over `n` items that raises at item `m` (`m` indices are in range) becomes a loop over the
/// lesser of both numbers and a test after it. Such a loop has one exit: the vectoriser need not
/// leave iterations to the scalar loop, and no iteration tests its indices.
///
///     for k in range(n):            if m == 0: raise
///         if k == m: raise     ->   for k in range(min(n, m)): ...
///         ...                       if m < n: raise
///
/// Applies to tests whose number of iterations LLVM knows, without side effects between the start
/// of an iteration and the test.
struct EarlyExitsPass : llvm::PassInfoMixin<EarlyExitsPass> {
  llvm::PreservedAnalyses run(llvm::Loop &loop, llvm::LoopAnalysisManager &analyses,
                              llvm::LoopStandardAnalysisResults &results, llvm::LPMUpdater &);
};

} // namespace numjit::codegen
