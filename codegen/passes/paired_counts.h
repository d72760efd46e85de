// Counts of references that cancel out, once functions are inlined.
#pragma once

#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

/// A retain and a release of one owner go if nothing between them can release anything, and so do
/// counts of null: what held the owner at the retain still does at the release.
struct PairedCountsPass : llvm::PassInfoMixin<PairedCountsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace numjit::codegen
