// Arrays of kernels on a GPU: each thread has scratch memory, which it manages itself, and uses the
// heap of the device if that is full. The variable numjit_scratch has the address where the host
// reads how much was missing.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace numjit::codegen {

/// A block, or null if there is no memory.
llvm::CallInst *allocate_scratch(llvm::Module &module, llvm::IRBuilder<> &b, llvm::Value *bytes,
                                 bool zeroed);
/// Retains or releases a block, which may be null.
llvm::CallInst *count_scratch(llvm::Module &module, llvm::IRBuilder<> &b, llvm::Value *block,
                              bool retains);
/// At the beginning of a kernel.
void begin_scratch(llvm::Module &module, llvm::IRBuilder<> &b);
/// After optimisation: sets how many bytes each thread has, and whether there is the heap.
void finish_scratch(llvm::Module &module, int64_t bytes, bool heap);

} // namespace numjit::codegen
