// From typed IR to machine code in memory.
#pragma once

#include "codegen/machine_code.h"

namespace numjit::codegen {

/// Thread-safe: several modules may be compiled at once. Rare functions are compiled when they are
/// first called; the machine code keeps the module for that.
std::shared_ptr<MachineCode> compile(std::shared_ptr<const tir::Module> module,
                                     Timings *timings = nullptr);

/// The same in a form that other processes can load, too.
std::shared_ptr<MachineCode> compile_portable(const tir::Module &module,
                                              std::shared_ptr<RareCode> rare, Object &object,
                                              Timings *timings = nullptr);
/// Loads what compile_portable made. Throws InternalError. Does not start LLVM.
std::shared_ptr<MachineCode> load_portable(const Object &object, std::shared_ptr<RareCode> rare);

/// For other programs to link: the symbols that it defines, and those of references, begin with
/// `prefix`. `cpu`: a name of LLVM's, or "host". Rare functions are compiled with the others.
/// Throws InternalError.
LinkableObject compile_standalone(const tir::Module &module, const std::string &prefix,
                                  const std::string &cpu);

/// What code for this machine depends on: processor, features, versions of LLVM and of what it
/// calls. Does not start LLVM.
const std::string &machine_description();

/// Called with the time that compiling rare functions took.
void report_deferred(void (*listener)(const Timings &timings));

/// Text for inspection: LLVM IR before or after optimisation, and assembly.
std::string llvm_text(const tir::Module &module, bool optimised);
std::string assembly_text(const tir::Module &module);
/// The optimiser's remarks about loops and calls (codegen/passes/remarks.h).
std::string remarks_text(const tir::Module &module);

} // namespace numjit::codegen
