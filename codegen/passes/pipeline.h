// The passes that optimise a module, chosen by measurement.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace numjit::codegen {

void optimise(llvm::Module &module, llvm::TargetMachine &machine);
/// First for kernels of GPUs that call libm: functions are inlined, equal calls become one.
void merge_calls_for_device(llvm::Module &module, llvm::TargetMachine &machine);
/// The same for kernels of GPUs: everything is inlined, nothing vectorised. `fully`: else only what
/// the back end needs. `inlined` is called once all functions are part of the kernel.
void optimise_for_device(llvm::Module &module, llvm::TargetMachine &machine, bool fully,
                         llvm::function_ref<void()> inlined = nullptr);

} // namespace numjit::codegen
