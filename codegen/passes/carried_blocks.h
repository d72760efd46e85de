// Small arrays that a loop replaces by new ones.
#pragma once

#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

/// An array of known size that each iteration of a loop replaces by another one of that size:
///
///     state = np.array([1.0, 0.0, 0.0])
///     for _ in range(steps):
///         state = state + dt * tendency(state)
///
/// becomes a local variable in the loop. What an iteration makes is copied into it, and at the
/// loop's end it is copied into the array that was there at the beginning, if that is still used.
/// LocalBlocksPass then finds that the new array does not leave its iteration.
struct CarriedBlocksPass : llvm::PassInfoMixin<CarriedBlocksPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace numjit::codegen
