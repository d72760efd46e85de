// Blocks of memory (runtime.h, device_memory.h) that a function makes and no other code sees.
#pragma once

#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

/// Arrays, lists and instances whose size is known, and whose address is used only by loads, stores
/// and comparisons, become local variables, which then become registers.
class LocalBlocksPass : public llvm::PassInfoMixin<LocalBlocksPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace numjit::codegen
