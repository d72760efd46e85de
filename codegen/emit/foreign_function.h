// Functions of LLVM IR that was written outside of the compiler.
#pragma once

#include "codegen/emit/module_emitter.h"

namespace numjit::codegen {

/// Calls the function of a call_pointer with a text, which is linked into the module when it is
/// first called; `caller` is the function that calls. Takes and returns leaves.
Leaves call_foreign(ModuleEmitter &module, llvm::IRBuilder<> &b, const llvm::Function &caller,
                    const tir::Value &value, llvm::ArrayRef<llvm::Value *> given);

} // namespace numjit::codegen
