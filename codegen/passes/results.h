// A pass of LLVM IR after inlining.
#pragma once

#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

/// A function that may raise returns a struct of its result and a status. If such a call is
/// inlined, the struct becomes a phi of the returned structs, through which no pass of LLVM looks.
/// This pass replaces phis of structs of which only fields are used by a phi for each field, so
/// that the test of the status folds into the paths that lead to it.
struct ResultFieldsPass : llvm::PassInfoMixin<ResultFieldsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace numjit::codegen
