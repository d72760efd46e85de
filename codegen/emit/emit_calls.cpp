// Calls, and the ways out of a function: status checks, raising, polls.
#include "codegen/emit/foreign_function.h"
#include "codegen/emit/function_emitter.h"
#include "codegen/passes/runtime_calls.h"
#include "typeinfer/infer.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

namespace numjit::codegen {

using llvm::Attribute;

/// Leaves the function with `status`, or goes to the handler of `raiser`, releasing what is alive
/// at it.
void FunctionEmitter::leave(llvm::Value *status, const Value &raiser) {
  for (const Value *live : raiser.cleanup)
    count_owners(*live, "nj_release");
  if (tir::guarded_by_try(*raiser.block) == &raiser) {
    b_.CreateBr(first_[raiser.block->succs[1]->id]);
    return;
  }
  if (!error_exit_) {
    llvm::IRBuilderBase::InsertPointGuard guard(b_);
    error_exit_ = llvm::BasicBlock::Create(module_.context(), "error_exit");
    b_.SetInsertPoint(error_exit_);
    error_status_ = b_.CreatePHI(module_.i32(), 4);
    return_status(error_status_);
  }
  error_status_->addIncoming(status, b_.GetInsertBlock());
  b_.CreateBr(error_exit_);
}

void FunctionEmitter::leave_if(llvm::Value *failed, llvm::Value *status, const Value &raiser) {
  llvm::BasicBlock *error = new_cold_block("error");
  llvm::BasicBlock *fine = new_block("fine");
  b_.CreateCondBr(failed, error, fine, module_.unlikely());
  b_.SetInsertPoint(error);
  leave(status, raiser);
  b_.SetInsertPoint(fine);
}

llvm::CallInst *FunctionEmitter::cold_call(llvm::Function *callee,
                                           llvm::ArrayRef<llvm::Value *> arguments) {
  llvm::CallInst *call = b_.CreateCall(callee, arguments);
  call->addFnAttr(Attribute::Cold);
  return call;
}

void FunctionEmitter::emitCall(const Value &value) {
  AnyFloats any(b_);
  const tir::Function &callee = *value.callee;
  Leaves arguments = all_leaves(value.operands);
  if (callee.recursive)
    arguments.push_back(stack_limit());
  const bool first_level = &callee == &source_ && convention_ == Convention::Leaves;
  llvm::CallInst *call = b_.CreateCall(
      first_level ? module_.recursive_call(callee) : module_.function(callee), arguments);
  call->setCallingConv(llvm::CallingConv::Fast);
  const size_t count = layout_of(callee.result).leaves.size();
  Leaves parts;
  llvm::Value *status = nullptr;
  if (count + callee.may_raise == 1) {
    (count ? parts.emplace_back() : status) = call;
  } else {
    for (unsigned i = 0; i < count; ++i)
      parts.push_back(b_.CreateExtractValue(call, i));
    if (callee.may_raise)
      status = b_.CreateExtractValue(call, count);
  }
  set(value, parts);
  if (status)
    leave_if(b_.CreateIsNotNull(status),
             callee.def && callee.def->is_library ? module_.status_of(value, source_) : status,
             value);
}

void FunctionEmitter::emitCallRuntime(const Value &value) {
  const tir::RuntimeOpRow &row = tir::runtime_op_row(value.runtime_op);
  if (row.id == tir::RuntimeOp::ListNew || row.id == tir::RuntimeOp::InstanceNew)
    return make_object(value);
  Leaves arguments;
  for (llvm::Value *argument : all_leaves(value.operands))
    arguments.push_back(to_memory(argument));
  const bool by_pointer = row.raises && row.result != 'v';
  llvm::AllocaInst *result = nullptr;
  const auto &layout = layout_of(value.type).leaves;
  if (by_pointer) {
    result = entry_alloca(memory_type(module_.context(), layout.front().leaf), 1, llvm::Align(8));
    arguments.push_back(result);
  }
  llvm::CallInst *call = b_.CreateCall(module_.runtime(row), arguments);
  if (row.raises)
    leave_if(b_.CreateIsNotNull(call),
             value.runtime_op == tir::RuntimeOp::Parallel // it passes on that of the loop's body
                 ? static_cast<llvm::Value *>(call)
                 : module_.status_of(value, source_),
             value);
  if (by_pointer)
    set(value, load_leaf(result, layout.front(), nullptr));
  else if (!layout.empty())
    set(value, layout.front().leaf == Leaf::I1 ? from_memory(call) : call);
}

void FunctionEmitter::emitFunctionAddress(const Value &value) {
  set(value, value.index == 1 ? module_.loop_entry(*value.callee) : module_.c_entry(*value.callee));
}

/// The C calling convention of x86-64: small integers extended, complex64 in one register.
void FunctionEmitter::emitCallPointer(const Value &value) {
  if (value.reference) {
    set(value, call_foreign(
                   module_, b_, *target_, value,
                   all_leaves(llvm::ArrayRef(value.operands).drop_front().drop_back(value.index))));
    return;
  }
  llvm::Type *pair = llvm::FixedVectorType::get(b_.getFloatTy(), 2);
  llvm::SmallVector<llvm::Type *, 8> types;
  Leaves arguments;
  llvm::SmallVector<Attribute::AttrKind, 8> extensions;
  auto extension = [](const Type *type) {
    if (type->is_bool() || (type->is_unsigned() && type->bits() < 32))
      return Attribute::ZExt;
    return type->is_signed() && type->bits() < 32 ? Attribute::SExt : Attribute::None;
  };
  for (size_t i = 1; i < value.operands.size(); ++i) {
    const Value *operand = value.operands[i];
    if (operand->type->is(ScalarId::Complex64)) {
      llvm::Value *both = llvm::PoisonValue::get(pair);
      for (unsigned k : {0u, 1u})
        both = b_.CreateInsertElement(both, leaves(operand)[k], k);
      arguments.push_back(both);
      extensions.push_back(Attribute::None);
      continue;
    }
    for (llvm::Value *part : leaves(operand)) {
      arguments.push_back(part);
      extensions.push_back(extension(operand->type));
    }
  }
  for (llvm::Value *argument : arguments)
    types.push_back(argument->getType());

  const auto &layout = layout_of(value.type).leaves;
  llvm::SmallVector<llvm::Type *, 2> results;
  for (const LeafInfo &leaf : layout)
    results.push_back(register_type(module_.context(), leaf.leaf));
  const bool packed = value.type->is(ScalarId::Complex64);
  llvm::Type *result = packed                ? pair
                       : results.empty()     ? b_.getVoidTy()
                       : results.size() == 1 ? results[0]
                                             : llvm::StructType::get(module_.context(), results);
  auto *type = llvm::FunctionType::get(result, types, false);
  llvm::Value *callee =
      value.name.empty() ? leaf(value.operands[0]) : module_.runtime(value.name, type);
  llvm::CallInst *call = b_.CreateCall(type, callee, arguments);
  for (size_t i = 0; i < extensions.size(); ++i)
    if (extensions[i] != Attribute::None)
      call->addParamAttr(i, extensions[i]);
  if (value.type->is_scalar() && extension(value.type) != Attribute::None)
    call->addRetAttr(extension(value.type));
  Leaves parts;
  for (unsigned i = 0; i < layout.size(); ++i)
    parts.push_back(packed               ? b_.CreateExtractElement(call, i)
                    : layout.size() == 1 ? call
                                         : b_.CreateExtractValue(call, i));
  set(value, parts);
}

// --- ways out ---

/// How many values of a raise the host is told: integers that its message has places for.
size_t recorded_values(const tir::Value &raised) {
  if (!raised.site->has_message || raised.operands.size() > kRecordedValues)
    return 0;
  for (const tir::Value *operand : raised.operands)
    if (!operand->type->is_integer())
      return 0;
  return raised.operands.size();
}

/// Keeps the first raise of a launch for the host: its number, which thread of which block, and the
/// integers in its message. Otherwise the thread only ends, as in Numba.
void FunctionEmitter::record_raise(const Value &value) {
  if (!module_.options().record_raises)
    return;
  constexpr unsigned kValues = 8, kWords = kValues + 2 * kRecordedValues;
  llvm::Module &module = module_.module();
  llvm::GlobalVariable *record = module.getNamedGlobal("numjit_raised");
  if (!record) {
    auto *type = llvm::ArrayType::get(module_.i32(), kWords);
    record = new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::ExternalLinkage,
                                      llvm::Constant::getNullValue(type), "numjit_raised", nullptr,
                                      llvm::GlobalValue::NotThreadLocal, /*AddressSpace=*/1);
  }
  namespace intrinsic = llvm::Intrinsic;
  constexpr auto order = llvm::AtomicOrdering::Monotonic;
  llvm::Value *number = b_.getInt32(static_cast<uint32_t>(module_.add_raise(value, source_)));
  llvm::Value *pair =
      b_.CreateAtomicCmpXchg(record, b_.getInt32(0), number, llvm::MaybeAlign(), order, order);
  llvm::BasicBlock *first = new_block("first_raise"), *done = new_block("raised");
  b_.CreateCondBr(b_.CreateExtractValue(pair, 1), first, done);
  b_.SetInsertPoint(first);
  unsigned word = 1;
  for (auto id : {intrinsic::nvvm_read_ptx_sreg_tid_x, intrinsic::nvvm_read_ptx_sreg_tid_y,
                  intrinsic::nvvm_read_ptx_sreg_tid_z, intrinsic::nvvm_read_ptx_sreg_ctaid_x,
                  intrinsic::nvvm_read_ptx_sreg_ctaid_y, intrinsic::nvvm_read_ptx_sreg_ctaid_z})
    b_.CreateStore(b_.CreateIntrinsic(id, {}),
                   b_.CreateConstInBoundsGEP1_32(module_.i32(), record, word++));
  for (size_t i = 0; i < recorded_values(value); ++i) {
    llvm::Value *place = b_.CreateConstInBoundsGEP1_32(module_.i32(), record, kValues + 2 * i);
    b_.CreateAlignedStore(b_.CreateSExt(leaf(value.operands[i]), module_.i64()), place,
                          llvm::Align(4));
  }
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

void FunctionEmitter::emitRaise(const Value &value) {
  if (module_.on_cuda()) {
    record_raise(value);
    return_status(b_.getInt32(1));
    return;
  }
  llvm::Value *slots = llvm::ConstantPointerNull::get(module_.ptr());
  if (!value.operands.empty()) {
    size_t count = 0;
    for (const Value *operand : value.operands)
      count += layout_of(operand->type).leaves.size();
    if (count) {
      llvm::AllocaInst *memory = entry_alloca(module_.i64(), count, llvm::Align(8));
      size_t next = 0;
      for (const Value *operand : value.operands) {
        store_slots(operand->type, leaves(operand), leaf_pointer(memory, 8 * next));
        next += layout_of(operand->type).leaves.size();
      }
      slots = memory;
    }
  }
  cold_call(module_.runtime(tir::runtime_op_row(tir::RuntimeOp::SetError)),
            {module_.raise_site(value, source_), slots});
  emitReraise(value);
}

void FunctionEmitter::emitReraise(const Value &value) {
  if (value.block->succs.empty())
    return_status(b_.getInt32(1));
  else
    b_.CreateBr(first_[value.block->succs[0]->id]);
}

/// The operation in front has left for the handler if it raised.
void FunctionEmitter::emitTry(const Value &value) {
  b_.CreateBr(first_[value.block->succs[0]->id]);
}

void FunctionEmitter::emitPoll(const Value &value) {
  if (convention_ == Convention::SecondLevel && value.block == source_.blocks.front())
    return;
  llvm::LoadInst *flag = b_.CreateAlignedLoad(module_.i32(), module_.flag(kPollFlag),
                                              llvm::Align(4), /*isVolatile=*/true);
  llvm::BasicBlock *poll = new_cold_block("poll");
  llvm::BasicBlock *go_on = new_block("go_on");
  b_.CreateCondBr(b_.CreateIsNotNull(flag), poll, go_on, module_.unlikely());
  b_.SetInsertPoint(poll);
  llvm::Function *callee = module_.runtime("nj_poll");
  callee->setCallingConv(llvm::CallingConv::PreserveMost);
  llvm::CallInst *status = cold_call(callee, {});
  status->setCallingConv(llvm::CallingConv::PreserveMost);
  leave_if(b_.CreateIsNotNull(status), module_.status_of(value, source_), value);
  b_.CreateBr(go_on);
  b_.SetInsertPoint(go_on);
}

// --- recursion ---

llvm::Value *FunctionEmitter::stack_limit() {
  if (source_.recursive)
    return stack_limit_;
  llvm::Function *callee = module_.runtime("nj_stack_limit");
  callee->setOnlyReadsMemory();
  callee->addFnAttr(Attribute::WillReturn);
  return b_.CreateCall(callee);
}

void FunctionEmitter::emitStackCheck(const Value &value) {
  if (convention_ == Convention::SecondLevel)
    return;
  llvm::Metadata *name = llvm::MDString::get(module_.context(), "rsp");
  llvm::Value *operand =
      llvm::MetadataAsValue::get(module_.context(), llvm::MDNode::get(module_.context(), name));
  llvm::Value *here =
      b_.CreateIntrinsic(llvm::Intrinsic::read_register, {module_.i64()}, {operand});
  llvm::Value *limit = b_.CreatePtrToInt(stack_limit(), module_.i64());
  llvm::BasicBlock *overflow = new_cold_block("stack_overflow");
  llvm::BasicBlock *enough = new_block("enough_stack");
  b_.CreateCondBr(b_.CreateICmpULT(here, limit), overflow, enough, module_.unlikely());
  b_.SetInsertPoint(overflow);
  if (value.site) {
    cold_call(module_.runtime(tir::runtime_op_row(tir::RuntimeOp::SetError)),
              {module_.raise_site(value, source_), llvm::ConstantPointerNull::get(module_.ptr())});
  } else {
    cold_call(
        module_.runtime("nj_set_simple_error"),
        {module_.string("RecursionError"), module_.string("maximum recursion depth exceeded")});
  }
  leave(module_.status_of(value, source_), value);
  b_.SetInsertPoint(enough);
}

} // namespace numjit::codegen
