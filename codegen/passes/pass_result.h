// The analyses that passes of ours preserve.
#pragma once

#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

/// After a pass that replaces instructions and never touches a branch.
inline llvm::PreservedAnalyses with_same_flow(bool changed) {
  if (!changed)
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

} // namespace numjit::codegen
