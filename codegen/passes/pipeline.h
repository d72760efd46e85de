// The passes that optimise a module, chosen by measurement.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace numjit::codegen {

void optimise(llvm::Module &module, llvm::TargetMachine &machine);
/// First for kernels of GPUs that call libm: functions are inlined, equal calls become one.
void merge_calls_for_device(llvm::Module &module, llvm::TargetMachine &machine);
/// The same for kernels of GPUs: everything is inlined, nothing vectorised. `fully`: else only what
/// the back end needs.
void optimise_for_device(llvm::Module &module, llvm::TargetMachine &machine, bool fully);
/// The first part of it: all functions into the kernel.
void inline_for_device(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace numjit::codegen
