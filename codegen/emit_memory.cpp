// Memory: loads, stores, allocation, counted references.
#include "codegen/device_memory.h"
#include "codegen/function_emitter.h"
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
  switch (leaf.leaf) {
  case Leaf::I1: return b_.CreateIsNotNull(load);
  case Leaf::F16: return b_.CreateFPExt(load, b_.getFloatTy());
  default: return load;
  }
}

llvm::Value *FunctionEmitter::store_leaf(llvm::Value *pointer, llvm::Value *value,
                                         const LeafInfo &leaf, llvm::MDNode *alias,
                                         bool unaligned) {
  value = leaf.leaf == Leaf::F16 ? b_.CreateFPTrunc(value, b_.getHalfTy()) : to_memory(value);
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

void FunctionEmitter::emitAlloc(const Value &value) {
  if (module_.on_cuda()) {
    llvm::CallInst *block = b_.CreateCall(scratch_allocate(module_.module()),
                                          {leaf(value.operands[0]), b_.getInt1(value.index == 1)});
    set(value, block);
    leave_if(b_.CreateIsNull(block), module_.status_of(value, source_), value);
    return;
  }
  auto *type = llvm::FunctionType::get(module_.ptr(), {module_.i64(), module_.i32()}, false);
  llvm::Function *callee = module_.runtime("numjit_new_block", type);
  // A block is fresh memory: LLVM keeps it apart from every argument.
  callee->addRetAttr(llvm::Attribute::NoAlias);
  callee->addRetAttr(llvm::Attribute::getWithAlignment(module_.context(), llvm::Align(64)));
  callee->addFnAttr(llvm::Attribute::WillReturn);
  callee->setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
  llvm::Value *bytes = leaf(value.operands[0]);
  llvm::CallInst *block = b_.CreateCall(callee, {bytes, b_.getInt32(value.index == 1)});
  set(value, block);
  leave_if(b_.CreateIsNull(block), module_.status_of(value, source_), value);
}

// --- counts
// -----------------------------------------------------------------------------------------

void FunctionEmitter::count_owners(const Value &counted, const char *symbol) {
  const auto &layout = layout_of(counted.type).leaves;
  auto *type = llvm::FunctionType::get(b_.getVoidTy(), {module_.ptr()}, false);
  for (size_t i = 0; i < layout.size(); ++i) {
    if (!layout[i].owner || llvm::isa<llvm::ConstantPointerNull>(leaves(&counted)[i]))
      continue;
    llvm::Function *callee = module_.on_cuda() ? (llvm::StringRef(symbol) == "nj_retain"
                                                      ? scratch_retain(module_.module())
                                                      : scratch_release(module_.module()))
                                               : module_.runtime(symbol, type);
    callee->addFnAttr(llvm::Attribute::WillReturn);
    b_.CreateCall(callee, {leaves(&counted)[i]});
  }
}

void FunctionEmitter::emitRetain(const Value &value) {
  count_owners(*value.operands[0], "nj_retain");
}
void FunctionEmitter::emitRelease(const Value &value) {
  count_owners(*value.operands[0], "nj_release");
}

} // namespace numjit::codegen
