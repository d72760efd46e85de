// Device operations in the simulator. passes/simulate.cpp has made loads and calls of the runtime
// of most; what is left are instructions.
#include "codegen/emit/device_lowering.h"
#include "typeinfer/errors.h"

namespace numjit::codegen {

llvm::Value *emit_device_simulator(const DeviceCall &call) {
  if (is_atomic(call.value.device_op))
    return emit_device_atomic(call);
  const tir::DeviceOpRow &row = tir::device_op_row(call.value.device_op);
  if (!row.name.starts_with("threadfence"))
    throw InternalError("the simulator does not know device operation " + std::string(row.name));
  call.b.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
  return nullptr;
}

} // namespace numjit::codegen
