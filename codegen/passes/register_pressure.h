// Long blocks whose values do not fit in the registers of a GPU's thread.
#pragma once

#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

/// In blocks where more values are alive than a thread has registers, computes what ends the lives
/// of as many registers as it needs as soon as it can be computed: `z + a / 6` behind the last
/// other use of `a`, and not where `z + a / 6 + b / 3 + c / 3 + d / 6` stands, up to which all
/// items of five arrays would be alive. ptxas keeps such blocks in the order that they have.
struct RegisterPressurePass : llvm::PassInfoMixin<RegisterPressurePass> {
  static llvm::PreservedAnalyses run(llvm::Function &function,
                                     llvm::FunctionAnalysisManager &analyses);
};

} // namespace numjit::codegen
