#include "codegen/passes/plain_indices.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

namespace numjit::codegen {

namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

constexpr size_t kMostInstructions = 96; ///< of a loop that is copied

/// What an instruction tells of a sign, and what it is where the number is not negative.
struct SignTest {
  Instruction *test = nullptr;
  Value *number = nullptr;
  llvm::Constant *plain = nullptr;
};

SignTest sign_test(Instruction &instruction) {
  namespace match = llvm::PatternMatch;
  Value *number;
  llvm::Type *type = instruction.getType();
  if (match::match(&instruction, match::m_SpecificICmp(llvm::ICmpInst::ICMP_SLT,
                                                       match::m_Value(number), match::m_Zero())))
    return {&instruction, number, llvm::ConstantInt::getFalse(type)};
  if (match::match(&instruction, match::m_SpecificICmp(llvm::ICmpInst::ICMP_SGT,
                                                       match::m_Value(number), match::m_AllOnes())))
    return {&instruction, number, llvm::ConstantInt::getTrue(type)};
  if (type->isIntegerTy(64) &&
      match::match(&instruction, match::m_AShr(match::m_Value(number), match::m_SpecificInt(63))))
    return {&instruction, number, llvm::ConstantInt::get(type, 0)};
  return {};
}

class CountingLoop {
public:
  CountingLoop(llvm::Loop &loop, llvm::ScalarEvolution &evolution, llvm::LoopInfo &loops,
               llvm::DominatorTree &tree)
      : loop_(loop), evolution_(evolution), loops_(loops), tree_(tree) {}

  /// Makes a copy of the loop for counters that are never negative; false: nobody asks.
  bool run() {
    if (!loop_.isLoopSimplifyForm() || !loop_.getUniqueExitBlock() || !may_be_copied())
      return false;
    for (BasicBlock *block : loop_.blocks())
      for (Instruction &instruction : *block)
        add_test(sign_test(instruction));
    if (tests_.empty())
      return false;
    llvm::SCEVExpander expander(evolution_, "from");
    if (!llvm::all_of(starts_, [&](const llvm::SCEV *start) {
          return expander.isSafeToExpandAt(start, loop_.getLoopPreheader()->getTerminator());
        }))
      return false;
    version(expander);
    return true;
  }

private:
  bool may_be_copied() const {
    size_t count = 0;
    for (BasicBlock *block : loop_.blocks())
      for (Instruction &instruction : *block) {
        const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        if (++count > kMostInstructions ||
            (call && (call->isConvergent() || call->cannotDuplicate())))
          return false;
      }
    return true;
  }

  void add_test(const SignTest &test) {
    if (!test.test)
      return;
    const auto *counter = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution_.getSCEV(test.number));
    if (!counter || counter->getLoop() != &loop_ || !counter->isAffine() ||
        !counter->hasNoSignedWrap() ||
        !evolution_.isKnownPositive(counter->getStepRecurrence(evolution_)))
      return;
    tests_.push_back(test);
    starts_.insert(counter->getStart());
  }

  void version(llvm::SCEVExpander &expander) {
    BasicBlock *before = loop_.getLoopPreheader(), *exit = loop_.getUniqueExitBlock();
    llvm::IRBuilder<> b(before->getTerminator());
    Value *plain = b.getTrue();
    for (const llvm::SCEV *start : starts_) {
      Value *number = expander.expandCodeFor(start, start->getType(), before->getTerminator());
      b.SetInsertPoint(before->getTerminator());
      plain =
          b.CreateAnd(plain, b.CreateICmpSGE(number, llvm::ConstantInt::get(start->getType(), 0)));
    }
    BasicBlock *own = llvm::SplitBlock(before, before->getTerminator(), &tree_, &loops_);
    llvm::ValueToValueMapTy copies;
    llvm::SmallVector<BasicBlock *, 8> blocks;
    llvm::Loop *other =
        llvm::cloneLoopWithPreheader(own, before, &loop_, copies, ".any", &loops_, &tree_, blocks);
    llvm::remapInstructionsInBlocks(blocks, copies);
    for (llvm::PHINode &phi : exit->phis())
      for (unsigned i = 0, count = phi.getNumIncomingValues(); i < count; ++i) {
        const auto block = copies.find(phi.getIncomingBlock(i));
        if (block == copies.end())
          continue;
        Value *value = phi.getIncomingValue(i);
        const auto copy = copies.find(value);
        phi.addIncoming(copy == copies.end() ? value : static_cast<Value *>(copy->second),
                        llvm::cast<BasicBlock>(block->second));
      }
    other->setLoopAlreadyUnrolled(); // it hardly ever runs
    Instruction *end = before->getTerminator();
    llvm::IRBuilder<>(end).CreateCondBr(plain, own, other->getLoopPreheader());
    end->eraseFromParent();
    tree_.changeImmediateDominator(exit, before);
    for (const SignTest &test : tests_)
      test.test->replaceAllUsesWith(test.plain);
    evolution_.forgetLoop(&loop_);
  }

  llvm::Loop &loop_;
  llvm::ScalarEvolution &evolution_;
  llvm::LoopInfo &loops_;
  llvm::DominatorTree &tree_;
  llvm::SmallVector<SignTest, 8> tests_;
  llvm::SmallSetVector<const llvm::SCEV *, 4> starts_;
};

} // namespace

llvm::PreservedAnalyses PlainIndicesPass::run(llvm::Function &function,
                                              llvm::FunctionAnalysisManager &analyses) {
  auto &evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto &tree = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  bool changed = false;
  for (llvm::Loop *loop : loops.getLoopsInPreorder())
    if (loop->isInnermost())
      changed |= CountingLoop(*loop, evolution, loops, tree).run();
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace numjit::codegen
