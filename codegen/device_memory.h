// Arrays of kernels on a GPU: each thread has scratch memory, part of one buffer that the host
// provides, and manages it by itself. The host says where in the variable numjit_scratch.
#pragma once

#include "codegen/module_emitter.h"

#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

/// (bytes: i64, zeroed: i1) -> block, or null if there is not enough; then the most that was needed
/// is noted for the host.
llvm::Function *scratch_allocate(llvm::Module &module);
/// (block), which may be null.
llvm::Function *scratch_retain(llvm::Module &module);
llvm::Function *scratch_release(llvm::Module &module);
/// At the beginning of a kernel: nothing is allocated yet.
void begin_scratch(llvm::Module &module, llvm::IRBuilder<> &b);

/// Arrays whose size is known, and whose address goes nowhere but into loads and stores, become
/// local variables, which then become registers.
struct LocalArraysPass : llvm::PassInfoMixin<LocalArraysPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace numjit::codegen
