#include "codegen/passes/block_uses.h"

#include "codegen/passes/runtime_calls.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IntrinsicInst.h>

namespace numjit::codegen {

using llvm::Instruction;
using llvm::Value;

bool is_only_compared(const Instruction &number) {
  llvm::SmallPtrSet<const Instruction *, 8> seen{&number};
  llvm::SmallVector<const Instruction *, 8> todo{&number};
  while (!todo.empty()) {
    for (const llvm::User *user : todo.pop_back_val()->users()) {
      const auto *next = llvm::cast<Instruction>(user);
      if (llvm::isa<llvm::ICmpInst>(next))
        continue;
      if (!llvm::isa<llvm::BinaryOperator, llvm::SelectInst, llvm::PHINode, llvm::MinMaxIntrinsic>(
              next))
        return false;
      if (seen.insert(next).second)
        todo.push_back(next);
    }
  }
  return true;
}

bool collect_uses(Value &pointer, llvm::SmallVectorImpl<llvm::Use *> &uses,
                  llvm::function_ref<bool(const llvm::Use &)> asked) {
  llvm::SmallVector<Value *, 16> pointers{&pointer};
  while (!pointers.empty()) {
    Value *next = pointers.pop_back_val();
    for (llvm::Use &use : next->uses()) {
      llvm::User *user = use.getUser();
      if (asked && next == &pointer && !asked(use))
        continue;
      if (llvm::isa<llvm::GetElementPtrInst, llvm::AddrSpaceCastInst>(user)) {
        pointers.push_back(user);
        continue;
      }
      if (auto *number = llvm::dyn_cast<llvm::PtrToIntInst>(user)) {
        if (!is_only_compared(*number))
          return false;
      } else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(user)) {
        if (store->getValueOperand() == next)
          return false;
      } else if (!llvm::isa<llvm::LoadInst, llvm::ICmpInst, llvm::MemIntrinsic, llvm::PHINode>(
                     user) &&
                 !is_lock(user) && !(next == &pointer && is_call_of(user, kCounting))) {
        return false;
      }
      uses.push_back(&use);
    }
  }
  return true;
}

} // namespace numjit::codegen
