#include "codegen/passes/fixed_choices.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Scalar/SimpleLoopUnswitch.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace numjit::codegen {

namespace {

/// Whether an instruction chooses by a condition that no iteration changes.
bool is_fixed_choice(const llvm::Instruction &instruction, const llvm::Loop &loop) {
  const llvm::Value *condition = nullptr;
  if (const auto *branch = llvm::dyn_cast<llvm::BranchInst>(&instruction);
      branch && branch->isConditional())
    condition = branch->getCondition();
  else if (const auto *choice = llvm::dyn_cast<llvm::SelectInst>(&instruction))
    condition = choice->getCondition();
  return condition && condition->getType()->isIntegerTy(1) &&
         !llvm::isa<llvm::Constant>(condition) && loop.isLoopInvariant(condition);
}

} // namespace

llvm::PreservedAnalyses FixedChoicesPass::run(llvm::Loop &loop, llvm::LoopAnalysisManager &analyses,
                                              llvm::LoopStandardAnalysisResults &results,
                                              llvm::LPMUpdater &updater) {
  constexpr size_t most = 64; ///< instructions
  size_t count = 0, choices = 0;
  if (llvm::findOptionMDForLoop(&loop, "llvm.loop.isvectorized"))
    return llvm::PreservedAnalyses::all();
  for (const llvm::BasicBlock *block : loop.blocks())
    for (const llvm::Instruction &instruction : *block) {
      choices += is_fixed_choice(instruction, loop);
      ++count;
    }
  if (choices == 0 || count > most)
    return llvm::PreservedAnalyses::all();
  return llvm::SimpleLoopUnswitchPass(/*NonTrivial=*/true, /*Trivial=*/true)
      .run(loop, analyses, results, updater);
}

} // namespace numjit::codegen
