// A thread's scratch memory begins with the number of bytes that are in use, those there are, and
// those that it has from the heap; blocks follow, each with a count of references and its size in
// front. A new block takes the place of the first free one that is large enough, or comes behind
// the last one; the last one goes when it is free. A block that finds no place comes from the heap
// of the device: its size is odd.
//
// Scratch memory is local memory: the driver provides it for the threads that run at the same time,
// not for all of a launch, and the same word of all threads of a warp lies side by side.
#include "codegen/passes/device_memory.h"

#include "codegen/passes/block_makers.h"
#include "runtime/simulator.h"

namespace numjit::codegen {

namespace {

constexpr const char *kAllocate = kNewScratchBlock, *kRetain = "numjit_scratch_retain",
                     *kRelease = "numjit_scratch_release", *kBegin = "numjit_scratch_begin",
                     *kHeapTake = "malloc", *kHeapGive = "free"; ///< functions of the driver
constexpr int64_t kHeader = NJ_SCRATCH_HEADER, kAlign = NJ_SCRATCH_ALIGN;
constexpr int64_t kFirst = 2 * kAlign; ///< where the first block lies
enum : unsigned { kInUse, kThere, kInHeap };
static_assert(kHeader == 16 && kAlign == 16);

/// {address of two words for the host, bytes that a thread would have needed}. To the host go the
/// bytes that a thread would have needed, and those that there were not in the heap either.
llvm::GlobalVariable *state(llvm::Module &module) {
  if (auto *known = module.getNamedGlobal("numjit_scratch"))
    return known;
  auto *type = llvm::ArrayType::get(llvm::Type::getInt64Ty(module.getContext()), 2);
  return new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::ExternalLinkage,
                                  llvm::Constant::getNullValue(type), "numjit_scratch", nullptr,
                                  llvm::GlobalValue::NotThreadLocal, /*AddressSpace=*/1);
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

/// Writes one of the host's words.
void tell_host(llvm::Module &module, llvm::IRBuilder<> &b, unsigned word, llvm::Value *value) {
  llvm::LoadInst *address = b.CreateAlignedLoad(b.getInt64Ty(), state(module), llvm::Align(8));
  llvm::Value *words = b.CreateIntToPtr(address, llvm::PointerType::get(b.getContext(), 1));
  b.CreateAlignedStore(value, word_at(b, words, word), llvm::Align(8), /*isVolatile=*/true);
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

namespace {

/// The parts of allocation, each with its blocks.
class Allocation {
public:
  explicit Allocation(llvm::Module &module)
      : module_(module), b_(module.getContext()),
        function_(make(module, kAllocate, b_.getPtrTy(),
                       {b_.getInt64Ty(), b_.getInt1Ty(), b_.getPtrTy()})) {
    function_->addRetAttr(llvm::Attribute::NoAlias);
  }

  llvm::Function *build() {
    llvm::BasicBlock *entry = block("entry"), *usable = block("usable"), *full = block("full"),
                     *heap = block("heap");
    found_ = block("found");
    b_.SetInsertPoint(found_);
    found_block_ = b_.CreatePHI(b_.getPtrTy(), 3);

    b_.SetInsertPoint(entry);
    wanted_ = b_.CreateAnd(b_.CreateAdd(function_->getArg(0), b_.getInt64(kAlign - 1)),
                           b_.getInt64(-kAlign));
    wanted_ = b_.CreateAdd(wanted_, b_.getInt64(kHeader));
    b_.CreateCondBr(b_.CreateIsNull(arena()), heap, usable);
    b_.SetInsertPoint(usable);
    llvm::Value *new_top = search(full);
    b_.SetInsertPoint(full);
    note_need(new_top, heap);
    b_.SetInsertPoint(heap);
    take_from_heap();
    finish();
    return function_;
  }

private:
  llvm::BasicBlock *block(const char *name) { return block_in(function_, name); }
  llvm::Value *arena() { return function_->getArg(2); }

  /// The first free block that is large enough, or the place behind the last; else goes to `full`,
  /// with the bytes that would be in use.
  llvm::Value *search(llvm::BasicBlock *full) {
    llvm::BasicBlock *usable = b_.GetInsertBlock(), *next = block("search"), *look = block("look"),
                     *go_on = block("go_on"), *behind = block("behind"), *push = block("push");
    llvm::Value *top = load_word(b_, arena(), kInUse);
    b_.CreateBr(next);
    b_.SetInsertPoint(next);
    llvm::PHINode *place = b_.CreatePHI(b_.getInt64Ty(), 2);
    place->addIncoming(b_.getInt64(kFirst), usable);
    b_.CreateCondBr(b_.CreateICmpULT(place, top), look, behind);
    b_.SetInsertPoint(look);
    llvm::Value *old = b_.CreateInBoundsPtrAdd(arena(), place);
    llvm::Value *size = load_word(b_, old, 1);
    llvm::Value *fits = b_.CreateAnd(b_.CreateICmpEQ(load_word(b_, old), b_.getInt64(0)),
                                     b_.CreateICmpUGE(size, wanted_));
    b_.CreateCondBr(fits, found_, go_on);
    found_block_->addIncoming(old, look);
    b_.SetInsertPoint(go_on);
    place->addIncoming(b_.CreateAdd(place, size), go_on);
    b_.CreateBr(next);
    b_.SetInsertPoint(behind);
    llvm::Value *new_top = b_.CreateAdd(top, wanted_);
    b_.CreateCondBr(b_.CreateICmpULE(new_top, load_word(b_, arena(), kThere)), push, full);
    b_.SetInsertPoint(push);
    llvm::Value *fresh = b_.CreateInBoundsPtrAdd(arena(), top);
    store_word(b_, wanted_, fresh, 1);
    store_word(b_, new_top, arena(), kInUse);
    b_.CreateBr(found_);
    found_block_->addIncoming(fresh, push);
    return new_top;
  }

  /// The host gives the next launches more.
  void note_need(llvm::Value *top, llvm::BasicBlock *then) {
    llvm::BasicBlock *more = block("more");
    llvm::Value *in_heap = load_word(b_, arena(), kInHeap);
    llvm::Value *needed = b_.CreateAdd(top, in_heap);
    store_word(b_, b_.CreateAdd(in_heap, wanted_), arena(), kInHeap);
    llvm::Value *most =
        b_.CreateAtomicRMW(llvm::AtomicRMWInst::UMax, word_at(b_, state(module_), 1), needed,
                           llvm::MaybeAlign(), llvm::AtomicOrdering::Monotonic);
    b_.CreateCondBr(b_.CreateICmpULT(most, needed), more, then);
    b_.SetInsertPoint(more);
    tell_host(module_, b_, 0, needed);
    b_.CreateBr(then);
  }

  void take_from_heap() {
    llvm::BasicBlock *some = block("some"), *none = block("none");
    auto *type = llvm::FunctionType::get(b_.getPtrTy(), {b_.getInt64Ty()}, false);
    llvm::Value *taken = b_.CreateCall(module_.getOrInsertFunction(kHeapTake, type), {wanted_});
    b_.CreateCondBr(b_.CreateIsNull(taken), none, some);
    b_.SetInsertPoint(none);
    tell_host(module_, b_, 1, wanted_);
    b_.CreateRet(llvm::ConstantPointerNull::get(b_.getPtrTy()));
    b_.SetInsertPoint(some);
    store_word(b_, b_.CreateOr(wanted_, 1), taken, 1);
    b_.CreateBr(found_);
    found_block_->addIncoming(taken, some);
  }

  void finish() {
    llvm::BasicBlock *zero = block("zero"), *done = block("done");
    b_.SetInsertPoint(found_);
    store_word(b_, b_.getInt64(1), found_block_);
    b_.CreateCondBr(function_->getArg(1), zero, done);
    b_.SetInsertPoint(zero);
    b_.CreateMemSet(b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), found_block_, kHeader),
                    b_.getInt8(0), b_.CreateSub(wanted_, b_.getInt64(kHeader)),
                    llvm::Align(kAlign));
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
    b_.CreateRet(found_block_);
  }

  llvm::Module &module_;
  llvm::IRBuilder<> b_;
  llvm::Function *function_;
  llvm::Value *wanted_ = nullptr;
  llvm::BasicBlock *found_ = nullptr;
  llvm::PHINode *found_block_ = nullptr;
};

} // namespace

llvm::CallInst *allocate_scratch(llvm::Module &module, llvm::IRBuilder<> &b, llvm::Value *bytes,
                                 bool zeroed) {
  llvm::Function *function = module.getFunction(kAllocate);
  if (!function)
    function = Allocation(module).build();
  return b.CreateCall(function,
                      {bytes, b.getInt1(zeroed), llvm::ConstantPointerNull::get(b.getPtrTy())});
}

namespace {

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

llvm::Function *build_release(llvm::Module &module) {
  llvm::IRBuilder<> b(module.getContext());
  llvm::Function *function = make(module, kRelease, b.getVoidTy(), {b.getPtrTy(), b.getPtrTy()});
  llvm::BasicBlock *entry = block_in(function, "entry"), *count = block_in(function, "count"),
                   *free = block_in(function, "free"), *heap = block_in(function, "heap"),
                   *own = block_in(function, "own"), *pop = block_in(function, "pop"),
                   *done = block_in(function, "done");
  b.SetInsertPoint(entry);
  llvm::Value *block = function->getArg(0), *memory = function->getArg(1);
  b.CreateCondBr(b.CreateIsNull(block), done, count);
  b.SetInsertPoint(count);
  llvm::Value *left = b.CreateSub(load_word(b, block), b.getInt64(1));
  store_word(b, left, block);
  b.CreateCondBr(b.CreateICmpEQ(left, b.getInt64(0)), free, done);
  b.SetInsertPoint(free);
  llvm::Value *size = load_word(b, block, 1);
  b.CreateCondBr(b.CreateTrunc(size, b.getInt1Ty()), heap, own);
  b.SetInsertPoint(heap);
  llvm::BasicBlock *noted = block_in(function, "noted"), *give = block_in(function, "give");
  b.CreateCondBr(b.CreateIsNull(memory), give, noted);
  b.SetInsertPoint(noted);
  store_word(b, b.CreateSub(load_word(b, memory, kInHeap), b.CreateAnd(size, b.getInt64(-kAlign))),
             memory, kInHeap);
  b.CreateBr(give);
  b.SetInsertPoint(give);
  auto *type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false);
  b.CreateCall(module.getOrInsertFunction(kHeapGive, type), {block});
  b.CreateBr(done);
  b.SetInsertPoint(own); // a function that is not inlined leaves a free block to the kernel
  llvm::Value *offset = b.CreateSub(b.CreatePtrToInt(block, b.getInt64Ty()),
                                    b.CreatePtrToInt(memory, b.getInt64Ty()));
  llvm::BasicBlock *last = block_in(function, "last");
  b.CreateCondBr(b.CreateIsNull(memory), done, last);
  b.SetInsertPoint(last);
  llvm::Value *end = b.CreateAdd(offset, size);
  b.CreateCondBr(b.CreateICmpEQ(end, load_word(b, memory, kInUse)), pop, done);
  b.SetInsertPoint(pop);
  store_word(b, offset, memory, kInUse);
  b.CreateBr(done);
  b.SetInsertPoint(done);
  b.CreateRetVoid();
  return function;
}

/// A kernel that is to have no more than its scratch memory finds the heap empty.
void close_heap(llvm::Module &module) {
  llvm::Function *take = module.getFunction(kHeapTake);
  for (llvm::User *call : llvm::make_early_inc_range(take->users())) {
    call->replaceAllUsesWith(
        llvm::ConstantPointerNull::get(llvm::PointerType::get(module.getContext(), 0)));
    llvm::cast<llvm::Instruction>(call)->eraseFromParent();
  }
}

} // namespace

llvm::CallInst *count_scratch(llvm::Module &module, llvm::IRBuilder<> &b, llvm::Value *block,
                              bool retains) {
  if (retains)
    return b.CreateCall(scratch_retain(module), {block});
  llvm::Function *function = module.getFunction(kRelease);
  if (!function)
    function = build_release(module);
  return b.CreateCall(function, {block, llvm::ConstantPointerNull::get(b.getPtrTy())});
}

void begin_scratch(llvm::Module &module, llvm::IRBuilder<> &b) {
  auto *type = llvm::FunctionType::get(b.getVoidTy(), false);
  b.CreateCall(module.getOrInsertFunction(kBegin, type));
}

namespace {

/// What kernels have of their own: the memory, in the place of the call of kBegin.
void place_scratch(llvm::Module &module, llvm::CallInst &begin, int64_t bytes) {
  llvm::Function &kernel = *begin.getFunction();
  llvm::IRBuilder<> b(&kernel.getEntryBlock(), kernel.getEntryBlock().begin());
  const int64_t size = kFirst + (bytes + kAlign - 1) / kAlign * kAlign;
  llvm::AllocaInst *memory = b.CreateAlloca(llvm::ArrayType::get(b.getInt8Ty(), size));
  memory->setAlignment(llvm::Align(kAlign));
  b.SetInsertPoint(&begin);
  store_word(b, b.getInt64(kFirst), memory, kInUse);
  store_word(b, b.getInt64(size), memory, kThere);
  store_word(b, b.getInt64(0), memory, kInHeap);
  for (const char *name : {kAllocate, kRelease})
    if (llvm::Function *function = module.getFunction(name))
      for (llvm::User *user : function->users())
        if (auto *call = llvm::cast<llvm::CallInst>(user); call->getFunction() == &kernel)
          call->setArgOperand(call->arg_size() - 1, memory);
}

} // namespace

void finish_scratch(llvm::Module &module, int64_t bytes, bool heap) {
  llvm::Function *allocate = module.getFunction(kAllocate), *begin = module.getFunction(kBegin);
  const bool used = allocate && !allocate->use_empty();
  if (begin) {
    for (llvm::User *user : llvm::make_early_inc_range(begin->users())) {
      auto *call = llvm::cast<llvm::CallInst>(user);
      if (used)
        place_scratch(module, *call, bytes);
      call->eraseFromParent();
    }
    begin->eraseFromParent();
  }
  if (used && !heap)
    close_heap(module);
  for (const char *name : {kAllocate, kRetain, kRelease})
    if (llvm::Function *function = module.getFunction(name); function && function->use_empty())
      function->eraseFromParent();
  for (const char *name : {kHeapTake, kHeapGive})
    if (llvm::Function *function = module.getFunction(name); function && function->use_empty())
      function->eraseFromParent();
  if (llvm::GlobalVariable *variable = module.getNamedGlobal("numjit_scratch")) {
    variable->removeDeadConstantUsers();
    if (variable->use_empty())
      variable->eraseFromParent();
  }
}

} // namespace numjit::codegen
