#include "codegen/passes/stack_addresses.h"

#include "codegen/passes/pass_result.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>

namespace numjit::codegen {

namespace {

/// How code gets at the items of a local array.
struct Accesses {
  const llvm::DataLayout &layout;
  int64_t items = INT64_MAX; ///< where the first item is that a variable counts from
  llvm::SmallVector<std::pair<llvm::GetElementPtrInst *, int64_t>> constant{}; ///< addresses

  /// Looks at all uses of the address at a distance from the array.
  void look(llvm::Value &address, int64_t distance) {
    for (llvm::User *user : address.users()) {
      auto *item = llvm::dyn_cast<llvm::GetElementPtrInst>(user);
      if (!item)
        continue;
      llvm::APInt more(layout.getIndexTypeSizeInBits(item->getType()), 0);
      if (item->accumulateConstantOffset(layout, more)) {
        constant.emplace_back(item, distance + more.getSExtValue());
        look(*item, distance + more.getSExtValue());
      } else {
        items = std::min(items, distance);
      }
    }
  }
};

/// The array's first item, as an address that the compiler knows nothing of.
llvm::Value *address_of_items(llvm::AllocaInst &array, int64_t distance) {
  llvm::IRBuilder<> b(array.getNextNode());
  auto *same = llvm::FunctionType::get(b.getPtrTy(), {b.getPtrTy()}, false);
  return b.CreateCall(same, llvm::InlineAsm::get(same, "", "=r,0", /*hasSideEffects=*/false),
                      b.CreatePtrAdd(&array, b.getInt64(distance)));
}

/// Gives items at constant and at variable distances one address; whether there are both.
bool share_address(llvm::AllocaInst &array) {
  Accesses accesses{array.getDataLayout()};
  accesses.look(array, 0);
  if (accesses.items == INT64_MAX || accesses.constant.empty())
    return false;
  llvm::SmallVector<llvm::Use *> whole;
  for (llvm::Use &use : array.uses())
    if (auto *item = llvm::dyn_cast<llvm::GetElementPtrInst>(use.getUser());
        item && accesses.items == 0 && !item->hasAllConstantIndices())
      whole.push_back(&use);
  llvm::Value *address = address_of_items(array, accesses.items);
  for (llvm::Use *use : whole)
    use->set(address);
  for (auto [item, distance] : llvm::reverse(accesses.constant)) {
    llvm::IRBuilder<> b(item);
    item->replaceAllUsesWith(distance == accesses.items
                                 ? address
                                 : b.CreatePtrAdd(address, b.getInt64(distance - accesses.items)));
    item->eraseFromParent();
  }
  return true;
}

} // namespace

llvm::PreservedAnalyses StackAddressesPass::run(llvm::Function &function,
                                                llvm::FunctionAnalysisManager &) {
  bool changed = false;
  llvm::SmallVector<llvm::AllocaInst *> arrays;
  for (llvm::Instruction &instruction : function.getEntryBlock())
    if (auto *array = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      arrays.push_back(array);
  for (llvm::AllocaInst *array : arrays)
    changed |= share_address(*array);
  return with_same_flow(changed);
}

} // namespace numjit::codegen
