#include "codegen/early_exits.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

namespace numjit::codegen {

namespace {

using llvm::BasicBlock;
using llvm::SCEV;
using llvm::Value;

/// The jump back, taken as long as `counter` has not reached `bound`.
struct Latch {
  llvm::BranchInst *jump = nullptr;
  llvm::ICmpInst *test = nullptr;
  unsigned bound_at = 0;                         ///< operand of `test`
  const llvm::SCEVAddRecExpr *counter = nullptr; ///< the other one; goes up by one
};

class EarlyExits {
public:
  EarlyExits(llvm::Loop &loop, llvm::LoopStandardAnalysisResults &results)
      : loop_(loop), results_(results), se_(results.SE) {}

  bool run() {
    if (!loop_.isLoopSimplifyForm() || !find_latch())
      return false;
    // The blocks that every iteration begins with.
    for (BasicBlock *block = loop_.getHeader(); block && block != loop_.getLoopLatch();) {
      if (llvm::any_of(*block, [](llvm::Instruction &each) { return each.mayHaveSideEffects(); }))
        break;
      auto *jump = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
      if (!jump)
        break;
      if (jump->isConditional()) {
        if (loop_.contains(jump->getSuccessor(0)) == loop_.contains(jump->getSuccessor(1)) ||
            !take_out(*jump))
          break;
        jump = llvm::cast<llvm::BranchInst>(block->getTerminator());
      }
      block = jump->getSuccessor(0)->getSinglePredecessor() ? jump->getSuccessor(0) : nullptr;
    }
    return changed_;
  }

private:
  bool find_latch() {
    BasicBlock *block = loop_.getLoopLatch();
    latch_.jump = block ? llvm::dyn_cast<llvm::BranchInst>(block->getTerminator()) : nullptr;
    if (!latch_.jump || !latch_.jump->isConditional() || !loop_.isLoopExiting(block))
      return false;
    latch_.test = llvm::dyn_cast<llvm::ICmpInst>(latch_.jump->getCondition());
    if (!latch_.test || !latch_.test->hasOneUse() || !latch_.test->isEquality() ||
        !latch_.test->getOperand(0)->getType()->isIntegerTy())
      return false;
    // Equal: leave.
    const bool leaves_if_true = !loop_.contains(latch_.jump->getSuccessor(0));
    if (leaves_if_true != (latch_.test->getPredicate() == llvm::ICmpInst::ICMP_EQ))
      return false;
    for (unsigned bound_at : {1U, 0U}) {
      const llvm::SCEVAddRecExpr *counter = counted(latch_.test->getOperand(1 - bound_at));
      if (!counter || !counter->getStepRecurrence(se_)->isOne() ||
          !loop_.isLoopInvariant(latch_.test->getOperand(bound_at)))
        continue;
      latch_.bound_at = bound_at;
      latch_.counter = counter;
      return true;
    }
    return false;
  }

  /// How a value of the loop counts up; nullptr if it does not.
  const llvm::SCEVAddRecExpr *counted(Value *value) {
    auto *counter = se_.isSCEVable(value->getType())
                        ? llvm::dyn_cast<llvm::SCEVAddRecExpr>(se_.getSCEV(value))
                        : nullptr;
    return counter && counter->getLoop() == &loop_ && counter->isAffine() ? counter : nullptr;
  }

  bool is_header_phi(Value *value) const {
    auto *phi = llvm::dyn_cast<llvm::PHINode>(value);
    return phi && phi->getParent() == loop_.getHeader();
  }

  /// A block that only `from` jumps to. What else jumps to `target` goes through another one: loops
  /// around have exits of their own.
  BasicBlock *own_target(BasicBlock *target, BasicBlock *from) {
    if (target->getSinglePredecessor())
      return target;
    llvm::SmallVector<BasicBlock *> others;
    for (BasicBlock *each : llvm::predecessors(target))
      if (each != from)
        others.push_back(each);
    auto split = [&](llvm::ArrayRef<BasicBlock *> from) {
      return llvm::SplitBlockPredecessors(target, from, "", &results_.DT, &results_.LI, nullptr,
                                          /*PreserveLCSSA=*/true);
    };
    split(others);
    return split({from});
  }

  Value *expand(llvm::SCEVExpander &expander, llvm::IRBuilder<> &b, const SCEV *count) {
    Value *value = expander.expandCodeFor(count, nullptr, b.GetInsertPoint());
    return llvm::isGuaranteedNotToBeUndefOrPoison(value) ? value : b.CreateFreeze(value);
  }

  /// Where the latch goes when the loop is over.
  BasicBlock *behind_loop() const {
    return latch_.jump->getSuccessor(loop_.contains(latch_.jump->getSuccessor(0)));
  }

  /// Moves the exit at the end of a block out of the loop; whether another one may follow.
  bool take_out(llvm::BranchInst &jump) {
    BasicBlock *block = jump.getParent(), *latch = loop_.getLoopLatch(),
               *header = loop_.getHeader();
    const bool leaves_if_true = !loop_.contains(jump.getSuccessor(0));
    BasicBlock *outside = jump.getSuccessor(leaves_if_true ? 0 : 1);
    BasicBlock *inside = jump.getSuccessor(leaves_if_true ? 1 : 0);
    // Iterations before the test says so, and before the latch does.
    const SCEV *until = se_.getExitCount(&loop_, block), *last = se_.getExitCount(&loop_, latch);
    if (llvm::isa<llvm::SCEVCouldNotCompute>(until) || llvm::isa<llvm::SCEVCouldNotCompute>(last) ||
        until->getType() != last->getType() || until->getType() != latch_.counter->getType())
      return false;
    llvm::Loop *around = loop_.getParentLoop();
    if (results_.LI.getLoopFor(outside) != around &&
        results_.LI.getLoopFor(behind_loop()) != around)
      return false; // the block between both would be in another loop
    BasicBlock *front = loop_.getLoopPreheader();
    llvm::SCEVExpander expander(se_, "count");
    const SCEV *start = latch_.counter->getStart();
    llvm::SmallVector<const SCEV *> wanted{until, last, start};
    // What is handed out of the loop has to be known in front of it and behind it.
    for (llvm::PHINode &phi : outside->phis()) {
      Value *value = phi.getIncomingValueForBlock(block);
      if (loop_.isLoopInvariant(value) || is_header_phi(value))
        continue;
      const llvm::SCEVAddRecExpr *counter = counted(value);
      if (!counter)
        return false;
      wanted.append({counter->getStart(), counter->evaluateAtIteration(until, se_)});
    }
    if (!llvm::all_of(wanted, [&](const SCEV *each) {
          return expander.isSafeToExpandAt(each, front->getTerminator());
        }))
      return false;
    if (constexpr unsigned budget = 8;
        expander.isHighCostExpansion(wanted, &loop_, budget, &results_.TTI, front->getTerminator()))
      return false;

    outside = own_target(outside, block);
    BasicBlock *behind = own_target(behind_loop(), latch);

    // In front: the bound, and the case that the first iteration raises.
    llvm::IRBuilder<> b(front->getTerminator());
    Value *before = expand(expander, b, until), *rounds = expand(expander, b, last);
    Value *less = b.CreateSub(before, llvm::ConstantInt::get(before->getType(), 1));
    Value *bound = b.CreateAdd(expander.expandCodeFor(start, nullptr, b.GetInsertPoint()),
                               b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, rounds, less));
    Value *at_once = b.CreateIsNull(before);
    Value *raises = b.CreateICmpULE(before, rounds);
    struct Handed {
      Value *at_once, *behind; ///< as the next iteration would find it
    };
    llvm::SmallVector<Handed> handed;
    for (llvm::PHINode &phi : outside->phis()) {
      Value *value = phi.getIncomingValueForBlock(block);
      if (loop_.isLoopInvariant(value)) {
        handed.push_back({value, value});
      } else if (is_header_phi(value)) {
        auto *in_header = llvm::cast<llvm::PHINode>(value);
        handed.push_back({in_header->getIncomingValueForBlock(front),
                          in_header->getIncomingValueForBlock(latch)});
      } else {
        const llvm::SCEVAddRecExpr *counter = counted(value);
        auto code = [&](const SCEV *of) {
          return expander.expandCodeFor(of, value->getType(), b.GetInsertPoint());
        };
        handed.push_back(
            {code(counter->getStart()), code(counter->evaluateAtIteration(until, se_))});
      }
    }
    BasicBlock *entry = llvm::SplitEdge(front, header, &results_.DT, &results_.LI);
    llvm::Instruction *old = front->getTerminator();
    b.SetInsertPoint(old);
    b.CreateCondBr(at_once, outside, entry);
    old->eraseFromParent();

    // Behind: which of the two exits it was.
    BasicBlock *which = BasicBlock::Create(header->getContext(), "", header->getParent(), behind);
    if (around)
      around->addBasicBlockToLoop(which, results_.LI);
    b.SetInsertPoint(which);
    b.CreateCondBr(raises, outside, behind);
    auto through = [&](Value *value) { // for LCSSA
      if (loop_.isLoopInvariant(value))
        return value;
      auto *phi = llvm::PHINode::Create(value->getType(), 1, "", which->begin());
      phi->addIncoming(value, latch);
      return static_cast<Value *>(phi);
    };
    for (auto [phi, value] : llvm::zip(outside->phis(), handed)) {
      phi.addIncoming(value.at_once, front);
      phi.addIncoming(through(value.behind), which);
      phi.removeIncomingValue(block);
    }
    for (llvm::PHINode &phi : behind->phis()) {
      const int at = phi.getBasicBlockIndex(latch);
      phi.setIncomingValue(at, through(phi.getIncomingValue(at)));
      phi.setIncomingBlock(at, which);
    }
    latch_.jump->replaceSuccessorWith(behind, which);
    latch_.test->setOperand(latch_.bound_at, bound);
    latch_.test->setSameSign(false);

    // Within: no exit.
    b.SetInsertPoint(&jump);
    b.CreateBr(inside);
    auto *test = llvm::dyn_cast<llvm::Instruction>(jump.getCondition());
    jump.eraseFromParent();
    se_.forgetTopmostLoop(&loop_);
    se_.forgetBlockAndLoopDispositions();
    if (test && test->use_empty())
      test->eraseFromParent();

    using Update = llvm::DominatorTree::UpdateType;
    results_.DT.applyUpdates({Update{llvm::DominatorTree::Insert, front, outside},
                              Update{llvm::DominatorTree::Insert, latch, which},
                              Update{llvm::DominatorTree::Insert, which, outside},
                              Update{llvm::DominatorTree::Insert, which, behind},
                              Update{llvm::DominatorTree::Delete, latch, behind},
                              Update{llvm::DominatorTree::Delete, block, outside}});
    changed_ = true;
    return find_latch();
  }

  llvm::Loop &loop_;
  llvm::LoopStandardAnalysisResults &results_;
  llvm::ScalarEvolution &se_;
  Latch latch_;
  bool changed_ = false;
};

} // namespace

llvm::PreservedAnalyses EarlyExitsPass::run(llvm::Loop &loop, llvm::LoopAnalysisManager &,
                                            llvm::LoopStandardAnalysisResults &results,
                                            llvm::LPMUpdater &) {
  // Kernels of GPUs keep their tests: nothing is vectorised there.
  if (loop.getHeader()->getModule()->getTargetTriple().isNVPTX())
    return llvm::PreservedAnalyses::all();
  return EarlyExits(loop, results).run() ? llvm::getLoopPassPreservedAnalyses()
                                         : llvm::PreservedAnalyses::all();
}

} // namespace numjit::codegen
