// Code that goes to another process together with the rare functions that were called in this one.
#pragma once

#include "codegen/machine_code.h"

#include <vector>

namespace numjit::codegen {

/// Numbers of the rare functions that code has called so far. May wait for other threads.
std::vector<size_t> called_rare_functions(const MachineCode &code);

/// compile_portable, with the rare functions of these numbers compiled at once.
std::shared_ptr<MachineCode> compile_portable(const tir::Module &module,
                                              std::shared_ptr<RareCode> rare, Object &object,
                                              Timings *timings, const std::vector<size_t> &called);

} // namespace numjit::codegen
