// A pass of LLVM IR for kernels on a GPU.
#pragma once

#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

/// Negative indices count from the end, so each access asks for the sign of its index:
///
///     for k in range(starts[row], starts[row + 1]):
///         total += values[k] * x[columns[k]]
///
/// A counter that goes up is never negative if it begins so. Loops that ask get a copy without
/// these questions, for where all counters do: its addresses are the ones before plus a constant.
/// Needs loops in LLVM's simplified form, with LCSSA.
struct PlainIndicesPass : llvm::PassInfoMixin<PlainIndicesPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace numjit::codegen
