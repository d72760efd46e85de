// Object files into callable memory.
#pragma once

#include "codegen/machine_code.h"

#include <functional>
#include <string_view>

namespace numjit::codegen {

using FindSymbol = std::function<void *(std::string_view name)>; ///< null: there is none

/// Throws InternalError if the file is not an object file as our compiler makes them, or a symbol
/// is missing. Does not use LLVM.
std::shared_ptr<MachineCode> load_file(std::string_view file, const FindSymbol &find);

} // namespace numjit::codegen
