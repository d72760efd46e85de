// A pass of LLVM IR after vectorisation.
#pragma once

#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

/// The remainder of a loop over five elements is a vector of which a constant mask selects one
/// lane: such loads and stores are replaced by those of one element. They are shorter, and LLVM 22
/// compiles these stores wrongly: if the lanes are truncated (`a[i] = np.uint8(b[i])`), the X86
/// back end stores the wide lane, and overwrites what is behind the element
/// (reduceMaskedStoreToScalarStore comes before isTruncatingStore).
struct SingleLanesPass : llvm::PassInfoMixin<SingleLanesPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace numjit::codegen
