// The passes that optimise a module, chosen by measurement.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace numjit::codegen {

void optimise(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace numjit::codegen
