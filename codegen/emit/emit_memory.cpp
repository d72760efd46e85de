// Memory: loads, stores, allocation, counted references.
#include "codegen/emit/debug_info.h"
#include "codegen/emit/function_emitter.h"
#include "codegen/emit/scalar_lowering.h"
#include "codegen/passes/block_makers.h"
#include "codegen/passes/device_memory.h"
#include "runtime/runtime.h"
#include "runtime/simulator.h"

namespace numjit::codegen {

using tir::Op;

llvm::AllocaInst *FunctionEmitter::entry_alloca(llvm::Type *type, uint64_t count,
                                                llvm::Align align) {
  llvm::BasicBlock &entry = target_->getEntryBlock();
  llvm::IRBuilder<> b(&entry, entry.begin());
  llvm::AllocaInst *memory = b.CreateAlloca(type, count == 1 ? nullptr : b_.getInt64(count));
  memory->setAlignment(align);
  return memory;
}

llvm::Value *FunctionEmitter::leaf_pointer(llvm::Value *base, uint32_t offset) {
  return offset == 0 ? base : b_.CreateConstInBoundsGEP1_64(module_.i8(), base, offset);
}

llvm::Value *FunctionEmitter::to_memory(llvm::Value *value) {
  return value->getType()->isIntegerTy(1) ? b_.CreateZExt(value, module_.i8()) : value;
}

llvm::Value *FunctionEmitter::from_memory(llvm::Value *value) {
  return value->getType()->isIntegerTy(8) ? b_.CreateIsNotNull(value) : value;
}

llvm::Value *FunctionEmitter::load_leaf(llvm::Value *pointer, const LeafInfo &leaf,
                                        llvm::MDNode *alias, bool unaligned) {
  llvm::LoadInst *load = b_.CreateAlignedLoad(memory_type(module_.context(), leaf.leaf), pointer,
                                              llvm::Align(unaligned ? 1 : leaf_size(leaf.leaf)));
  if (alias)
    load->setMetadata(llvm::LLVMContext::MD_tbaa, alias);
  return from_memory_form(b_, leaf.leaf, load);
}

llvm::Value *FunctionEmitter::store_leaf(llvm::Value *pointer, llvm::Value *value,
                                         const LeafInfo &leaf, llvm::MDNode *alias,
                                         bool unaligned) {
  value = to_memory_form(b_, leaf.leaf, value);
  llvm::StoreInst *store =
      b_.CreateAlignedStore(value, pointer, llvm::Align(unaligned ? 1 : leaf_size(leaf.leaf)));
  if (alias)
    store->setMetadata(llvm::LLVMContext::MD_tbaa, alias);
  return store;
}

void FunctionEmitter::emitPtrAdd(const Value &value) {
  set(value, b_.CreateInBoundsPtrAdd(leaf(value.operands[0]), leaf(value.operands[1])));
}

void FunctionEmitter::emitPtrToInt(const Value &value) {
  set(value, b_.CreatePtrToInt(leaf(value.operands[0]), module_.i64()));
}

void FunctionEmitter::emitOwnerData(const Value &value) {
  set(value, leaf_pointer(leaf(value.operands[0]),
                          module_.on_cuda() ? NJ_SCRATCH_HEADER : NJ_PAYLOAD_OFFSET));
}

void FunctionEmitter::emitLoad(const Value &value) {
  llvm::Value *pointer = leaf(value.operands[0]);
  Leaves parts;
  for (const LeafInfo &part : layout_of(value.type).leaves) {
    llvm::Value *loaded =
        load_leaf(leaf_pointer(pointer, part.offset), part, module_.alias_tag(value.alias),
                  value.alias == tir::Alias::Unaligned);
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(loaded)) {
      if (value.index == 1)
        load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                          llvm::MDNode::get(module_.context(), {}));
      if (value.nonneg && part.leaf == Leaf::I64)
        load->setMetadata(llvm::LLVMContext::MD_range, module_.nonnegative());
    }
    parts.push_back(loaded);
  }
  set(value, parts);
}

void FunctionEmitter::emitStore(const Value &value) {
  llvm::Value *pointer = leaf(value.operands[0]);
  const Value *stored = value.operands[1];
  const auto &layout = layout_of(stored->type).leaves;
  for (size_t i = 0; i < layout.size(); ++i)
    store_leaf(leaf_pointer(pointer, layout[i].offset), leaves(stored)[i], layout[i],
               module_.alias_tag(value.alias), value.alias == tir::Alias::Unaligned);
}

/// The locks' pointers are read by nobody, so memory that only this function knows keeps apart from
/// them, and blocks that become local variables lose them (local_blocks.h).
void FunctionEmitter::emitExchange(const Value &value) {
  llvm::Value *threads = nullptr;
  if (!module_.on_cuda())
    threads = b_.CreateIsNotNull(
        b_.CreateAlignedLoad(module_.i32(), module_.flag("nj_threads_flag"), llvm::Align(4)));
  auto lock = [&](const char *symbol) {
    if (!threads)
      return;
    llvm::Function *callee = module_.runtime(symbol);
    callee->addParamAttr(0, llvm::Attribute::ReadNone);
    callee->addParamAttr(
        0, llvm::Attribute::getWithCaptureInfo(module_.context(), llvm::CaptureInfo::none()));
    callee->addFnAttr(llvm::Attribute::WillReturn);
    llvm::BasicBlock *shared = new_cold_block("shared"), *go_on = new_block("go_on");
    b_.CreateCondBr(threads, shared, go_on, module_.unlikely());
    b_.SetInsertPoint(shared);
    b_.CreateCall(callee, {leaf(value.operands[0])});
    b_.CreateBr(go_on);
    b_.SetInsertPoint(go_on);
  };
  lock("nj_lock_place");
  emitLoad(value);
  emitStore(value);
  lock("nj_unlock_place");
}

void FunctionEmitter::emitCopy(const Value &value) {
  llvm::CallInst *copy =
      b_.CreateMemCpy(leaf(value.operands[0]), llvm::MaybeAlign(1), leaf(value.operands[1]),
                      llvm::MaybeAlign(1), leaf(value.operands[2]));
  copy->setMetadata(llvm::LLVMContext::MD_tbaa, module_.alias_tag(value.alias));
}

void FunctionEmitter::emitStackAlloc(const Value &value) {
  llvm::AllocaInst *memory =
      entry_alloca(module_.i8(), std::max<int64_t>(value.integer, 1), llvm::Align(16));
  // Of memory that has a beginning already, LLVM's inliner does not say that it ends with the call.
  if (value.index)
    llvm::IRBuilder<>(memory->getNextNode()).CreateLifetimeStart(memory);
  set(value, memory);
}

/// A volatile store stays where it is: a debugger sees the variable whatever became of its value.
void FunctionEmitter::emitBind(const Value &value) {
  DebugInfo *debug = module_.debug_info();
  if (!debug || !debug->has_variables())
    return;
  const Value &bound = *value.operands[0];
  const TypeLayout &layout = layout_of(bound.type);
  llvm::AllocaInst *&memory = variables_[{value.origin, value.name, bound.type}];
  if (!memory) {
    memory = entry_alloca(module_.i8(), layout.size, llvm::Align(16));
    debug->declare(memory, value);
  }
  for (size_t i = 0; i < layout.leaves.size(); ++i) {
    const LeafInfo &part = layout.leaves[i];
    llvm::Value *store =
        store_leaf(leaf_pointer(memory, part.offset), leaves(&bound)[i], part, nullptr);
    llvm::cast<llvm::StoreInst>(store)->setVolatile(true);
  }
}

void FunctionEmitter::emitAlloc(const Value &value) {
  if (module_.on_cuda()) {
    llvm::CallInst *block =
        allocate_scratch(module_.module(), b_, leaf(value.operands[0]), value.index == 1);
    set(value, block);
    leave_if(b_.CreateIsNull(block), module_.status_of(value, source_), value);
    return;
  }
  make_block(value, kNewBlock, {leaf(value.operands[0]), b_.getInt32(value.index == 1)});
}

/// A call of one of the functions of local_blocks.h.
llvm::CallInst *FunctionEmitter::make_block(const Value &value, const char *maker,
                                            llvm::ArrayRef<llvm::Value *> arguments) {
  llvm::SmallVector<llvm::Type *, 3> types;
  for (llvm::Value *argument : arguments)
    types.push_back(argument->getType());
  llvm::Function *callee =
      module_.runtime(maker, llvm::FunctionType::get(module_.ptr(), types, false));
  // A block is fresh memory: LLVM keeps it apart from every argument.
  callee->addRetAttr(llvm::Attribute::NoAlias);
  const bool is_array = llvm::StringRef(maker) == kNewBlock;
  callee->addRetAttr(llvm::Attribute::getWithAlignment(
      module_.context(), llvm::Align(is_array ? NJ_PAYLOAD_OFFSET : 8)));
  callee->addFnAttr(llvm::Attribute::WillReturn);
  callee->setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
  llvm::CallInst *block = b_.CreateCall(callee, arguments);
  set(value, block);
  leave_if(b_.CreateIsNull(block), module_.status_of(value, source_), value);
  return block;
}

/// A list or an instance.
void FunctionEmitter::make_object(const Value &value) {
  const bool is_list = value.runtime_op == tir::RuntimeOp::ListNew;
  llvm::CallInst *block =
      make_block(value, is_list ? kNewList : kNewInstance, all_leaves(value.operands));
  const Value *operand = value.operands.back();
  if (operand->op != Op::Const || !operand->integer)
    return;
  const auto *item = reinterpret_cast<const nj_item *>(operand->integer);
  std::string offsets;
  for (int32_t i = 0; i < item->owner_count; ++i)
    offsets += std::to_string(item->owner_offsets[i]) + ",";
  block->addFnAttr(llvm::Attribute::get(module_.context(), kOwnerOffsets, offsets));
  if (is_list)
    return;
  // The fields are zero. That LLVM sees it for owners spares their release when they are set.
  for (int32_t i = 0; i < item->owner_count; ++i) {
    const auto offset = static_cast<uint32_t>(sizeof(nj_instance)) + item->owner_offsets[i];
    llvm::StoreInst *store =
        b_.CreateAlignedStore(llvm::ConstantPointerNull::get(module_.ptr()),
                              leaf_pointer(block, NJ_PAYLOAD_OFFSET + offset), llvm::Align(8));
    store->setMetadata(llvm::LLVMContext::MD_tbaa, module_.alias_tag(tir::Alias::Fields));
  }
}

// --- counts ---

void FunctionEmitter::count_owners(const Value &counted, const char *symbol) {
  const bool retains = llvm::StringRef(symbol) == "nj_retain";
  const auto &layout = layout_of(counted.type).leaves;
  for (size_t i = 0; i < layout.size(); ++i) {
    if (!layout[i].owner || llvm::isa<llvm::ConstantPointerNull>(leaves(&counted)[i]))
      continue;
    llvm::Value *owner = leaves(&counted)[i];
    llvm::CallInst *call = module_.on_cuda() ? count_scratch(module_.module(), b_, owner, retains)
                                             : b_.CreateCall(module_.runtime(symbol), {owner});
    call->getCalledFunction()->addFnAttr(llvm::Attribute::WillReturn);
    if (retains) // all it changes is a count
      call->setMetadata(llvm::LLVMContext::MD_tbaa, module_.count_tag());
  }
}

void FunctionEmitter::emitRetain(const Value &value) {
  count_owners(*value.operands[0], "nj_retain");
}
void FunctionEmitter::emitRelease(const Value &value) {
  count_owners(*value.operands[0], "nj_release");
}

} // namespace numjit::codegen
