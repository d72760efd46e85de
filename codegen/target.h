// The machine that code is made for.
#pragma once

#include "codegen/machine_code.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace numjit::codegen {

/// This machine: processor, its features in LLVM's spelling. Found once.
const Target &host_target();
bool has_feature(const Target &target, llvm::StringRef name);

/// A target machine for the calling thread, which keeps it: making one costs more than using it.
llvm::TargetMachine &thread_target_machine();

/// Machine code as an object file, or as assembly text.
llvm::SmallVector<char, 0> emit_code(llvm::Module &module, llvm::TargetMachine &machine,
                                     llvm::CodeGenFileType type);

} // namespace numjit::codegen
