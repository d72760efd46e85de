#include "codegen/passes/rare_records.h"

#include "codegen/passes/pass_result.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/IR/ProfDataUtils.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace numjit::codegen {

namespace {

using namespace llvm::PatternMatch;

constexpr uint32_t kOften = 1000; ///< for one time of the other
constexpr size_t kShortLoop = 32; ///< of a loop whose time is that of the comparisons

using Versions = llvm::SmallPtrSet<llvm::Value *, 8>;

/// Whether a value is a choice of the loop, or a phi where its branches meet.
bool hands_on(const llvm::Loop &loop, const llvm::Value *value) {
  const auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
  return instruction && loop.contains(instruction) &&
         (llvm::isa<llvm::SelectInst>(instruction) ||
          (llvm::isa<llvm::PHINode>(instruction) && instruction->getParent() != loop.getHeader()));
}

/// What becomes of a value by choices and phis.
Versions followers_of(const llvm::Loop &loop, llvm::Value &start) {
  Versions found{&start};
  llvm::SmallVector<llvm::Value *, 8> todo{&start};
  while (!todo.empty())
    for (llvm::User *user : todo.pop_back_val()->users())
      if (hands_on(loop, user) && found.insert(user).second)
        todo.push_back(user);
  return found;
}

/// What a value may be by choices and phis.
Versions origins_of(const llvm::Loop &loop, llvm::Value &end) {
  Versions found{&end};
  llvm::SmallVector<llvm::Value *, 8> todo{&end};
  while (!todo.empty()) {
    llvm::Value *value = todo.pop_back_val();
    if (!hands_on(loop, value))
      continue;
    auto *choice = llvm::dyn_cast<llvm::SelectInst>(value);
    for (llvm::Value *operand : llvm::cast<llvm::User>(value)->operands())
      if ((!choice || operand != choice->getCondition()) && found.insert(operand).second)
        todo.push_back(operand);
  }
  return found;
}

/// A phi of the loop's header, and the phis and choices between it and what the next iteration
/// gets. (`best_place = place` makes a version of another phi, not of this one.)
Versions versions_of(const llvm::Loop &loop, llvm::PHINode &phi) {
  Versions versions{&phi};
  const Versions next = origins_of(loop, *phi.getIncomingValueForBlock(loop.getLoopLatch()));
  for (llvm::Value *value : followers_of(loop, phi))
    if (next.contains(value))
      versions.insert(value);
  return versions;
}

/// Whether a condition contains a comparison of these two by size.
bool compares(const llvm::Value *condition, const llvm::Value *one, const llvm::Value *other) {
  const llvm::Value *left = nullptr, *right = nullptr;
  if (match(condition, m_LogicalAnd(m_Value(left), m_Value(right))))
    return compares(left, one, other) || compares(right, one, other);
  const auto *test = llvm::dyn_cast<llvm::CmpInst>(condition);
  return test && !test->isEquality() &&
         ((test->getOperand(0) == one && test->getOperand(1) == other) ||
          (test->getOperand(0) == other && test->getOperand(1) == one));
}

/// Whether a value is computed from one of these in the same iteration.
bool depends_on(const llvm::Value *value, const Versions &versions, int depth = 6) {
  if (versions.contains(value))
    return true;
  const auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || llvm::isa<llvm::PHINode>(instruction))
    return false;
  return depth == 0 || llvm::any_of(instruction->operands(), [&](const llvm::Use &operand) {
           return depends_on(operand, versions, depth - 1);
         });
}

/// Whether a number is an item at an index that is one of these, or a difference to one.
bool is_item_at(const llvm::Value *value, const Versions &index, int depth = 2) {
  const auto *load = llvm::dyn_cast<llvm::LoadInst>(value);
  if (!load) {
    const auto *operation = llvm::dyn_cast<llvm::Instruction>(value);
    return depth > 0 && operation &&
           llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CastInst>(operation) &&
           llvm::any_of(operation->operands(), [&](const llvm::Use &operand) {
             return is_item_at(operand, index, depth - 1);
           });
  }
  const auto *address = llvm::dyn_cast<llvm::GetElementPtrInst>(load->getPointerOperand());
  return address && llvm::any_of(address->indices(), [&](const llvm::Use &use) {
           const llvm::Value *at = use;
           if (const auto *product = llvm::dyn_cast<llvm::BinaryOperator>(at);
               product && product->getOpcode() == llvm::Instruction::Mul)
             at = index.contains(product->getOperand(0)) ? product->getOperand(0)
                                                         : product->getOperand(1);
           return index.contains(at);
         });
}

/// Whether a condition compares an item at one of these indices with anything.
bool compares_item(const llvm::Value *condition, const Versions &index) {
  const llvm::Value *left = nullptr, *right = nullptr;
  if (match(condition, m_LogicalAnd(m_Value(left), m_Value(right))))
    return compares_item(left, index) || compares_item(right, index);
  const auto *test = llvm::dyn_cast<llvm::CmpInst>(condition);
  return test && !test->isEquality() &&
         (is_item_at(test->getOperand(0), index) || is_item_at(test->getOperand(1), index));
}

/// What a choice keeps up to date.
struct Record {
  enum Kind : uint8_t { None, Item, Place } kind = None;
  bool first_is_new = false;
};

/// `best = x if x > best else best`, or `place = i if a[i] > a[place] else place`, for the `best`
/// or `place` of any iteration. Where the new place follows from the former, as in a binary search,
/// no side is rare.
Record record_of(const llvm::SelectInst &choice, const Versions &best) {
  const llvm::Value *a = choice.getTrueValue(), *b = choice.getFalseValue();
  if (best.contains(a) == best.contains(b))
    return {};
  const bool first_is_new = best.contains(b);
  if (compares(choice.getCondition(), a, b))
    return {Record::Item, first_is_new};
  if (choice.getType()->isIntegerTy() && compares_item(choice.getCondition(), best) &&
      !depends_on(first_is_new ? a : b, best))
    return {Record::Place, first_is_new};
  return {};
}

/// Another variable of the loop that the same condition chooses for.
bool has_companion(const llvm::SelectInst &choice, const llvm::Loop &loop) {
  return llvm::any_of(loop.getHeader()->phis(), [&](llvm::PHINode &phi) {
    const Versions versions = versions_of(loop, phi);
    return !versions.contains(&choice) &&
           llvm::any_of(choice.getCondition()->users(), [&](const llvm::User *user) {
             return user != &choice && versions.contains(user) &&
                    llvm::isa<llvm::SelectInst>(user) &&
                    llvm::cast<llvm::SelectInst>(user)->getParent() == choice.getParent();
           });
  });
}

/// All choices of a block by one condition.
void mark(llvm::SelectInst &record, bool first_is_new) {
  llvm::MDNode *rare =
      llvm::MDBuilder(record.getContext())
          .createBranchWeights(first_is_new ? 1 : kOften, first_is_new ? kOften : 1);
  for (llvm::User *user : record.getCondition()->users())
    if (auto *choice = llvm::dyn_cast<llvm::SelectInst>(user);
        choice && choice->getParent() == record.getParent() &&
        choice->getCondition() == record.getCondition())
      choice->setMetadata(llvm::LLVMContext::MD_prof, rare);
}

bool mark_records(const llvm::Loop &loop) {
  size_t instructions = 0;
  for (const llvm::BasicBlock *block : loop.blocks())
    instructions += block->size();
  if (instructions > kShortLoop)
    return false;
  bool changed = false;
  for (llvm::PHINode &phi : loop.getHeader()->phis()) {
    const Versions versions = versions_of(loop, phi);
    for (llvm::Value *version : versions) {
      auto *choice = llvm::dyn_cast<llvm::SelectInst>(version);
      const Record record = choice ? record_of(*choice, versions) : Record();
      if (record.kind == Record::Place ||
          (record.kind == Record::Item && has_companion(*choice, loop))) {
        mark(*choice, record.first_is_new);
        changed = true;
      }
    }
  }
  return changed;
}

/// Choices of a block by one condition, in order; `rare` is the side of a record.
struct Choices {
  llvm::SmallVector<llvm::SelectInst *, 4> all;
  bool first_is_rare = false;
};

bool is_marked(const llvm::SelectInst &choice, bool &first_is_rare) {
  uint64_t first = 0, second = 0;
  if (!llvm::extractBranchWeights(choice, first, second) || std::min(first, second) != 1 ||
      std::max(first, second) != kOften)
    return false;
  first_is_rare = first == 1;
  return true;
}

/// The last marked choice of a block with those before it that have the same condition and may move
/// to it.
Choices last_choices(llvm::BasicBlock &block) {
  Choices found;
  for (llvm::Instruction &instruction : llvm::reverse(block)) {
    auto *choice = llvm::dyn_cast<llvm::SelectInst>(&instruction);
    if (!choice)
      continue;
    if (found.all.empty()) {
      if (is_marked(*choice, found.first_is_rare))
        found.all.push_back(choice);
    } else if (choice->getCondition() == found.all[0]->getCondition() &&
               llvm::none_of(choice->users(), [&](const llvm::User *user) {
                 const auto *use = llvm::cast<llvm::Instruction>(user);
                 return use->getParent() == &block && !llvm::isa<llvm::PHINode>(use) &&
                        !found.all[0]->comesBefore(use);
               })) {
      found.all.push_back(choice);
    }
  }
  return found;
}

void make_branch(const Choices &choices) {
  llvm::SelectInst *last = choices.all[0];
  llvm::Value *condition = last->getCondition();
  llvm::MDNode *weights = last->getMetadata(llvm::LLVMContext::MD_prof);
  llvm::BasicBlock *before = last->getParent();
  llvm::BasicBlock *behind = llvm::SplitBlock(before, last);
  auto *rare = llvm::BasicBlock::Create(last->getContext(), "record", before->getParent(), behind);
  llvm::IRBuilder<>(rare).CreateBr(behind);
  before->getTerminator()->eraseFromParent();
  llvm::BranchInst *jump = choices.first_is_rare
                               ? llvm::BranchInst::Create(rare, behind, condition, before)
                               : llvm::BranchInst::Create(behind, rare, condition, before);
  jump->setMetadata(llvm::LLVMContext::MD_prof, weights);
  for (llvm::SelectInst *choice : choices.all) {
    llvm::PHINode *phi = llvm::PHINode::Create(choice->getType(), 2, "", behind->begin());
    phi->addIncoming(choice->getTrueValue(), choices.first_is_rare ? rare : before);
    phi->addIncoming(choice->getFalseValue(), choices.first_is_rare ? before : rare);
    phi->takeName(choice);
    choice->replaceAllUsesWith(phi);
    choice->eraseFromParent();
  }
}

} // namespace

llvm::PreservedAnalyses RareRecordsPass::run(llvm::Function &function,
                                             llvm::FunctionAnalysisManager &analyses) {
  if (function.hasOptSize())
    return llvm::PreservedAnalyses::all();
  bool changed = false;
  for (const llvm::Loop *loop :
       analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder())
    if (loop->isInnermost() && loop->getLoopLatch() &&
        !llvm::getBooleanLoopAttribute(loop, "llvm.loop.isvectorized"))
      changed |= mark_records(*loop);
  return with_same_flow(changed);
}

llvm::PreservedAnalyses RecordBranchesPass::run(llvm::Function &function,
                                                llvm::FunctionAnalysisManager &) {
  bool changed = false;
  llvm::SmallVector<llvm::BasicBlock *, 16> blocks(llvm::make_pointer_range(function));
  for (llvm::BasicBlock *block : blocks)
    for (Choices found = last_choices(*block); !found.all.empty(); found = last_choices(*block)) {
      make_branch(found);
      changed = true;
    }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace numjit::codegen
