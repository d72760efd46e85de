#include "codegen/passes/unequal_items.h"

#include "codegen/passes/pass_result.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>

namespace numjit::codegen {

namespace {

/// The comparison of a branch of which nothing is known, if it asks whether loaded integers are
/// equal.
const llvm::ICmpInst *compared_items(const llvm::Instruction &terminator) {
  const auto *branch = llvm::dyn_cast<llvm::BranchInst>(&terminator);
  if (!branch || !branch->isConditional() || branch->hasMetadata(llvm::LLVMContext::MD_prof))
    return nullptr;
  const auto *test = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
  const bool of_items = test && test->isEquality() &&
                        test->getOperand(0)->getType()->isIntegerTy() &&
                        llvm::all_of(test->operands(), llvm::IsaPred<llvm::LoadInst>);
  return of_items ? test : nullptr;
}

} // namespace

llvm::PreservedAnalyses UnequalItemsPass::run(llvm::Function &function,
                                              llvm::FunctionAnalysisManager &) {
  bool changed = false;
  for (llvm::BasicBlock &block : function)
    if (const llvm::ICmpInst *test = compared_items(*block.getTerminator())) {
      const uint32_t if_true = test->getPredicate() == llvm::CmpInst::ICMP_EQ ? 1 : 2;
      block.getTerminator()->setMetadata(
          llvm::LLVMContext::MD_prof,
          llvm::MDBuilder(function.getContext()).createBranchWeights(if_true, 3 - if_true));
      changed = true;
    }
  return with_same_flow(changed);
}

} // namespace numjit::codegen
