// Reference counts that cancel out, once functions are inlined.
#pragma once

#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

/// Removes a retain and a release of one owner if nothing between them can release anything: what
/// held the owner at the retain still does at the release. Removes counts of null, too.
struct PairedCountsPass : llvm::PassInfoMixin<PairedCountsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace numjit::codegen
