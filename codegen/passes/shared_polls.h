// Interrupt points of loops whose body was copied.
#pragma once

#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

/// A loop whose body was copied has an interrupt point in each copy. One for an iteration of all
/// copies is enough: those behind another one of the same loop go.
struct SharedPollsPass : llvm::PassInfoMixin<SharedPollsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace numjit::codegen
