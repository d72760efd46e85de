// Interrupt points of loops whose body was copied.
#pragma once

#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

/// The variable that interrupt points read.
inline constexpr llvm::StringLiteral kPollFlag = "nj_poll_flag";

/// Whether an instruction reads the variable.
bool is_poll(const llvm::Instruction &instruction);

/// A loop whose body was copied has an interrupt point in each copy. One for an iteration of all
/// copies is enough: those behind another one of the same loop go.
struct SharedPollsPass : llvm::PassInfoMixin<SharedPollsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace numjit::codegen
