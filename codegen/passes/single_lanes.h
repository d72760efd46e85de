// A pass of LLVM IR after vectorisation.
#pragma once

#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

/// The rest of a loop over five elements is a vector of which a constant mask lets one lane
/// through: loads and stores of that kind become those of one element. Not only are they shorter:
/// LLVM 22 gets the stores wrong. When the lanes are truncated on the way (`a[i] = np.uint8(b[i])`)
/// the X86 back end stores the wide lane, over what lies behind the element
/// (reduceMaskedStoreToScalarStore is asked before isTruncatingStore).
struct SingleLanesPass : llvm::PassInfoMixin<SingleLanesPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace numjit::codegen
