#include "codegen/passes/fixed_choices.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Scalar/SimpleLoopUnswitch.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace numjit::codegen {

namespace {

/// Whether a condition, or a part of `a and b`, is the same in all iterations.
bool is_fixed(const llvm::Value *condition, const llvm::Loop &loop) {
  using namespace llvm::PatternMatch;
  const llvm::Value *a = nullptr, *b = nullptr;
  if (match(condition, m_LogicalAnd(m_Value(a), m_Value(b))))
    return is_fixed(a, loop) || is_fixed(b, loop);
  return condition->getType()->isIntegerTy(1) && !llvm::isa<llvm::Constant>(condition) &&
         loop.isLoopInvariant(condition);
}

bool is_vectorised(const llvm::Loop &loop) {
  return llvm::findOptionMDForLoop(&loop, "llvm.loop.isvectorized");
}

/// Moves the conditions of a loop in front of the loops inside it, which unswitching left there,
/// out of it if they are the same in all of its iterations: whether a loop inside needs several
/// chunks. Beside vectors such a choice takes next to no time.
bool move_choices(const llvm::Loop &loop) {
  bool moved = false;
  if (loop.isInnermost() || llvm::any_of(loop.getLoopsInPreorder(), [](const llvm::Loop *each) {
        return is_vectorised(*each);
      }))
    return false;
  for (const llvm::BasicBlock *block : loop.blocks())
    if (const auto *branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
        branch && branch->isConditional())
      loop.makeLoopInvariant(branch->getCondition(), moved);
  return moved;
}

/// Whether an instruction chooses by a condition that no iteration changes.
bool is_fixed_choice(const llvm::Instruction &instruction, const llvm::Loop &loop) {
  if (const auto *branch = llvm::dyn_cast<llvm::BranchInst>(&instruction))
    return branch->isConditional() && is_fixed(branch->getCondition(), loop);
  const auto *choice = llvm::dyn_cast<llvm::SelectInst>(&instruction);
  return choice && is_fixed(choice->getCondition(), loop);
}

} // namespace

llvm::PreservedAnalyses FixedChoicesPass::run(llvm::Loop &loop, llvm::LoopAnalysisManager &analyses,
                                              llvm::LoopStandardAnalysisResults &results,
                                              llvm::LPMUpdater &updater) {
  size_t count = 0, choices = 0;
  if (is_vectorised(loop))
    return llvm::PreservedAnalyses::all();
  const size_t most = move_choices(loop) ? 96 : 64; ///< instructions
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
