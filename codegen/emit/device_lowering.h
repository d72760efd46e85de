// The rows of device_ops.def as LLVM IR, for GPUs and for the simulator.
#pragma once

#include "codegen/emit/module_emitter.h"

namespace numjit::codegen {

/// One device operation to emit.
struct DeviceCall {
  llvm::IRBuilder<> &b;
  ModuleEmitter &module;
  const tir::Value &value;
  llvm::ArrayRef<llvm::Value *> x; ///< the operands; each is one leaf
};

/// Each returns the result, null where the row has none.
llvm::Value *emit_device_cuda(const DeviceCall &call);
llvm::Value *emit_device_simulator(const DeviceCall &call);

/// The atomics are instructions of LLVM, wherever the code runs.
llvm::Value *emit_device_atomic(const DeviceCall &call);

} // namespace numjit::codegen
