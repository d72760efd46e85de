#include "codegen/passes/carried_blocks.h"

#include "codegen/passes/block_makers.h"
#include "codegen/passes/block_uses.h"
#include "codegen/passes/distinct_arrays.h"
#include "codegen/passes/runtime_calls.h"
#include "runtime/runtime.h"
#include "runtime/simulator.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Scalar/SCCP.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace numjit::codegen {

namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

/// A block whose size is known.
struct KnownBlock {
  llvm::CallInst *call = nullptr;
  uint64_t header = 0, bytes = 0;
};

KnownBlock known_block(Value *value) {
  auto *call = llvm::dyn_cast<llvm::CallInst>(value);
  const bool scratch = is_call_of(call, {kNewScratchBlock});
  if (!call || !(scratch || is_call_of(call, {kNewBlock})))
    return {};
  const auto *size = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(0));
  const uint64_t bytes = size ? size->getLimitedValue() : 0;
  if (!bytes || bytes > (scratch ? kMostBytesOfKernels : kMostBytes))
    return {};
  return {call, static_cast<uint64_t>(scratch ? NJ_SCRATCH_HEADER : NJ_PAYLOAD_OFFSET), bytes};
}

/// A pointer as a constant distance from another one.
std::pair<Value *, int64_t> base_of(Value *pointer, const llvm::DataLayout &layout) {
  llvm::APInt offset(64, 0);
  Value *base = pointer->stripAndAccumulateConstantOffsets(layout, offset, true);
  return {base, offset.getSExtValue()};
}

/// Where the user of a use is; for a phi, the block that the value comes from.
BasicBlock *place_of(const llvm::Use &use) {
  if (auto *phi = llvm::dyn_cast<llvm::PHINode>(use.getUser()))
    return phi->getIncomingBlock(use);
  return llvm::cast<Instruction>(use.getUser())->getParent();
}

/// The blocks that may run behind the beginning of one, until another begins.
llvm::SmallPtrSet<BasicBlock *, 32> reached(BasicBlock *from, const BasicBlock *until) {
  llvm::SmallPtrSet<BasicBlock *, 32> seen;
  llvm::SmallVector<BasicBlock *, 16> todo;
  if (from != until) {
    seen.insert(from);
    todo.push_back(from);
  }
  while (!todo.empty())
    for (BasicBlock *next : llvm::successors(todo.pop_back_val()))
      if (next != until && seen.insert(next).second)
        todo.push_back(next);
  return seen;
}

/// One array that a loop replaces, and the phis that stand for it: of the block, of its elements.
class Carried {
  using Edge = std::pair<BasicBlock *, BasicBlock *>;

public:
  Carried(llvm::Loop &loop, llvm::PHINode &first, llvm::DominatorTree &tree, llvm::LoopInfo &loops)
      : loop_(loop), header_(*loop.getHeader()), layout_(header_.getDataLayout()), tree_(tree),
        loops_(loops) {
    if (first.getNumIncomingValues() != 2)
      return;
    latch_ = loop.contains(first.getIncomingBlock(0)) ? 0 : 1;
    if (!loop.contains(first.getIncomingBlock(latch_)) ||
        loop.contains(first.getIncomingBlock(1 - latch_)))
      return;
    const KnownBlock before =
        known_block(base_of(first.getIncomingValue(1 - latch_), layout_).first);
    const KnownBlock made = known_block(base_of(first.getIncomingValue(latch_), layout_).first);
    if (!before.call || !made.call || before.bytes != made.bytes || before.header != made.header ||
        !loop.contains(made.call->getParent()) || loop.contains(before.call->getParent()))
      return;
    before_ = before;
    made_ = made;
  }

  uint64_t bytes() const { return made_.call ? made_.header + made_.bytes : 0; }

  /// Whether all uses are known, and none sees two arrays in one.
  bool fits() {
    return made_.call && find_phis() && judge(*before_.call, /*inside=*/false) &&
           judge(*made_.call, /*inside=*/true) && judge_phis() && find_exits();
  }

  void rewrite() {
    BasicBlock &entry = header_.getParent()->getEntryBlock();
    llvm::IRBuilder<> b(&entry, entry.begin());
    llvm::AllocaInst *variable = b.CreateAlloca(llvm::ArrayType::get(b.getInt8Ty(), bytes()));
    variable->setAlignment(llvm::Align(made_.header));
    variable_ = variable;
    copy_at_exits();
    BasicBlock *ends[2];
    for (unsigned i : {0U, 1U})
      ends[i] = edge_block({phis_.front().first->getIncomingBlock(i), &header_});
    copy(ends[1 - latch_]->getTerminator(), variable, before_.call);
    copy(ends[latch_]->getTerminator(), variable, made_.call);
    release(ends[latch_]->getTerminator(), made_.call);
    for (const Edge &edge : late_exits_)
      release(edge_block(edge)->getTerminator(), before_.call);
    release_->eraseFromParent();
    for (auto &[phi, offset] : phis_)
      replace(*phi, offset);
  }

private:
  /// Phis of the header that are the same array on both ways.
  bool find_phis() {
    for (llvm::PHINode &phi : header_.phis()) {
      if (!phi.getType()->isPointerTy() || phi.getNumIncomingValues() != 2)
        continue;
      const auto [before, one] = base_of(phi.getIncomingValue(1 - latch_), layout_);
      const auto [made, other] = base_of(phi.getIncomingValue(latch_), layout_);
      if (before == before_.call && made == made_.call && one == other &&
          (one == 0 || one >= static_cast<int64_t>(made_.header)))
        phis_.push_back({&phi, one});
      else if (before == before_.call || made == made_.call)
        return false;
    }
    return true;
  }

  bool is_own_phi(const llvm::User *user) const {
    return llvm::any_of(phis_, [&](const auto &each) { return each.first == user; });
  }

  /// Nobody else holds the array of a call, and nobody uses it once the loop has it.
  bool judge(llvm::CallInst &call, bool inside) {
    llvm::SmallVector<llvm::Use *, 16> uses;
    if (!collect_uses(call, uses))
      return false;
    // What an iteration makes is made again before the next use of it.
    const auto behind = inside ? reached(&header_, &header_) : reached(&header_, call.getParent());
    return llvm::all_of(uses, [&](llvm::Use *use) {
      const llvm::User *user = use->getUser();
      if (llvm::isa<llvm::PHINode>(user)
              ? !is_own_phi(user)
              : is_call_of(user, kCounting) && !is_call_of(user, kReleasing))
        return false;
      return inside || !behind.contains(place_of(*use));
    });
  }

  /// In the loop the array is read, written, and released where the next one takes its place.
  bool judge_phis() {
    for (auto &[phi, offset] : phis_) {
      auto is_inside = [&](const llvm::Use &use) { return loop_.contains(place_of(use)); };
      for (llvm::Use &use : phi->uses())
        if (!is_inside(use))
          uses_outside_.push_back(&use);
      llvm::SmallVector<llvm::Use *, 16> uses;
      if (!collect_uses(*phi, uses, is_inside))
        return false;
      for (llvm::Use *use : uses) {
        if (llvm::isa<llvm::PHINode>(use->getUser()) || !is_inside(*use))
          return false;
        if (!is_call_of(use->getUser(), kCounting))
          continue;
        if (release_ || offset != 0 || !is_call_of(use->getUser(), kReleasing))
          return false;
        release_ = llvm::cast<llvm::CallInst>(use->getUser());
      }
    }
    return release_ != nullptr;
  }

  /// Ways out of the loop, and those behind the release in an iteration: there the array of the
  /// beginning is to be released.
  bool find_exits() {
    const BasicBlock *latch = phis_.front().first->getIncomingBlock(latch_);
    BasicBlock *place = release_->getParent();
    if (loops_.getLoopFor(place) != &loop_ || !tree_.dominates(place, latch))
      return false;
    llvm::SmallVector<llvm::Loop::Edge, 8> found;
    loop_.getExitEdges(found);
    exits_.insert(found.begin(), found.end());
    const auto behind = reached(place, &header_);
    for (const Edge &edge : exits_) {
      if (!has_two_ways(*edge.first))
        return false;
      if (!behind.contains(edge.first))
        continue;
      if (!tree_.dominates(place, edge.first))
        return false;
      late_exits_.push_back(edge);
    }
    return llvm::all_of(phis_.front().first->blocks(),
                        [](const BasicBlock *block) { return has_two_ways(*block); });
  }

  static bool has_two_ways(const BasicBlock &block) {
    const auto *branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    return branch &&
           (branch->isUnconditional() || branch->getSuccessor(0) != branch->getSuccessor(1));
  }

  /// A block of an edge. Other edges stay as they are: told of loops, LLVM gives all those into the
  /// same block one block together.
  BasicBlock *split(const Edge &edge) {
    const auto [from, to] = edge;
    BasicBlock *block =
        llvm::SplitCriticalEdge(from->getTerminator(), llvm::GetSuccessorNumber(from, to),
                                llvm::CriticalEdgeSplittingOptions(&tree_));
    if (!block)
      return llvm::SplitEdge(from, to, &tree_, &loops_);
    llvm::Loop *around = loops_.getLoopFor(to);
    while (around && !around->contains(from))
      around = around->getParentLoop();
    if (around)
      around->addBasicBlockToLoop(block, loops_);
    return block;
  }

  /// The block that runs on one edge alone.
  BasicBlock *edge_block(const Edge &edge) {
    BasicBlock *&block = edge_blocks_[edge];
    if (!block)
      block = edge.first->getSingleSuccessor() ? edge.first : split(edge);
    return block;
  }

  void release(Instruction *where, Value *block) const {
    auto *call = llvm::cast<llvm::CallInst>(release_->clone());
    call->setArgOperand(0, block);
    call->insertBefore(where->getIterator());
  }

  void copy(Instruction *where, Value *to, Value *from) const {
    llvm::IRBuilder<> b(where);
    auto payload = [&](Value *block) {
      return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), block, made_.header);
    };
    const llvm::Align align(made_.header);
    b.CreateMemCpy(payload(to), align, payload(from), align, made_.bytes);
  }

  /// The array of the beginning gets the elements on the ways out of the loop that lead to a use.
  void copy_at_exits() {
    llvm::SmallPtrSet<const BasicBlock *, 8> used;
    for (const llvm::Use *use : uses_outside_)
      if (!is_call_of(use->getUser(), kReleasing))
        used.insert(place_of(*use));
    for (const Edge &edge : exits_)
      if (used_by_phi(edge) ||
          llvm::any_of(reached(edge.second, &header_),
                       [&](const BasicBlock *block) { return used.contains(block); }))
        copy(edge_block(edge)->getTerminator(), before_.call, variable_);
  }

  bool used_by_phi(const Edge &edge) const {
    return llvm::any_of(uses_outside_, [&](const llvm::Use *use) {
      const auto *phi = llvm::dyn_cast<llvm::PHINode>(use->getUser());
      return phi && phi->getParent() == edge.second && phi->getIncomingBlock(*use) == edge.first;
    });
  }

  void replace(llvm::PHINode &phi, int64_t offset) {
    auto part_of = [&](Value *block, Instruction *where) -> Value * {
      llvm::IRBuilder<> b(where);
      return offset ? b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), block, offset) : block;
    };
    Value *inside = part_of(variable_, &*header_.getFirstInsertionPt());
    Value *outside = part_of(before_.call, before_.call->getNextNode());
    for (llvm::Use &use : llvm::make_early_inc_range(phi.uses())) {
      const bool is_inside = !llvm::is_contained(uses_outside_, &use);
      use.set(is_inside ? inside : outside);
    }
    phi.eraseFromParent();
  }

  llvm::Loop &loop_;
  BasicBlock &header_;
  const llvm::DataLayout &layout_;
  llvm::DominatorTree &tree_;
  llvm::LoopInfo &loops_;
  unsigned latch_ = 0; ///< which of the incoming values is that of the iteration before
  KnownBlock before_, made_;
  llvm::SmallVector<std::pair<llvm::PHINode *, int64_t>, 4> phis_; ///< and their offsets
  llvm::SmallVector<llvm::Use *, 8> uses_outside_;
  llvm::CallInst *release_ = nullptr; ///< of the array, where the next one takes its place
  llvm::SmallSetVector<Edge, 8> exits_;
  llvm::SmallVector<Edge, 4> late_exits_;
  llvm::SmallDenseMap<Edge, BasicBlock *, 8> edge_blocks_;
  Value *variable_ = nullptr;
};

/// A phi of a loop's header that was not looked at yet.
bool rewrite_one(llvm::Loop &loop, llvm::DominatorTree &tree, llvm::LoopInfo &loops,
                 uint64_t &used) {
  for (llvm::PHINode &phi : loop.getHeader()->phis()) {
    if (!phi.getType()->isPointerTy())
      continue;
    Carried carried(loop, phi, tree, loops);
    if (!carried.bytes() || used + carried.bytes() > kMostOfFunction || !carried.fits())
      continue;
    used += carried.bytes();
    carried.rewrite();
    return true;
  }
  return false;
}

/// Replaces a phi that is an address in one block, or nothing where there was no memory for it.
bool replace_one_block(llvm::PHINode &phi, const llvm::DominatorTree &tree) {
  std::pair<Value *, int64_t> only{nullptr, 0};
  for (Value *value : phi.incoming_values()) {
    if (llvm::isa<llvm::UndefValue>(value)) // poison, too
      continue;
    const auto base = base_of(value, phi.getDataLayout());
    if (only.first && only != base)
      return false;
    only = base;
  }
  if (!only.first || !known_block(only.first).call || !tree.dominates(only.first, &phi))
    return false;
  llvm::IRBuilder<> b(llvm::cast<Instruction>(only.first)->getNextNode());
  phi.replaceAllUsesWith(
      b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), only.first, static_cast<uint64_t>(only.second)));
  phi.eraseFromParent();
  return true;
}

bool replace_phis_of_one_block(llvm::Function &function, const llvm::DominatorTree &tree) {
  bool changed = false;
  for (BasicBlock &block : function)
    for (llvm::PHINode &phi : llvm::make_early_inc_range(block.phis()))
      if (phi.getType()->isPointerTy())
        changed |= replace_one_block(phi, tree);
  return changed;
}

bool makes_known_blocks(llvm::Function &function) {
  return llvm::any_of(llvm::instructions(function), [](Instruction &instruction) {
    return known_block(&instruction).call != nullptr;
  });
}

/// The length of an array stays what it was, if nothing but the length itself could change it.
bool find_constants(llvm::Function &function, llvm::FunctionAnalysisManager &analyses) {
  const llvm::PreservedAnalyses kept = llvm::SCCPPass().run(function, analyses);
  analyses.invalidate(function, kept);
  return !kept.areAllPreserved();
}

} // namespace

llvm::PreservedAnalyses CarriedBlocksPass::run(llvm::Function &function,
                                               llvm::FunctionAnalysisManager &analyses) {
  if (!makes_known_blocks(function))
    return llvm::PreservedAnalyses::all();
  bool changed = find_constants(function, analyses);
  if (!DistinctArraysPass().run(function, analyses).areAllPreserved()) {
    find_constants(function, analyses);
    changed = true;
  }
  auto &tree = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  uint64_t used = 0;
  changed |= replace_phis_of_one_block(function, tree);
  for (llvm::Loop *loop : loops.getLoopsInPreorder())
    while (rewrite_one(*loop, tree, loops, used))
      changed = true;
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace numjit::codegen
