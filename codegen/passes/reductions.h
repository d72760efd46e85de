// Passes of LLVM IR before the loop vectoriser.
#pragma once

#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

/// Sums of floats keep their order. A vectorised loop computes their terms side by side and then
/// adds them one after the other: worth it for `s += x[i] * w[i]`, not for `s += x[i]`. Marks loops
/// of the second kind so that the vectoriser leaves them alone, and of the first so that it does
/// not interleave iterations, which wait for the additions anyway.
struct PlainSumsPass : llvm::PassInfoMixin<PlainSumsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

/// Which of two floats is the larger one is no NaN if fast-math compared them as if there were
/// none: what chooses among them is told so, as a loop that looks for the largest needs it to be
/// vectorised. Floats that are only passed on may be NaN (AnyFloats).
struct ComparedFloatsPass : llvm::PassInfoMixin<ComparedFloatsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace numjit::codegen
