#include "codegen/passes/fresh_instances.h"

#include "codegen/passes/block_makers.h"
#include "codegen/passes/runtime_calls.h"
#include "runtime/runtime.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include <optional>

namespace numjit::codegen {

namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

/// What runs behind some instructions, until another instance is made.
class Behind {
public:
  Behind(const llvm::CallInst &made, llvm::ArrayRef<const Instruction *> starts) {
    llvm::SmallVector<const BasicBlock *, 16> todo;
    for (const Instruction *start : starts) {
      const Instruction *&first = from_[start->getParent()];
      if (!first || start->comesBefore(first))
        first = start;
      todo.push_back(start->getParent());
    }
    while (!todo.empty())
      for (const BasicBlock *next : llvm::successors(todo.pop_back_val()))
        if (next != made.getParent() && whole_.insert(next).second)
          todo.push_back(next);
  }

  bool contains(const Instruction *instruction) const {
    if (whole_.contains(instruction->getParent()))
      return true;
    const Instruction *first = from_.lookup(instruction->getParent());
    return first && first != instruction && first->comesBefore(instruction);
  }

private:
  llvm::SmallPtrSet<const BasicBlock *, 16> whole_;
  llvm::SmallDenseMap<const BasicBlock *, const Instruction *, 8> from_;
};

class FreshInstance {
public:
  explicit FreshInstance(llvm::CallInst &made) : made_(made) {}

  bool run() {
    if (!find_uses())
      return false;
    const Behind seen(made_, published_);
    bool changed = false;
    for (llvm::LoadInst *load : loads_)
      if (!seen.contains(load) && is_zero_at(load)) {
        load->replaceAllUsesWith(llvm::Constant::getNullValue(load->getType()));
        load->eraseFromParent();
        changed = true;
      }
    for (Instruction *lock : locks_)
      if (!seen.contains(lock)) {
        lock->eraseFromParent();
        changed = true;
      }
    return changed;
  }

private:
  /// False for an instance that refers to itself: that publishes it between two locks.
  bool find_uses() {
    llvm::SmallVector<Value *, 16> pointers{&made_};
    while (!pointers.empty()) {
      Value *pointer = pointers.pop_back_val();
      for (llvm::Use &use : pointer->uses()) {
        auto *user = llvm::cast<Instruction>(use.getUser());
        if (auto *address = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
          pointers.push_back(address);
        } else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(user)) {
          if (store->getPointerOperand() == pointer)
            stores_.push_back(store);
          if (store->getValueOperand() != pointer)
            continue;
          if (offset_of(store->getPointerOperand()))
            return false;
          published_.push_back(store);
        } else if (auto *load = llvm::dyn_cast<llvm::LoadInst>(user)) {
          if (load->getType()->isPointerTy() && !load->isVolatile())
            loads_.push_back(load);
        } else if (is_lock(user)) {
          locks_.push_back(user);
        } else if (auto *phi = llvm::dyn_cast<llvm::PHINode>(user)) {
          published_.push_back(phi->getIncomingBlock(use)->getTerminator());
        } else if (!llvm::isa<llvm::ICmpInst>(user)) {
          published_.push_back(user);
        }
      }
    }
    return !locks_.empty();
  }

  /// Of an address in the instance, if it is known; nothing for others.
  std::optional<int64_t> offset_of(const Value *address) const {
    const llvm::DataLayout &layout = made_.getDataLayout();
    llvm::APInt offset(layout.getIndexTypeSizeInBits(address->getType()), 0);
    const Value *base = address->stripAndAccumulateConstantOffsets(layout, offset, true);
    return base == &made_ ? std::optional(offset.getSExtValue()) : std::nullopt;
  }

  /// Whether an owner is read that nothing was stored to.
  bool is_zero_at(const llvm::LoadInst *load) const {
    const std::optional<int64_t> offset = offset_of(load->getPointerOperand());
    if (!offset || !is_owner(*offset))
      return false;
    constexpr int64_t size = sizeof(void *);
    llvm::SmallVector<const Instruction *, 8> writers;
    for (llvm::StoreInst *store : stores_) {
      const std::optional<int64_t> to = offset_of(store->getPointerOperand());
      const int64_t bytes = static_cast<int64_t>(
          store->getDataLayout().getTypeStoreSize(store->getValueOperand()->getType()));
      const bool elsewhere = to && (*to + bytes <= *offset || *to >= *offset + size);
      if (!elsewhere && !llvm::isa<llvm::ConstantPointerNull>(store->getValueOperand()))
        writers.push_back(store);
    }
    return !Behind(made_, writers).contains(load);
  }

  bool is_owner(int64_t offset) const {
    llvm::SmallVector<llvm::StringRef, 8> texts;
    made_.getFnAttr(kOwnerOffsets).getValueAsString().split(texts, ',', -1, /*KeepEmpty=*/false);
    return llvm::any_of(texts, [&](llvm::StringRef text) {
      int64_t owner = 0;
      return !text.getAsInteger(10, owner) &&
             owner + static_cast<int64_t>(NJ_PAYLOAD_OFFSET + sizeof(nj_instance)) == offset;
    });
  }

  llvm::CallInst &made_;
  llvm::SmallVector<llvm::LoadInst *, 8> loads_;
  llvm::SmallVector<llvm::StoreInst *, 8> stores_;
  llvm::SmallVector<Instruction *, 8> locks_;
  llvm::SmallVector<const Instruction *, 8> published_; ///< what lets others see the instance
};

} // namespace

llvm::PreservedAnalyses FreshInstancesPass::run(llvm::Function &function,
                                                llvm::FunctionAnalysisManager &analyses) {
  llvm::SmallVector<llvm::CallInst *, 8> calls;
  for (Instruction &instruction : llvm::instructions(function))
    if (is_call_of(&instruction, {kNewInstance}))
      calls.push_back(llvm::cast<llvm::CallInst>(&instruction));
  bool changed = false;
  for (llvm::CallInst *call : calls)
    changed |= FreshInstance(*call).run();
  if (!changed)
    return llvm::PreservedAnalyses::all();
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
  llvm::SimplifyCFGPass().run(function, analyses);
  return llvm::PreservedAnalyses::none();
}

} // namespace numjit::codegen
