// Object files into callable memory, through ORC.
#pragma once

#include "codegen/compiler.h"

#include <llvm/Support/MemoryBuffer.h>

namespace numjit::codegen {

/// Links an object file; `entry` names its entry function, which must be unique in the process.
std::shared_ptr<MachineCode> link(std::unique_ptr<llvm::MemoryBuffer> object,
                                  const std::string &entry);

} // namespace numjit::codegen
