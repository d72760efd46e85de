// Arithmetic on bytes and short numbers, in loops.
#pragma once

#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

/// Python's integers are 64 bits wide, and so are sums of bytes. In innermost loops, where what is
/// computed from bytes and short numbers stays within 16 or 32 bits and ends as a byte, in a
/// comparison or as a float, it is computed with so many: vectors hold two or four times as many
/// numbers. LLVM does so only where the last bits alone tell the result.
struct NarrowIntegersPass : llvm::PassInfoMixin<NarrowIntegersPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace numjit::codegen
