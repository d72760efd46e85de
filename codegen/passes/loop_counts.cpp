#include "codegen/passes/loop_counts.h"

#include <llvm/Analysis/DomTreeUpdater.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

namespace numjit::codegen {

namespace {

using llvm::Value;

bool is_count(const llvm::Instruction &instruction) {
  return llvm::isa<llvm::AtomicRMWInst>(instruction) && instruction.use_empty() &&
         instruction.hasMetadata(kCountTag);
}

/// Whether an instruction may look at a counter, itself or in what it calls.
class Observers {
public:
  bool contain(const llvm::Instruction &instruction) {
    const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (!call)
      return !is_count(instruction) &&
             llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst, llvm::FenceInst>(instruction);
    if (llvm::isa<llvm::IntrinsicInst>(call) || call->doesNotAccessMemory())
      return false;
    const llvm::Function *callee = call->getCalledFunction();
    return !callee || callee->isDeclaration() || contain(*callee);
  }

private:
  bool contain(const llvm::Function &function) {
    auto [found, is_new] = known_.try_emplace(&function, false); // no: of a recursive call
    if (!is_new)
      return found->second;
    bool result = false;
    for (const llvm::BasicBlock &block : function)
      result = result || llvm::any_of(block, [&](const auto &each) { return contain(each); });
    return known_[&function] = result;
  }

  llvm::DenseMap<const llvm::Function *, bool> known_;
};

/// The counts of one outermost loop.
class LoopCounts {
public:
  LoopCounts(llvm::Loop &loop, llvm::LoopInfo &loops, llvm::DominatorTree &tree)
      : loop_(loop), loops_(loops), updater_(tree, llvm::DomTreeUpdater::UpdateStrategy::Eager),
        tree_(tree) {}

  bool run(Observers &observers) {
    llvm::SmallVector<llvm::Instruction *> counts, looks;
    find([](const llvm::Instruction &each) { return is_count(each); }, counts);
    if (counts.empty() || !loop_.isLoopSimplifyForm())
      return false;
    find([&](const llvm::Instruction &each) { return observers.contain(each); }, looks);
    llvm::SmallVector<llvm::BasicBlock *> exits;
    loop_.getUniqueExitBlocks(exits);
    make_variables();
    for (llvm::Instruction *each : counts)
      keep(llvm::cast<llvm::AtomicRMWInst>(*each));
    for (llvm::Instruction *each : looks)
      write_before(*each);
    for (llvm::BasicBlock *each : exits)
      write_before(*each->getFirstInsertionPt());
    llvm::PromoteMemToReg({count_, seen_, counter_}, tree_);
    return true;
  }

private:
  template <class Test>
  void find(Test test, llvm::SmallVectorImpl<llvm::Instruction *> &found) {
    for (llvm::BasicBlock *block : loop_.blocks())
      for (llvm::Instruction &each : *block)
        if (test(each))
          found.push_back(&each);
  }

  void make_variables() {
    llvm::BasicBlock &entry = loop_.getHeader()->getParent()->getEntryBlock();
    llvm::IRBuilder<> b(&entry, entry.begin());
    count_ = b.CreateAlloca(b.getInt64Ty());
    seen_ = b.CreateAlloca(b.getInt64Ty());
    counter_ = b.CreateAlloca(b.getPtrTy());
    b.SetInsertPoint(loop_.getLoopPreheader()->getTerminator());
    b.CreateStore(b.getInt64(0), count_);
    b.CreateStore(b.getInt64(-1), seen_);
    b.CreateStore(llvm::ConstantPointerNull::get(b.getPtrTy()), counter_);
  }

  /// Makes an addition one to the variable. When somebody looks, or another counter is meant, both
  /// are written, and the variable is such that it is zero afterwards.
  void keep(llvm::AtomicRMWInst &addition) {
    llvm::IRBuilder<> b(&addition);
    Value *counter = addition.getPointerOperand(), *amount = addition.getValOperand();
    Value *word = b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), counter, 1);
    llvm::LoadInst *now = b.CreateAlignedLoad(b.getInt64Ty(), word, llvm::Align(8));
    now->setAtomic(llvm::AtomicOrdering::Monotonic);
    Value *is_other = b.CreateICmpNE(counter, b.CreateLoad(b.getPtrTy(), counter_));
    Value *is_asked = b.CreateICmpNE(now, b.CreateLoad(b.getInt64Ty(), seen_));
    llvm::Instruction *end = rarely(b.CreateOr(is_other, is_asked), addition);
    write_before(*end);
    b.SetInsertPoint(end);
    add(b, counter, amount);
    b.CreateStore(b.CreateNeg(amount), count_);
    b.CreateStore(counter, counter_);
    b.CreateStore(now, seen_);
    b.SetInsertPoint(&addition);
    b.CreateStore(b.CreateAdd(b.CreateLoad(b.getInt64Ty(), count_), amount), count_);
    addition.eraseFromParent();
  }

  /// Adds the variable to its counter, if it is not zero.
  void write_before(llvm::Instruction &place) {
    llvm::IRBuilder<> b(&place);
    Value *count = b.CreateLoad(b.getInt64Ty(), count_);
    b.SetInsertPoint(rarely(b.CreateIsNotNull(count), place));
    add(b, b.CreateLoad(b.getPtrTy(), counter_), count);
    b.CreateStore(b.getInt64(0), count_);
  }

  /// The end of a block in front of `place` that is run if `condition` holds.
  llvm::Instruction *rarely(Value *condition, llvm::Instruction &place) {
    llvm::MDNode *weights = llvm::MDBuilder(place.getContext()).createUnlikelyBranchWeights();
    return llvm::SplitBlockAndInsertIfThen(condition, &place, false, weights, &updater_, &loops_);
  }

  static void add(llvm::IRBuilder<> &b, Value *counter, Value *amount) {
    b.CreateAtomicRMW(llvm::AtomicRMWInst::Add, counter, amount, llvm::Align(8),
                      llvm::AtomicOrdering::Monotonic);
  }

  llvm::Loop &loop_;
  llvm::LoopInfo &loops_;
  llvm::DomTreeUpdater updater_;
  llvm::DominatorTree &tree_;
  llvm::AllocaInst *count_ = nullptr;   ///< what is not written yet
  llvm::AllocaInst *seen_ = nullptr;    ///< the word behind the counter when it was written last
  llvm::AllocaInst *counter_ = nullptr; ///< that the variable belongs to
};

} // namespace

llvm::PreservedAnalyses LoopCountsPass::run(llvm::Function &function,
                                            llvm::FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto &tree = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  Observers observers;
  bool changed = false;
  for (llvm::Loop *loop : llvm::to_vector(loops))
    changed |= LoopCounts(*loop, loops, tree).run(observers);
  if (!changed)
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserve<llvm::LoopAnalysis>();
  kept.preserve<llvm::DominatorTreeAnalysis>();
  return kept;
}

} // namespace numjit::codegen
