// Tests whether arrays overlap.
#pragma once

#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

/// `out[i] = x` asks whether the memory of `x` overlaps that of `out` (numjit.may_overlap). Arrays
/// that a function makes overlap neither each other nor its arguments: such a test is false. LLVM
/// does not see it, because a part of the test alone may be true.
struct DistinctArraysPass : llvm::PassInfoMixin<DistinctArraysPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace numjit::codegen
