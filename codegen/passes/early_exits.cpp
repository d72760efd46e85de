#include "codegen/passes/early_exits.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <optional>

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

/// A way out of the loop besides the latch's.
struct Exit {
  llvm::BranchInst *jump;
  BasicBlock *block, *inside, *outside;
  const SCEV *until, *last; ///< iterations before `jump` leaves, and before the latch does
};

/// A value, or a number that can be computed.
using Known = llvm::PointerUnion<Value *, const SCEV *>;

/// What an exit hands out if the first iteration takes it, and behind the loop: there as the next
/// iteration would find it. Null: it is known within the loop only.
struct Handed {
  Known at_once, behind;
};

/// What is computed in front of the loop.
struct Front {
  BasicBlock *block;
  Value *bound = nullptr;                                  ///< of the latch's counter
  Value *leaves = nullptr;                                 ///< whether the exit is ever taken
  llvm::SmallVector<std::pair<Value *, Value *>> handed{}; ///< for each phi outside
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
    std::optional<Exit> exit = movable(jump);
    if (!exit)
      return false;
    exit->outside = own_target(exit->outside, exit->block);
    BasicBlock *behind = own_target(behind_loop(), loop_.getLoopLatch());
    const Front front = branch_in_front(*exit);
    BasicBlock *which = branch_behind(*exit, front, behind);
    hand_over(*exit, front, which, behind);
    stay_within(*exit);

    using Update = llvm::DominatorTree::UpdateType;
    BasicBlock *latch = loop_.getLoopLatch();
    results_.DT.applyUpdates({Update{llvm::DominatorTree::Insert, front.block, exit->outside},
                              Update{llvm::DominatorTree::Insert, latch, which},
                              Update{llvm::DominatorTree::Insert, which, exit->outside},
                              Update{llvm::DominatorTree::Insert, which, behind},
                              Update{llvm::DominatorTree::Delete, latch, behind},
                              Update{llvm::DominatorTree::Delete, exit->block, exit->outside}});
    changed_ = true;
    return find_latch();
  }

  /// The exit of a jump if all that it needs can be computed in front of the loop, for little.
  std::optional<Exit> movable(llvm::BranchInst &jump) {
    const bool leaves_if_true = !loop_.contains(jump.getSuccessor(0));
    Exit exit{&jump,
              jump.getParent(),
              jump.getSuccessor(leaves_if_true ? 1 : 0),
              jump.getSuccessor(leaves_if_true ? 0 : 1),
              se_.getExitCount(&loop_, jump.getParent()),
              se_.getExitCount(&loop_, loop_.getLoopLatch())};
    if (llvm::isa<llvm::SCEVCouldNotCompute>(exit.until) ||
        llvm::isa<llvm::SCEVCouldNotCompute>(exit.last) ||
        exit.until->getType() != exit.last->getType() ||
        exit.until->getType() != latch_.counter->getType())
      return std::nullopt;
    llvm::Loop *around = loop_.getParentLoop();
    if (results_.LI.getLoopFor(exit.outside) != around &&
        results_.LI.getLoopFor(behind_loop()) != around)
      return std::nullopt; // the block between both would be in another loop
    llvm::SmallVector<const SCEV *> wanted{exit.until, exit.last, latch_.counter->getStart()};
    for (llvm::PHINode &phi : exit.outside->phis()) {
      const Handed handed = handed_to(phi, exit);
      if (!handed.at_once)
        return std::nullopt;
      for (Known each : {handed.at_once, handed.behind})
        if (auto *number = llvm::dyn_cast<const SCEV *>(each))
          wanted.push_back(number);
    }
    llvm::Instruction *at = loop_.getLoopPreheader()->getTerminator();
    llvm::SCEVExpander expander(se_, "count");
    constexpr unsigned budget = 12;
    if (!llvm::all_of(wanted,
                      [&](const SCEV *each) { return expander.isSafeToExpandAt(each, at); }) ||
        expander.isHighCostExpansion(wanted, &loop_, budget, &results_.TTI, at))
      return std::nullopt;
    return exit;
  }

  /// What an exit hands to the block outside.
  Handed handed_to(llvm::PHINode &phi, const Exit &exit) {
    Value *value = phi.getIncomingValueForBlock(exit.block);
    if (loop_.isLoopInvariant(value))
      return {value, value};
    if (auto *in_header = llvm::dyn_cast<llvm::PHINode>(value);
        in_header && in_header->getParent() == loop_.getHeader())
      return {in_header->getIncomingValueForBlock(loop_.getLoopPreheader()),
              in_header->getIncomingValueForBlock(loop_.getLoopLatch())};
    if (const llvm::SCEVAddRecExpr *counter = counted(value))
      return {counter->getStart(), counter->evaluateAtIteration(exit.until, se_)};
    return {};
  }

  /// In front: the bound, and the case that the first iteration leaves.
  Front branch_in_front(const Exit &exit) {
    Front front{loop_.getLoopPreheader()};
    llvm::IRBuilder<> b(front.block->getTerminator());
    llvm::SCEVExpander expander(se_, "count");
    Value *before = expand(expander, b, exit.until), *rounds = expand(expander, b, exit.last);
    Value *less = b.CreateSub(before, llvm::ConstantInt::get(before->getType(), 1));
    Value *start = expander.expandCodeFor(latch_.counter->getStart(), nullptr, b.GetInsertPoint());
    front.bound = b.CreateAdd(start, b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, rounds, less));
    front.leaves = b.CreateICmpULE(before, rounds);
    Value *at_once = b.CreateIsNull(before);
    for (llvm::PHINode &phi : exit.outside->phis()) {
      auto known = [&](Known each) {
        if (auto *number = llvm::dyn_cast<const SCEV *>(each))
          return expander.expandCodeFor(number, phi.getType(), b.GetInsertPoint());
        return llvm::cast<Value *>(each);
      };
      const Handed handed = handed_to(phi, exit);
      front.handed.emplace_back(known(handed.at_once), known(handed.behind));
    }
    BasicBlock *entry = llvm::SplitEdge(front.block, loop_.getHeader(), &results_.DT, &results_.LI);
    llvm::Instruction *old = front.block->getTerminator();
    b.SetInsertPoint(old);
    b.CreateCondBr(at_once, exit.outside, entry);
    old->eraseFromParent();
    return front;
  }

  /// Behind: a block that tells which of the two exits it was.
  BasicBlock *branch_behind(const Exit &exit, const Front &front, BasicBlock *behind) {
    BasicBlock *which = BasicBlock::Create(behind->getContext(), "", behind->getParent(), behind);
    if (llvm::Loop *around = loop_.getParentLoop())
      around->addBasicBlockToLoop(which, results_.LI);
    llvm::IRBuilder<>(which).CreateCondBr(front.leaves, exit.outside, behind);
    latch_.jump->replaceSuccessorWith(behind, which);
    latch_.test->setOperand(latch_.bound_at, front.bound);
    latch_.test->setSameSign(false);
    return which;
  }

  /// The values that both exits hand out come through the new blocks.
  void hand_over(const Exit &exit, const Front &front, BasicBlock *which, BasicBlock *behind) {
    BasicBlock *latch = loop_.getLoopLatch();
    auto through = [&](Value *value) { // for LCSSA
      if (loop_.isLoopInvariant(value))
        return value;
      auto *phi = llvm::PHINode::Create(value->getType(), 1, "", which->begin());
      phi->addIncoming(value, latch);
      return static_cast<Value *>(phi);
    };
    for (auto [phi, handed] : llvm::zip(exit.outside->phis(), front.handed)) {
      phi.addIncoming(handed.first, front.block);
      phi.addIncoming(through(handed.second), which);
      phi.removeIncomingValue(exit.block);
    }
    for (llvm::PHINode &phi : behind->phis()) {
      const int at = phi.getBasicBlockIndex(latch);
      phi.setIncomingValue(at, through(phi.getIncomingValue(at)));
      phi.setIncomingBlock(at, which);
    }
  }

  /// Within: no exit.
  void stay_within(const Exit &exit) {
    llvm::IRBuilder<>(exit.jump).CreateBr(exit.inside);
    auto *test = llvm::dyn_cast<llvm::Instruction>(exit.jump->getCondition());
    exit.jump->eraseFromParent();
    se_.forgetTopmostLoop(&loop_);
    se_.forgetBlockAndLoopDispositions();
    if (test && test->use_empty())
      test->eraseFromParent();
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
