// A thread's scratch memory begins with the number of bytes that are in use; blocks follow, each
// with a count of references and its size in front. A new block takes the place of the first free
// one that is large enough, or comes behind the last one; the last one goes when it is free.
#include "codegen/passes/device_memory.h"

#include "codegen/passes/local_blocks.h"
#include "runtime/simulator.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

namespace numjit::codegen {

namespace {

constexpr const char *kAllocate = kNewScratchBlock, *kRetain = "numjit_scratch_retain",
                     *kRelease = "numjit_scratch_release", *kBegin = "numjit_scratch_begin";
constexpr int64_t kHeader = NJ_SCRATCH_HEADER, kAlign = NJ_SCRATCH_ALIGN;
static_assert(kHeader == 16 && kAlign == 16);

/// {address of the buffer, bytes of a thread, bytes that a thread would have needed}
llvm::GlobalVariable *state(llvm::Module &module) {
  if (auto *known = module.getNamedGlobal("numjit_scratch"))
    return known;
  auto *type = llvm::ArrayType::get(llvm::Type::getInt64Ty(module.getContext()), 3);
  return new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::ExternalLinkage,
                                  llvm::Constant::getNullValue(type), "numjit_scratch", nullptr,
                                  llvm::GlobalValue::NotThreadLocal, /*AddressSpace=*/1);
}

llvm::Value *state_word(llvm::Module &module, llvm::IRBuilder<> &b, unsigned word) {
  return b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), state(module), word);
}

llvm::Value *load_state(llvm::Module &module, llvm::IRBuilder<> &b, unsigned word) {
  llvm::LoadInst *load =
      b.CreateAlignedLoad(b.getInt64Ty(), state_word(module, b, word), llvm::Align(8));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
  return load;
}

/// Where this thread's memory begins.
llvm::Value *arena(llvm::Module &module, llvm::IRBuilder<> &b) {
  namespace intrinsic = llvm::Intrinsic;
  auto read = [&](llvm::Intrinsic::ID id) {
    return b.CreateZExt(b.CreateIntrinsic(id, {}), b.getInt64Ty());
  };
  auto linear = [&](llvm::Value *x, llvm::Value *y, llvm::Value *z, llvm::Value *nx,
                    llvm::Value *ny) {
    return b.CreateAdd(b.CreateMul(b.CreateAdd(b.CreateMul(z, ny), y), nx), x);
  };
  llvm::Value *nx = read(intrinsic::nvvm_read_ptx_sreg_ntid_x),
              *ny = read(intrinsic::nvvm_read_ptx_sreg_ntid_y),
              *nz = read(intrinsic::nvvm_read_ptx_sreg_ntid_z);
  llvm::Value *thread =
      linear(read(intrinsic::nvvm_read_ptx_sreg_tid_x), read(intrinsic::nvvm_read_ptx_sreg_tid_y),
             read(intrinsic::nvvm_read_ptx_sreg_tid_z), nx, ny);
  llvm::Value *block = linear(
      read(intrinsic::nvvm_read_ptx_sreg_ctaid_x), read(intrinsic::nvvm_read_ptx_sreg_ctaid_y),
      read(intrinsic::nvvm_read_ptx_sreg_ctaid_z), read(intrinsic::nvvm_read_ptx_sreg_nctaid_x),
      read(intrinsic::nvvm_read_ptx_sreg_nctaid_y));
  llvm::Value *number =
      b.CreateAdd(b.CreateMul(block, b.CreateMul(b.CreateMul(nx, ny), nz)), thread);
  llvm::Value *offset = b.CreateMul(number, load_state(module, b, 1));
  llvm::Value *address = b.CreateAdd(load_state(module, b, 0), offset);
  return b.CreateAddrSpaceCast(b.CreateIntToPtr(address, llvm::PointerType::get(b.getContext(), 1)),
                               b.getPtrTy());
}

llvm::Value *word_at(llvm::IRBuilder<> &b, llvm::Value *pointer, unsigned word) {
  return b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), pointer, word);
}
llvm::Value *load_word(llvm::IRBuilder<> &b, llvm::Value *pointer, unsigned word = 0) {
  return b.CreateAlignedLoad(b.getInt64Ty(), word_at(b, pointer, word), llvm::Align(8));
}
void store_word(llvm::IRBuilder<> &b, llvm::Value *value, llvm::Value *pointer, unsigned word = 0) {
  b.CreateAlignedStore(value, word_at(b, pointer, word), llvm::Align(8));
}

/// A function of the module that is not inlined: LocalBlocksPass looks for its calls.
llvm::Function *make(llvm::Module &module, const char *name, llvm::Type *result,
                     llvm::ArrayRef<llvm::Type *> parameters) {
  auto *function = llvm::Function::Create(llvm::FunctionType::get(result, parameters, false),
                                          llvm::GlobalValue::InternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  return function;
}

llvm::BasicBlock *block_in(llvm::Function *function, const char *name) {
  return llvm::BasicBlock::Create(function->getContext(), name, function);
}

} // namespace

llvm::Function *scratch_allocate(llvm::Module &module) {
  if (llvm::Function *known = module.getFunction(kAllocate))
    return known;
  llvm::IRBuilder<> b(module.getContext());
  llvm::Function *function = make(module, kAllocate, b.getPtrTy(), {b.getInt64Ty(), b.getInt1Ty()});
  function->addRetAttr(llvm::Attribute::NoAlias);
  llvm::BasicBlock *entry = block_in(function, "entry"), *search = block_in(function, "search"),
                   *look = block_in(function, "look"), *go_on = block_in(function, "go_on"),
                   *behind = block_in(function, "behind"), *push = block_in(function, "push"),
                   *full = block_in(function, "full"), *found = block_in(function, "found"),
                   *zero = block_in(function, "zero"), *done = block_in(function, "done");
  b.SetInsertPoint(entry);
  llvm::Value *memory = arena(module, b), *limit = load_state(module, b, 1);
  llvm::Value *wanted =
      b.CreateAnd(b.CreateAdd(function->getArg(0), b.getInt64(kAlign - 1)), b.getInt64(-kAlign));
  wanted = b.CreateAdd(wanted, b.getInt64(kHeader));
  llvm::BasicBlock *usable = block_in(function, "usable");
  b.CreateCondBr(b.CreateICmpULE(limit, b.getInt64(kAlign)), full, usable);
  b.SetInsertPoint(usable);
  llvm::Value *top = load_word(b, memory);
  b.CreateBr(search);

  b.SetInsertPoint(search);
  llvm::PHINode *place = b.CreatePHI(b.getInt64Ty(), 2);
  place->addIncoming(b.getInt64(kAlign), usable);
  b.CreateCondBr(b.CreateICmpULT(place, top), look, behind);
  b.SetInsertPoint(look);
  llvm::Value *old = b.CreateInBoundsPtrAdd(memory, place);
  llvm::Value *size = load_word(b, old, 1);
  llvm::Value *fits =
      b.CreateAnd(b.CreateICmpEQ(load_word(b, old), b.getInt64(0)), b.CreateICmpUGE(size, wanted));
  b.CreateCondBr(fits, found, go_on);
  b.SetInsertPoint(go_on);
  place->addIncoming(b.CreateAdd(place, size), go_on);
  b.CreateBr(search);

  b.SetInsertPoint(behind);
  llvm::Value *new_top = b.CreateAdd(top, wanted);
  b.CreateCondBr(b.CreateICmpULE(new_top, limit), push, full);
  b.SetInsertPoint(push);
  llvm::Value *fresh = b.CreateInBoundsPtrAdd(memory, top);
  store_word(b, wanted, fresh, 1);
  store_word(b, new_top, memory);
  b.CreateBr(found);

  b.SetInsertPoint(full);
  llvm::PHINode *needed = b.CreatePHI(b.getInt64Ty(), 2);
  needed->addIncoming(new_top, behind);
  needed->addIncoming(wanted, entry);
  b.CreateAtomicRMW(llvm::AtomicRMWInst::UMax, state_word(module, b, 2), needed, llvm::MaybeAlign(),
                    llvm::AtomicOrdering::Monotonic);
  b.CreateRet(llvm::ConstantPointerNull::get(b.getPtrTy()));

  b.SetInsertPoint(found);
  llvm::PHINode *block = b.CreatePHI(b.getPtrTy(), 2);
  block->addIncoming(old, look);
  block->addIncoming(fresh, push);
  store_word(b, b.getInt64(1), block);
  b.CreateCondBr(function->getArg(1), zero, done);
  b.SetInsertPoint(zero);
  b.CreateMemSet(b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), block, kHeader), b.getInt8(0),
                 b.CreateSub(wanted, b.getInt64(kHeader)), llvm::Align(kAlign));
  b.CreateBr(done);
  b.SetInsertPoint(done);
  b.CreateRet(block);
  return function;
}

llvm::Function *scratch_retain(llvm::Module &module) {
  if (llvm::Function *known = module.getFunction(kRetain))
    return known;
  llvm::IRBuilder<> b(module.getContext());
  llvm::Function *function = make(module, kRetain, b.getVoidTy(), {b.getPtrTy()});
  llvm::BasicBlock *entry = block_in(function, "entry"), *count = block_in(function, "count"),
                   *done = block_in(function, "done");
  b.SetInsertPoint(entry);
  llvm::Value *block = function->getArg(0);
  b.CreateCondBr(b.CreateIsNull(block), done, count);
  b.SetInsertPoint(count);
  store_word(b, b.CreateAdd(load_word(b, block), b.getInt64(1)), block);
  b.CreateBr(done);
  b.SetInsertPoint(done);
  b.CreateRetVoid();
  return function;
}

llvm::Function *scratch_release(llvm::Module &module) {
  if (llvm::Function *known = module.getFunction(kRelease))
    return known;
  llvm::IRBuilder<> b(module.getContext());
  llvm::Function *function = make(module, kRelease, b.getVoidTy(), {b.getPtrTy()});
  llvm::BasicBlock *entry = block_in(function, "entry"), *count = block_in(function, "count"),
                   *free = block_in(function, "free"), *pop = block_in(function, "pop"),
                   *done = block_in(function, "done");
  b.SetInsertPoint(entry);
  llvm::Value *block = function->getArg(0);
  b.CreateCondBr(b.CreateIsNull(block), done, count);
  b.SetInsertPoint(count);
  llvm::Value *left = b.CreateSub(load_word(b, block), b.getInt64(1));
  store_word(b, left, block);
  b.CreateCondBr(b.CreateICmpEQ(left, b.getInt64(0)), free, done);
  b.SetInsertPoint(free);
  llvm::Value *memory = arena(module, b);
  llvm::Value *offset = b.CreateSub(b.CreatePtrToInt(block, b.getInt64Ty()),
                                    b.CreatePtrToInt(memory, b.getInt64Ty()));
  llvm::Value *end = b.CreateAdd(offset, load_word(b, block, 1));
  b.CreateCondBr(b.CreateICmpEQ(end, load_word(b, memory)), pop, done);
  b.SetInsertPoint(pop);
  store_word(b, offset, memory);
  b.CreateBr(done);
  b.SetInsertPoint(done);
  b.CreateRetVoid();
  return function;
}

void begin_scratch(llvm::Module &module, llvm::IRBuilder<> &outside) {
  llvm::IRBuilder<> b(module.getContext());
  llvm::Function *function = make(module, kBegin, b.getVoidTy(), {});
  llvm::BasicBlock *entry = block_in(function, "entry"), *some = block_in(function, "some"),
                   *done = block_in(function, "done");
  b.SetInsertPoint(entry);
  b.CreateCondBr(b.CreateICmpUGT(load_state(module, b, 1), b.getInt64(kAlign)), some, done);
  b.SetInsertPoint(some);
  store_word(b, b.getInt64(kAlign), arena(module, b));
  b.CreateBr(done);
  b.SetInsertPoint(done);
  b.CreateRetVoid();
  outside.CreateCall(function);
}

void drop_unused_scratch(llvm::Module &module) {
  llvm::Function *allocate = module.getFunction(kAllocate), *begin = module.getFunction(kBegin);
  if (!begin || (allocate && !allocate->use_empty()))
    return;
  for (llvm::User *call : llvm::make_early_inc_range(begin->users()))
    llvm::cast<llvm::Instruction>(call)->eraseFromParent();
  for (const char *name : {kBegin, kAllocate, kRetain, kRelease})
    if (llvm::Function *function = module.getFunction(name); function && function->use_empty())
      function->eraseFromParent();
  llvm::GlobalVariable *variable = state(module);
  variable->removeDeadConstantUsers();
  if (variable->use_empty())
    variable->eraseFromParent();
}

} // namespace numjit::codegen
