// From a function and argument types to machine code.
#pragma once

#include "codegen/ptx.h"
#include "pyext/compiled.h"
#include "typeinfer/types/types.h"

#include <memory>
#include <string>
#include <vector>

namespace numjit {

class CachedCode;
class CacheEntry;

/// Compiles for one type per parameter (*args as a tuple); `result`: convert to this type, or
/// nullptr; `entry`: gets what was made; `values`: those of the arguments, nullptr if one is
/// not known, or empty; `defers`: errors in branches are raised where calls reach them
/// (deferring.h). To be called without the GIL, from any number of threads. Throws
/// CompileError, InternalError.
Compiled compile_function(FunctionDef &function, const std::vector<const Type *> &arguments,
                          const Type *result, const std::shared_ptr<CacheEntry> &entry = nullptr,
                          const std::vector<const Const *> &values = {}, bool defers = false);

/// A function as other programs link it (codegen::compile_standalone).
struct LinkableCode {
  codegen::LinkableObject object;
  const Type *result = nullptr;
  bool may_run_long = false, lends_gil = false; ///< as of Compiled
};
LinkableCode compile_for_linking(FunctionDef &function, const std::vector<const Type *> &arguments,
                                 const Type *result, const std::string &prefix,
                                 const std::string &cpu);

/// Compiles a kernel for GPUs, or a function for other code there. As above.
/// `entry`: whose host is used, or null.
CompiledKernel compile_kernel(FunctionDef &function, const std::vector<const Type *> &arguments,
                              const KernelOptions &options, CachedCode *entry = nullptr);

/// A kernel as the simulator runs it.
struct SimulatedCode {
  std::shared_ptr<codegen::MachineCode> code;
  tir::SimulatedKernel kernel;
  codegen::Timings timings;
};
SimulatedCode compile_for_simulator(FunctionDef &function,
                                    const std::vector<const Type *> &arguments,
                                    const tir::SimulatedKernel &wanted);

/// The type of what a function returns for arguments; nothing is compiled. As above.
const Type *infer_result(FunctionDef &function, const std::vector<const Type *> &arguments);

/// A function after a stage, as text: bytecode, ssa, typed, llvm, llvm-opt, asm. As above.
/// `snapshot`: of the compilation to show, or empty.
std::string dump_stage(FunctionDef &function, const std::vector<const Type *> &arguments,
                       const std::string &stage, const Snapshot &snapshot = {});

/// The same of a kernel; the last stages are llvm and asm (PTX).
std::string dump_kernel(FunctionDef &function, const std::vector<const Type *> &arguments,
                        const KernelOptions &options, const std::string &stage);

/// Argument types of a signature, one for each item: folds those of *args into a tuple type.
std::vector<const Type *> fold_types(const FunctionDef &function,
                                     const std::vector<const Type *> &given);

/// Counts what is compiled while machine code runs into the total, too.
void watch_deferred_code();

/// Milliseconds by stage over everything compiled so far, in order of appearance.
codegen::Timings total_timings();

} // namespace numjit
