// Fields of instances that nobody else has seen yet.
#pragma once

#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

/// Until an instance is stored, passed on or counted, only the function that made it writes to its
/// fields, which are zero at first. So what a constructor sets needs no lock, and there is nothing
/// to release that was there before. LLVM does not see it in loops, as the instance of the
/// iteration before may be known to others.
struct FreshInstancesPass : llvm::PassInfoMixin<FreshInstancesPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace numjit::codegen
