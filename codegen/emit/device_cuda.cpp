// Device operations as NVPTX intrinsics.
#include "codegen/emit/device_lowering.h"
#include "codegen/emit/scalar_lowering.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

namespace numjit::codegen {

namespace {

using llvm::Value;
namespace intrinsic = llvm::Intrinsic;
using llvm::Intrinsic::ID;

enum Space : unsigned { Global = 1, Shared = 3, Constant = 4 };

/// The NVPTX column of device_ops.def.
struct NvptxLowering {
  Value *(*emit)(const DeviceCall &call, const NvptxLowering &self);
  ID id = 0;                  ///< of an intrinsic
  int32_t clamp = 0;          ///< shuffles: of the lane that is read; the warp is one segment
  const char *hint = nullptr; ///< loads and stores: PTX's
  Value *(*own)(const DeviceCall &call) = nullptr;
};

// --- rows that are one intrinsic on their operands ---

/// A predicate of the hardware may be an int32 in the table.
Value *result_of(const DeviceCall &call, Value *result) {
  if (result->getType()->isVoidTy())
    return nullptr;
  if (result->getType()->isIntegerTy(1) && !call.value.type->is_bool())
    return call.b.CreateZExt(result, call.b.getInt32Ty());
  return result;
}

Value *emit_intrinsic(const DeviceCall &call, const NvptxLowering &self) {
  return result_of(call, call.b.CreateIntrinsic(self.id, call.x));
}

/// Barriers of the block; their first operand is the number of the barrier.
Value *emit_barrier(const DeviceCall &call, const NvptxLowering &self) {
  Leaves operands{call.b.getInt32(0)};
  operands.append(call.x.begin(), call.x.end());
  return result_of(call, call.b.CreateIntrinsic(self.id, operands));
}

// --- exchange within a warp ---

llvm::Type *bits_of(const DeviceCall &call, llvm::Type *type) {
  return call.b.getIntNTy(type->getPrimitiveSizeInBits());
}

/// The hardware moves 32 bits; wider values go in two.
Value *emit_shuffle(const DeviceCall &call, const NvptxLowering &self) {
  llvm::IRBuilder<> &b = call.b;
  llvm::Type *type = call.x[1]->getType(), *word = b.getInt32Ty();
  Value *bits = b.CreateBitCast(call.x[1], bits_of(call, type));
  auto moved = [&](Value *part) {
    return b.CreateIntrinsic(self.id, {call.x[0], part, call.x[2], b.getInt32(self.clamp)});
  };
  if (bits->getType() == word)
    return b.CreateBitCast(moved(bits), type);
  Value *low = moved(b.CreateTrunc(bits, word));
  Value *high = moved(b.CreateTrunc(b.CreateLShr(bits, 32), word));
  Value *both = b.CreateOr(b.CreateZExt(low, b.getInt64Ty()),
                           b.CreateShl(b.CreateZExt(high, b.getInt64Ty()), 32));
  return b.CreateBitCast(both, type);
}

/// Mask and bits, and whether these are 64.
bool match_operands(const DeviceCall &call, Leaves &operands) {
  Value *bits = call.b.CreateBitCast(call.x[1], bits_of(call, call.x[1]->getType()));
  operands = {call.x[0], bits};
  return bits->getType()->isIntegerTy(64);
}

Value *emit_match_any(const DeviceCall &call) {
  Leaves operands;
  const bool wide = match_operands(call, operands);
  return call.b.CreateIntrinsic(
      wide ? intrinsic::nvvm_match_any_sync_i64 : intrinsic::nvvm_match_any_sync_i32, operands);
}

Value *emit_match_all(const DeviceCall &call) {
  Leaves operands;
  const bool wide = match_operands(call, operands);
  Value *pair = call.b.CreateIntrinsic(
      wide ? intrinsic::nvvm_match_all_sync_i64p : intrinsic::nvvm_match_all_sync_i32p, operands);
  return call.b.CreateExtractValue(pair, 0);
}

// --- memory ---

llvm::GlobalVariable *global(const DeviceCall &call, llvm::Type *type, const char *name,
                             Space space, llvm::Constant *initial, uint64_t alignment,
                             llvm::GlobalValue::LinkageTypes linkage, bool constant = false) {
  auto *variable =
      new llvm::GlobalVariable(call.module.module(), type, constant, linkage, initial, name,
                               nullptr, llvm::GlobalValue::NotThreadLocal, space);
  variable->setAlignment(llvm::Align(alignment));
  return variable;
}

Value *generic(const DeviceCall &call, llvm::Constant *pointer) {
  return call.b.CreateAddrSpaceCast(pointer, call.module.ptr());
}

Value *emit_shared_array(const DeviceCall &call) {
  auto *type = llvm::ArrayType::get(call.module.i8(), call.value.integer);
  return generic(call, global(call, type, "shared", Shared, llvm::PoisonValue::get(type),
                              call.value.index, llvm::GlobalValue::InternalLinkage));
}

Value *emit_dynamic_shared(const DeviceCall &call) {
  constexpr const char *name = "numjit_dynamic_shared";
  llvm::GlobalVariable *known = call.module.module().getNamedGlobal(name);
  if (!known)
    known = global(call, llvm::ArrayType::get(call.module.i8(), 0), name, Shared, nullptr, 16,
                   llvm::GlobalValue::ExternalLinkage);
  return generic(call, known);
}

/// The bytes at an address of the host, as constant memory; large arrays as global memory.
Value *emit_constant(const DeviceCall &call) {
  constexpr int64_t kConstantMemory = 1 << 15; // half of what a module may have
  const auto *bytes = reinterpret_cast<const uint8_t *>(call.value.operands[0]->integer);
  auto *data = llvm::ConstantDataArray::get(
      call.module.context(),
      llvm::ArrayRef<uint8_t>(bytes, static_cast<size_t>(call.value.integer)));
  const Space space = call.value.integer <= kConstantMemory ? Constant : Global;
  return generic(call, global(call, data->getType(), "constant", space, data, 16,
                              llvm::GlobalValue::InternalLinkage, true));
}

// --- printing ---

Value *emit_print(const DeviceCall &call) {
  llvm::IRBuilder<> &b = call.b;
  const auto *format = reinterpret_cast<const char *>(call.value.operands[0]->integer);
  auto *data = llvm::ConstantDataArray::getString(call.module.context(), format);
  Value *text = generic(call, global(call, data->getType(), "format", Global, data, 1,
                                     llvm::GlobalValue::InternalLinkage, true));
  auto *type = llvm::FunctionType::get(b.getInt32Ty(), {b.getPtrTy(), b.getPtrTy()}, false);
  b.CreateCall(call.module.runtime("vprintf", type), {text, call.x[1]});
  return nullptr;
}

/// Stops in a debugger, and ends the launch where there is none.
Value *emit_breakpoint(const DeviceCall &call) {
  call.b.CreateIntrinsic(intrinsic::debugtrap, {});
  return nullptr;
}

// --- how caches treat memory ---

/// The instruction moves bits, through a register of at least 16.
Value *emit_cache_hint(const DeviceCall &call, const NvptxLowering &self) {
  llvm::IRBuilder<> &b = call.b;
  const Type *element = call.value.operands[0]->type->params[0];
  const Leaf leaf = layout_of(element).leaves.front().leaf;
  llvm::Type *type = memory_type(call.module.context(), leaf);
  const unsigned bits = type->getPrimitiveSizeInBits();
  llvm::IntegerType *own = b.getIntNTy(bits), *moved = b.getIntNTy(std::max(bits, 16u));
  const std::string letter = bits <= 16 ? "h" : bits == 32 ? "r" : "l";
  const std::string what = std::string(".global.") + self.hint + ".b" + std::to_string(bits);
  Value *address =
      b.CreatePtrToInt(b.CreateAddrSpaceCast(call.x[0], b.getPtrTy(Global)), b.getInt64Ty());
  auto assembly = [&](llvm::Type *result, llvm::ArrayRef<llvm::Type *> operands,
                      const std::string &text, const std::string &constraints) {
    return llvm::InlineAsm::get(llvm::FunctionType::get(result, operands, false), text,
                                constraints + ",~{memory}", /*hasSideEffects=*/true);
  };
  if (call.x.size() > 1) { // what is stored
    Value *given = to_memory_form(b, leaf, call.x[1]);
    Value *value = b.CreateZExt(b.CreateBitCast(given, own), moved);
    b.CreateCall(
        assembly(b.getVoidTy(), {b.getInt64Ty(), moved}, "st" + what + " [$0], $1;", "l," + letter),
        {address, value});
    return nullptr;
  }
  Value *value = b.CreateCall(
      assembly(moved, {b.getInt64Ty()}, "ld" + what + " $0, [$1];", "=" + letter + ",l"),
      {address});
  value = b.CreateBitCast(b.CreateTrunc(value, own), type);
  return from_memory_form(b, leaf, value);
}

// --- a barrier of the whole grid ---

Value *special(llvm::IRBuilder<> &b, ID id) { return b.CreateIntrinsic(id, {}); }

/// One thread of each block adds to a counter; all blocks together add 2**31, so its highest bit
/// turns when the last one has come, and the counter is ready for the next barrier.
void build_grid_barrier(ModuleEmitter &module, llvm::Function *function) {
  llvm::LLVMContext &context = module.context();
  auto block = [&](const char *name) { return llvm::BasicBlock::Create(context, name, function); };
  llvm::BasicBlock *entry = block("entry"), *arrive = block("arrive"), *wait = block("wait"),
                   *all = block("all"), *done = block("done");
  llvm::IRBuilder<> b(entry);
  auto *counter = new llvm::GlobalVariable(
      module.module(), module.i32(), false, llvm::GlobalValue::InternalLinkage, b.getInt32(0),
      "grid_barrier", nullptr, llvm::GlobalValue::NotThreadLocal, Global);
  auto barrier = [&] {
    b.CreateIntrinsic(intrinsic::nvvm_barrier_cta_sync_aligned_all, {b.getInt32(0)});
  };
  barrier();
  Value *thread = b.CreateOr(b.CreateOr(special(b, intrinsic::nvvm_read_ptx_sreg_tid_x),
                                        special(b, intrinsic::nvvm_read_ptx_sreg_tid_y)),
                             special(b, intrinsic::nvvm_read_ptx_sreg_tid_z));
  b.CreateCondBr(b.CreateIsNull(thread), arrive, done);
  b.SetInsertPoint(arrive);
  Value *blocks = b.CreateMul(b.CreateMul(special(b, intrinsic::nvvm_read_ptx_sreg_nctaid_x),
                                          special(b, intrinsic::nvvm_read_ptx_sreg_nctaid_y)),
                              special(b, intrinsic::nvvm_read_ptx_sreg_nctaid_z));
  Value *index = b.CreateOr(b.CreateOr(special(b, intrinsic::nvvm_read_ptx_sreg_ctaid_x),
                                       special(b, intrinsic::nvvm_read_ptx_sreg_ctaid_y)),
                            special(b, intrinsic::nvvm_read_ptx_sreg_ctaid_z));
  constexpr uint32_t turn = 0x80000000u;
  Value *rest = b.CreateSub(b.getInt32(turn), b.CreateSub(blocks, b.getInt32(1)));
  Value *amount = b.CreateSelect(b.CreateIsNull(index), rest, b.getInt32(1));
  b.CreateIntrinsic(intrinsic::nvvm_membar_gl, {});
  Value *old = b.CreateAtomicRMW(llvm::AtomicRMWInst::Add, counter, amount, llvm::Align(4),
                                 llvm::AtomicOrdering::Monotonic);
  b.CreateBr(wait);
  b.SetInsertPoint(wait);
  llvm::LoadInst *now = b.CreateAlignedLoad(b.getInt32Ty(), counter, llvm::Align(4));
  now->setAtomic(llvm::AtomicOrdering::Monotonic);
  Value *turned = b.CreateAnd(b.CreateXor(old, now), b.getInt32(turn));
  b.CreateCondBr(b.CreateIsNull(turned), wait, all);
  b.SetInsertPoint(all);
  b.CreateIntrinsic(intrinsic::nvvm_membar_gl, {});
  b.CreateBr(done);
  b.SetInsertPoint(done);
  barrier();
  b.CreateRetVoid();
}

Value *emit_grid_barrier(const DeviceCall &call) {
  constexpr const char *name = "numjit.sync_grid";
  llvm::Module &module = call.module.module();
  llvm::Function *function = module.getFunction(name);
  if (!function) {
    function = llvm::Function::Create(llvm::FunctionType::get(call.b.getVoidTy(), false),
                                      llvm::GlobalValue::InternalLinkage, name, module);
    function->addFnAttr(llvm::Attribute::Convergent);
    function->addFnAttr(llvm::Attribute::AlwaysInline);
    build_grid_barrier(call.module, function);
  }
  call.b.CreateCall(function);
  return nullptr;
}

Value *emit_own(const DeviceCall &call, const NvptxLowering &self) { return self.own(call); }
Value *emit_nothing(const DeviceCall &, const NvptxLowering &) { return nullptr; }

constexpr NvptxLowering kLowerings[] = {
#define NVVM(name)                                                                                 \
  { emit_intrinsic, intrinsic::nvvm_##name }
#define BARRIER(name)                                                                              \
  { emit_barrier, intrinsic::nvvm_##name }
#define SHUFFLE(name, clamp)                                                                       \
  { emit_shuffle, intrinsic::nvvm_##name, clamp }
#define LOAD_HINT(hint)                                                                            \
  { emit_cache_hint, 0, 0, hint }
#define STORE_HINT(hint)                                                                           \
  { emit_cache_hint, 0, 0, hint }
#define ATOMIC(...) OWN(emit_device_atomic)
#define OWN(function)                                                                              \
  { emit_own, 0, 0, nullptr, function }
#define NOTHING                                                                                    \
  { emit_nothing }
#define NUMJIT_DEVICE_OP(id, name, result, operands, effect, public_name, form, nvptx, simulator)  \
  nvptx,
#include "typeinfer/ir/device_ops.def"
#undef NUMJIT_DEVICE_OP
};

} // namespace

Value *emit_device_cuda(const DeviceCall &call) {
  const NvptxLowering &row = kLowerings[static_cast<size_t>(call.value.device_op)];
  return row.emit(call, row);
}

} // namespace numjit::codegen
