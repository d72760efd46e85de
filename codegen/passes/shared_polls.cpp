#include "codegen/passes/shared_polls.h"

#include "codegen/passes/runtime_calls.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Local.h>

namespace numjit::codegen {

llvm::PreservedAnalyses SharedPollsPass::run(llvm::Function &function,
                                             llvm::FunctionAnalysisManager &analyses) {
  const llvm::LoopInfo &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  const auto &tree = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  llvm::DenseMap<const llvm::Loop *, llvm::SmallVector<llvm::Instruction *, 4>> polls;
  for (llvm::BasicBlock &block : function)
    if (const llvm::Loop *loop = loops.getLoopFor(&block); loop && loop->isInnermost())
      for (llvm::Instruction &each : block)
        if (is_poll(each))
          polls[loop].push_back(&each);
  llvm::SmallVector<llvm::Instruction *> needless;
  for (const auto &[loop, own] : polls)
    for (llvm::Instruction *poll : own)
      if (llvm::any_of(own, [&](const llvm::Instruction *other) {
            return other != poll && tree.dominates(other, poll);
          }))
        needless.push_back(poll);
  if (needless.empty())
    return llvm::PreservedAnalyses::all();
  for (llvm::Instruction *poll : needless) {
    llvm::SmallVector<llvm::User *> tests(poll->users());
    poll->replaceAllUsesWith(llvm::ConstantInt::get(poll->getType(), 0));
    poll->eraseFromParent();
    for (llvm::User *test : tests)
      llvm::SimplifyInstructionsInBlock(llvm::cast<llvm::Instruction>(test)->getParent());
  }
  for (llvm::BasicBlock &block : function)
    llvm::ConstantFoldTerminator(&block, true);
  llvm::removeUnreachableBlocks(function);
  return llvm::PreservedAnalyses::none();
}

} // namespace numjit::codegen
