// What keeps the values of a GPU's thread in fewer registers.
#pragma once

#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

/// Reorders blocks in which more values are alive than a thread has registers. An instruction that
/// is the last to read as many registers as it writes is moved up to where its operands are there.
/// In `z + a / 6 + b / 3 + c / 3 + d / 6`, `z + a / 6` is so computed behind the last other use of
/// `a`; where the sum stands, all items of five arrays would be alive. ptxas keeps the order.
struct RegisterPressurePass : llvm::PassInfoMixin<RegisterPressurePass> {
  static llvm::PreservedAnalyses run(llvm::Function &function,
                                     llvm::FunctionAnalysisManager &analyses);
};

/// Computes addresses again behind a loop that does not need them, where keeping them takes many
/// registers of a thread. A kernel that loads `x[i, thread]` for each i, integrates, and stores the
/// same items has each address once in LLVM IR; eight take 16 registers during the integration.
struct RepeatAddressesPass : llvm::PassInfoMixin<RepeatAddressesPass> {
  static llvm::PreservedAnalyses run(llvm::Function &function,
                                     llvm::FunctionAnalysisManager &analyses);
};

} // namespace numjit::codegen
