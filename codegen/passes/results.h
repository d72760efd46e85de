// A pass of LLVM IR after inlining.
#pragma once

#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

/// A function that may raise returns a struct of its result and a status. Where such a call is
/// inlined, the struct becomes a phi over what was returned, and no pass of LLVM looks through
/// that. Phis of structs whose fields alone are used become a phi for each field, so that the test
/// of the status folds into the paths that lead to it.
struct ResultFieldsPass : llvm::PassInfoMixin<ResultFieldsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace numjit::codegen
