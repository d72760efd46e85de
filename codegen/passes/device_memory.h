// Arrays of kernels on a GPU: each thread has scratch memory, part of one buffer that the host
// provides, and manages it by itself. The host says where in the variable numjit_scratch.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace numjit::codegen {

/// (bytes: i64, zeroed: i1) -> block, or null if there is not enough; then the most that was needed
/// is noted for the host.
llvm::Function *scratch_allocate(llvm::Module &module);
/// (block), which may be null.
llvm::Function *scratch_retain(llvm::Module &module);
llvm::Function *scratch_release(llvm::Module &module);
/// At the beginning of a kernel: nothing is allocated yet.
void begin_scratch(llvm::Module &module, llvm::IRBuilder<> &b);
/// Once all arrays have become local variables.
void drop_unused_scratch(llvm::Module &module);

} // namespace numjit::codegen
