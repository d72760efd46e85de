// Device operations whose lowering does not depend on where the kernel runs.
#include "codegen/emit/device_lowering.h"
#include "codegen/emit/function_emitter.h"

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

llvm::AtomicRMWInst::BinOp operation_of(DeviceOp op, const Type *type) {
  using Atomic = llvm::AtomicRMWInst;
  const bool real = type->is_float(), sign = type->is_signed();
  switch (op) {
  case DeviceOp::AtomicAdd: return real ? Atomic::FAdd : Atomic::Add;
  case DeviceOp::AtomicSub: return real ? Atomic::FSub : Atomic::Sub;
  case DeviceOp::AtomicMax: return real ? Atomic::FMaximum : sign ? Atomic::Max : Atomic::UMax;
  case DeviceOp::AtomicMin: return real ? Atomic::FMinimum : sign ? Atomic::Min : Atomic::UMin;
  case DeviceOp::AtomicNanMax: return real ? Atomic::FMax : sign ? Atomic::Max : Atomic::UMax;
  case DeviceOp::AtomicNanMin: return real ? Atomic::FMin : sign ? Atomic::Min : Atomic::UMin;
  case DeviceOp::AtomicAnd: return Atomic::And;
  case DeviceOp::AtomicOr: return Atomic::Or;
  case DeviceOp::AtomicXor: return Atomic::Xor;
  case DeviceOp::AtomicInc: return Atomic::UIncWrap;
  case DeviceOp::AtomicDec: return Atomic::UDecWrap;
  default: return Atomic::Xchg;
  }
}

} // namespace

llvm::Value *emit_device_atomic(const DeviceCall &call) {
  llvm::IRBuilder<> &b = call.b;
  constexpr auto order = llvm::AtomicOrdering::Monotonic;
  const Type *type = call.value.type;
  llvm::Type *leaf = call.x[1]->getType();
  if (call.value.device_op != DeviceOp::AtomicCas) {
    llvm::Value *amount = call.x[1];
    DeviceOp op = call.value.device_op;
    if (op == DeviceOp::AtomicSub && type->is_float()) { // hardware has the addition only
      amount = b.CreateFNeg(amount);
      op = DeviceOp::AtomicAdd;
    }
    return b.CreateAtomicRMW(operation_of(op, type), call.x[0], amount, llvm::MaybeAlign(), order);
  }
  llvm::Type *bits = b.getIntNTy(leaf->getPrimitiveSizeInBits());
  llvm::Value *pair =
      b.CreateAtomicCmpXchg(call.x[0], b.CreateBitCast(call.x[1], bits),
                            b.CreateBitCast(call.x[2], bits), llvm::MaybeAlign(), order, order);
  return b.CreateBitCast(b.CreateExtractValue(pair, 0), leaf);
}

} // namespace numjit::codegen
