#include "codegen/passes/fresh_memory.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>

namespace numjit::codegen {

bool is_loaded_argument(const llvm::Value *object) {
  const auto *load = llvm::dyn_cast<llvm::LoadInst>(object);
  if (!load)
    return false;
  const auto *block =
      llvm::dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(load->getPointerOperand()));
  return block && block->hasNoAliasAttr() && block->onlyReadsMemory();
}

llvm::AnalysisKey FreshMemory::Key;

llvm::AliasResult FreshMemoryResult::alias(const llvm::MemoryLocation &a,
                                           const llvm::MemoryLocation &b, llvm::AAQueryInfo &,
                                           const llvm::Instruction *) {
  const llvm::Value *first = llvm::getUnderlyingObject(a.Ptr);
  const llvm::Value *second = llvm::getUnderlyingObject(b.Ptr);
  if (llvm::isNoAliasCall(second))
    std::swap(first, second);
  return llvm::isNoAliasCall(first) && is_loaded_argument(second) ? llvm::AliasResult::NoAlias
                                                                  : llvm::AliasResult::MayAlias;
}

} // namespace numjit::codegen
