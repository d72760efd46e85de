#include "codegen/passes/kept_tests.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/MemorySSA.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

namespace numjit::codegen {

namespace {

/// Whether `variable predicate fixed` is true in every iteration.
bool holds(const llvm::Loop &loop, llvm::PHINode &variable, llvm::CmpPredicate predicate,
           llvm::Value *fixed, llvm::ScalarEvolution &evolution) {
  const llvm::SCEV *other = evolution.getSCEV(fixed);
  auto incoming = [&](const llvm::BasicBlock *block) {
    return evolution.getSCEV(variable.getIncomingValueForBlock(block));
  };
  return evolution.isLoopBackedgeGuardedByCond(&loop, predicate, incoming(loop.getLoopLatch()),
                                               other) &&
         evolution.isLoopEntryGuardedByCond(&loop, predicate, incoming(loop.getLoopPreheader()),
                                            other);
}

/// What a comparison gives in every iteration, if it is always the same.
std::optional<bool> kept_result(const llvm::Loop &loop, llvm::PHINode &variable,
                                const llvm::ICmpInst &test, llvm::ScalarEvolution &evolution) {
  const bool is_left = test.getOperand(0) == &variable;
  llvm::Value *fixed = test.getOperand(is_left ? 1 : 0);
  if (!loop.isLoopInvariant(fixed))
    return std::nullopt;
  const llvm::CmpPredicate predicate =
      is_left ? test.getCmpPredicate() : test.getSwappedCmpPredicate();
  if (holds(loop, variable, predicate, fixed, evolution))
    return true;
  if (holds(loop, variable, llvm::ICmpInst::getInverseCmpPredicate(predicate), fixed, evolution))
    return false;
  return std::nullopt;
}

} // namespace

llvm::PreservedAnalyses KeptTestsPass::run(llvm::Loop &loop, llvm::LoopAnalysisManager &,
                                           llvm::LoopStandardAnalysisResults &results,
                                           llvm::LPMUpdater &) {
  if (!loop.getLoopPreheader() || !loop.getLoopLatch())
    return llvm::PreservedAnalyses::all();
  bool changed = false;
  for (llvm::PHINode &variable : loop.getHeader()->phis()) {
    if (!variable.getType()->isIntegerTy() ||
        !llvm::isa<llvm::SCEVUnknown>(results.SE.getSCEV(&variable)))
      continue;
    for (llvm::User *user : llvm::make_early_inc_range(variable.users()))
      if (auto *test = llvm::dyn_cast<llvm::ICmpInst>(user); test && loop.contains(test))
        if (std::optional<bool> kept = kept_result(loop, variable, *test, results.SE)) {
          test->replaceAllUsesWith(llvm::ConstantInt::getBool(test->getContext(), *kept));
          changed = true;
        }
  }
  if (!changed)
    return llvm::PreservedAnalyses::all();
  results.SE.forgetLoop(&loop);
  llvm::PreservedAnalyses preserved = llvm::getLoopPassPreservedAnalyses();
  preserved.preserve<llvm::MemorySSAAnalysis>();
  return preserved;
}

} // namespace numjit::codegen
