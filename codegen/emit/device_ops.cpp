// Device operations whose lowering does not depend on where the kernel runs.
#include "codegen/emit/device_lowering.h"
#include "codegen/emit/function_emitter.h"
#include "codegen/passes/loop_counts.h"

namespace numjit::codegen {

using tir::DeviceOp;

void FunctionEmitter::emitDevice(const Value &value) {
  Leaves operands = all_leaves(value.operands);
  const DeviceCall call{b_, module_, value, operands};
  llvm::Value *result = module_.options().target == tir::Target::Cuda ? emit_device_cuda(call)
                                                                      : emit_device_simulator(call);
  if (result)
    set(value, result);
}

namespace {

/// The instruction of a row of device_ops.def, by the class of its type.
struct Atomic {
  llvm::AtomicRMWInst::BinOp sign = llvm::AtomicRMWInst::BAD_BINOP, plain = sign, real = sign;
};

constexpr Atomic kAtomics[] = {
#define ATOMIC(sign, plain, real)                                                                  \
  { llvm::AtomicRMWInst::sign, llvm::AtomicRMWInst::plain, llvm::AtomicRMWInst::real }
#define NVVM(...)                                                                                  \
  {}
#define BARRIER(...)                                                                               \
  {}
#define SHUFFLE(...)                                                                               \
  {}
#define LOAD_HINT(...)                                                                             \
  {}
#define STORE_HINT(...)                                                                            \
  {}
#define OWN(...)                                                                                   \
  {}
#define NOTHING                                                                                    \
  {}
#define NUMJIT_DEVICE_OP(id, name, result, operands, effect, public_name, form, nvptx, simulator)  \
  nvptx,
#include "typeinfer/ir/device_ops.def"
#undef NUMJIT_DEVICE_OP
};

llvm::Value *compare_and_swap(const DeviceCall &call) {
  llvm::IRBuilder<> &b = call.b;
  constexpr auto order = llvm::AtomicOrdering::Monotonic;
  llvm::Type *leaf = call.x[1]->getType();
  llvm::Type *bits = b.getIntNTy(leaf->getPrimitiveSizeInBits());
  llvm::Value *pair =
      b.CreateAtomicCmpXchg(call.x[0], b.CreateBitCast(call.x[1], bits),
                            b.CreateBitCast(call.x[2], bits), llvm::MaybeAlign(), order, order);
  return b.CreateBitCast(b.CreateExtractValue(pair, 0), leaf);
}

} // namespace

llvm::Value *emit_device_atomic(const DeviceCall &call) {
  if (call.value.device_op == DeviceOp::AtomicCas)
    return compare_and_swap(call);
  const Atomic &row = kAtomics[static_cast<size_t>(call.value.device_op)];
  const Type *type = call.value.type;
  llvm::AtomicRMWInst::BinOp operation = type->is_float()    ? row.real
                                         : type->is_signed() ? row.sign
                                                             : row.plain;
  llvm::Value *amount = call.x[1];
  if (operation == llvm::AtomicRMWInst::FSub) { // hardware has the addition only
    amount = call.b.CreateFNeg(amount);
    operation = llvm::AtomicRMWInst::FAdd;
  }
  llvm::AtomicRMWInst *result = call.b.CreateAtomicRMW(
      operation, call.x[0], amount, llvm::MaybeAlign(), llvm::AtomicOrdering::Monotonic);
  if (call.value.device_op == DeviceOp::AtomicCount)
    result->setMetadata(kCountTag, llvm::MDNode::get(result->getContext(), {}));
  return result;
}

} // namespace numjit::codegen
