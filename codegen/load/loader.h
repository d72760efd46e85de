// Object files into callable memory.
#pragma once

#include "codegen/machine_code.h"

#include <functional>
#include <string_view>

namespace numjit::codegen {

using FindSymbol = std::function<void *(std::string_view name)>; ///< null: there is none

/// Throws InternalError where the file is no object file that our compiler makes, or where a symbol
/// is missing. Knows nothing of LLVM.
std::shared_ptr<MachineCode> load_file(std::string_view file, const FindSymbol &find);

} // namespace numjit::codegen
