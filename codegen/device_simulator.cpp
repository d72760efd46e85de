// Device operations in the simulator: calls of runtime/simulator.h, nj_sim_NAME.
#include "codegen/device_lowering.h"

namespace numjit::codegen {

using tir::DeviceOp;

namespace {

/// A value of any scalar type as 64 bits, and back.
llvm::Value *to_bits(llvm::IRBuilder<> &b, llvm::Value *value) {
  llvm::Type *type = value->getType();
  if (type->isFloatingPointTy())
    value = b.CreateBitCast(value, b.getIntNTy(type->getPrimitiveSizeInBits()));
  return b.CreateZExt(value, b.getInt64Ty());
}
llvm::Value *from_bits(llvm::IRBuilder<> &b, llvm::Value *bits, llvm::Type *type) {
  bits = b.CreateTrunc(bits, b.getIntNTy(type->getPrimitiveSizeInBits()));
  return type->isFloatingPointTy() ? b.CreateBitCast(bits, type) : bits;
}

llvm::Type *type_of_letter(llvm::IRBuilder<> &b, char letter) {
  switch (letter) {
  case 'v': return b.getVoidTy();
  case 'b': return b.getInt8Ty();
  case 'i':
  case 'u': return b.getInt32Ty();
  case 'p': return b.getPtrTy();
  default: return b.getInt64Ty(); // T travels as 64 bits
  }
}

} // namespace

llvm::Value *emit_device_simulator(const DeviceCall &call) {
  llvm::IRBuilder<> &b = call.b;
  const tir::DeviceOpRow &row = tir::device_op_row(call.value.device_op);
  if (is_atomic(row.id))
    return emit_device_atomic(call);
  if (row.id == DeviceOp::Constant)
    return call.x[0];
  const std::string symbol = "nj_sim_" + std::string(row.name);
  if (row.id == DeviceOp::SharedArray) {
    // The address of a variable of its own tells this array apart from the others of the block.
    auto *key = new llvm::GlobalVariable(call.module.module(), b.getInt8Ty(), false,
                                         llvm::GlobalValue::InternalLinkage, b.getInt8(0), "shared");
    auto *type = llvm::FunctionType::get(b.getPtrTy(),
                                         {b.getPtrTy(), b.getInt64Ty(), b.getInt32Ty()}, false);
    return b.CreateCall(call.module.runtime(symbol, type),
                        {key, b.getInt64(call.value.integer), b.getInt32(call.value.index)});
  }
  llvm::SmallVector<llvm::Type *, 4> parameters;
  Leaves arguments;
  for (size_t i = 0; i < row.operands.size(); ++i) {
    parameters.push_back(type_of_letter(b, row.operands[i]));
    llvm::Value *x = call.x[i];
    arguments.push_back(row.operands[i] == 'T'   ? to_bits(b, x)
                        : row.operands[i] == 'b' ? b.CreateZExt(x, b.getInt8Ty())
                                                 : x);
  }
  auto *type = llvm::FunctionType::get(type_of_letter(b, row.result), parameters, false);
  llvm::Function *callee = call.module.runtime(symbol, type);
  if (row.effect == tir::Effect::Pure)
    callee->setOnlyReadsMemory();
  llvm::CallInst *result = b.CreateCall(callee, arguments);
  switch (row.result) {
  case 'v': return nullptr;
  case 'b': return b.CreateIsNotNull(result);
  case 'T':
    return from_bits(b, result, register_type(call.module.context(),
                                              layout_of(call.value.type).leaves.front().leaf));
  default: return result;
  }
}

} // namespace numjit::codegen
