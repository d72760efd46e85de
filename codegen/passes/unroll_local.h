// A pass of LLVM IR for kernels on a GPU.
#pragma once

#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

/// A GPU has hundreds of registers and none of them can be indexed: an array of a thread lives in
/// registers only where each index is a constant. Loops whose counters make the indices of such
/// arrays are unrolled whole, within a limit, so that SROA can take the arrays apart:
///
///     z = cuda.local.array(40, float64)
///     for i in range(40):
///         z[i] += dt * w[(i + 1) % 40]
///
/// A loop is left alone if that would leave an index that is no constant in the array.
struct UnrollLocalPass : llvm::PassInfoMixin<UnrollLocalPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace numjit::codegen
