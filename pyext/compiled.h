// The result of compiling a function, with machine code or without.
#pragma once

#include "codegen/compiler.h"
#include "codegen/ptx.h"
#include "frontend/code.h"
#include "typeinfer/infer.h"
#include "typeinfer/ir/typed_ir.h"
#include "typeinfer/types/types.h"

#include <memory>
#include <vector>

namespace numjit {

struct Compiled {
  std::shared_ptr<codegen::MachineCode> code;
  const Type *result = nullptr;
  const Type *wanted_result = nullptr; ///< that was declared; null: inferred
  bool may_run_long = false;
  bool lends_gil = false;             ///< its loops let other Python threads run now and then
  bool frees_linked = false;          ///< what refers to itself in it dies with each call
  bool runs_parallel = true;          ///< false: certainly nothing in it does
  codegen::Timings timings;           ///< milliseconds by stage
  bool loaded = false;                ///< from the cache on disk
  std::vector<const Const *> values;  ///< of the arguments, where code was made for them; or empty
  bool defers = false;                ///< errors in branches are raised where calls reach them
  Snapshot snapshot;                  ///< what names meant
  std::vector<CalledFunction> called; ///< functions that were compiled with it
};

struct KernelOptions {
  tir::Target target = tir::Target::Cuda; ///< what dump_kernel shows may be for the simulator
  codegen::PtxOptions ptx;
  const Type *result = nullptr; ///< that the signature of a function declares
};

struct CompiledKernel {
  codegen::Ptx ptx;
  const Type *result = nullptr;
  codegen::Timings timings;
};

/// The typed IR alone (call/compile.cpp). Without the GIL, from any number of threads. Throws
/// CompileError, InternalError.
std::shared_ptr<const tir::Module> infer_module(FunctionDef &function,
                                                const std::vector<const Type *> &arguments,
                                                const Type *result, const Snapshot &snapshot);

} // namespace numjit
