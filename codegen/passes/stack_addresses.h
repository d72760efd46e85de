// Local arrays whose address is a value of a register of its own.
#pragma once

#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

/// Last of all: items of local arrays are addressed by a register with the array's address instead
/// of the stack pointer, where variables index them, too. AMD's processors rename the memory at
/// constant distances from the stack pointer, as if it were registers; an item that was written by
/// `a[j] = x` and is read as `a[3]` is taken from the wrong register first.
struct StackAddressesPass : llvm::PassInfoMixin<StackAddressesPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace numjit::codegen
