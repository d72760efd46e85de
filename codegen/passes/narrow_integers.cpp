#include "codegen/passes/narrow_integers.h"

#include "codegen/passes/pass_result.h"

#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/LoopIterator.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

namespace numjit::codegen {

namespace {

using llvm::ConstantRange;
using llvm::Instruction;
using llvm::Value;

constexpr unsigned kWide = 64, kNarrow = 32, kNarrowest = 16; ///< bits

/// A number that was widened: each use may do so for itself.
bool is_widened(const Value *value) {
  return llvm::isa<llvm::ZExtInst, llvm::SExtInst>(value) && value->getType()->isIntegerTy(kWide);
}

bool fits(const ConstantRange &range, unsigned bits) {
  return range.getSignedMin().isSignedIntN(bits) && range.getSignedMax().isSignedIntN(bits);
}

/// What may be computed with fewer bits if its operands and its result fit.
bool is_arithmetic(const Instruction &instruction) {
  if (!instruction.getType()->isIntegerTy(kWide))
    return false;
  if (const auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
    return call->getIntrinsicID() == llvm::Intrinsic::abs || llvm::isa<llvm::MinMaxIntrinsic>(call);
  if (instruction.isShift()) {
    const auto *distance = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
    return distance && distance->getValue().ult(kNarrowest);
  }
  return instruction.isBinaryOp() || llvm::isa<llvm::SelectInst, llvm::PHINode>(instruction);
}

/// Whether an operation takes its operands for numbers without a sign.
bool needs_no_sign(const Instruction &instruction) {
  switch (instruction.getOpcode()) {
  case Instruction::LShr:
  case Instruction::UDiv:
  case Instruction::URem: return true;
  default: return false;
  }
}

/// The operands that are such numbers, too: no condition, no flag.
auto numbers_of(Instruction &instruction) {
  return llvm::make_filter_range(instruction.operand_values(), [](const Value *operand) {
    return operand->getType()->isIntegerTy(kWide);
  });
}

/// Operations that hang together: they get the same number of bits.
struct Group {
  llvm::SmallVector<Instruction *, 8> operations; ///< operands first
  llvm::SmallVector<Instruction *, 4> ends;       ///< what takes a number of fewer bits as well
  unsigned bits = kNarrowest;
  size_t widened = 0; ///< other uses, which need all bits
  bool is_address = false;

  /// Whether what is saved is more than what it takes to widen results.
  bool pays() const {
    constexpr size_t saved = 3; ///< operations for one that widens a result
    return operations.size() > 1 && !ends.empty() && !is_address &&
           operations.size() >= saved * widened;
  }
};

class NarrowIntegers {
public:
  NarrowIntegers(llvm::Loop &loop, const llvm::LoopInfo &loops) : loop_(loop), order_(&loop) {
    order_.perform(&loops);
  }

  bool run() {
    bool changed = false;
    for (Group &group : groups())
      if (group.pays()) {
        narrow(group);
        changed = true;
      }
    return changed;
  }

private:
  /// What a number may be; anything if it comes from outside or from the iteration before.
  ConstantRange range_of(Value *value) {
    if (const auto *constant = llvm::dyn_cast<llvm::ConstantInt>(value))
      return ConstantRange(constant->getValue());
    const auto found = ranges_.find(value);
    return found != ranges_.end() ? found->second : find_range(value);
  }

  static ConstantRange find_range(const Value *value) {
    if (!is_widened(value))
      return ConstantRange::getFull(kWide);
    const Value *source = llvm::cast<Instruction>(value)->getOperand(0);
    const auto all = ConstantRange::getFull(source->getType()->getIntegerBitWidth());
    return llvm::isa<llvm::ZExtInst>(value) ? all.zeroExtend(kWide) : all.signExtend(kWide);
  }

  ConstantRange computed(Instruction &instruction) {
    llvm::SmallVector<ConstantRange, 3> operands;
    for (Value *operand : numbers_of(instruction))
      operands.push_back(range_of(operand));
    if (const auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
      if (call->getIntrinsicID() == llvm::Intrinsic::abs)
        return operands[0].abs();
      return ConstantRange::intrinsic(call->getIntrinsicID(), operands);
    }
    if (instruction.isBinaryOp())
      return operands[0].binaryOp(
          static_cast<llvm::Instruction::BinaryOps>(instruction.getOpcode()), operands[1]);
    ConstantRange all = operands[0];
    for (const ConstantRange &each : operands)
      all = all.unionWith(each, ConstantRange::Signed);
    return all;
  }

  bool is_narrow(Value *value) {
    return llvm::isa<llvm::ConstantInt>(value) || is_widened(value)
               ? fits(range_of(value), kNarrow)
               : chosen_.contains(llvm::dyn_cast<Instruction>(value));
  }

  bool may_be_narrow(Instruction &instruction) {
    if (!is_arithmetic(instruction) || is_widened(&instruction) ||
        (llvm::isa<llvm::PHINode>(instruction) && instruction.getParent() == loop_.getHeader()))
      return false;
    for (Value *operand : numbers_of(instruction))
      if (!is_narrow(operand) ||
          (needs_no_sign(instruction) && range_of(operand).getSignedMin().isNegative()))
        return false;
    const ConstantRange range = computed(instruction);
    ranges_.insert({&instruction, range});
    return fits(range, kNarrow);
  }

  /// Whether `user` takes a number of fewer bits as well.
  bool is_end(const Instruction &user) {
    if (const auto *test = llvm::dyn_cast<llvm::ICmpInst>(&user))
      return is_narrow(test->getOperand(0)) && is_narrow(test->getOperand(1));
    if (llvm::isa<llvm::UIToFPInst>(user))
      return !range_of(user.getOperand(0)).getSignedMin().isNegative();
    return llvm::isa<llvm::TruncInst, llvm::SIToFPInst>(user);
  }

  llvm::SmallVector<Group, 2> groups() {
    llvm::EquivalenceClasses<Instruction *> together;
    llvm::SmallVector<Instruction *, 32> chosen;
    auto join = [&](Instruction &operation, Instruction &user) {
      for (Value *operand : numbers_of(user))
        if (auto *other = llvm::dyn_cast<Instruction>(operand); other && chosen_.contains(other))
          together.unionSets(&operation, other);
    };
    for (llvm::BasicBlock *block : llvm::make_range(order_.beginRPO(), order_.endRPO()))
      for (Instruction &instruction : *block)
        if (may_be_narrow(instruction)) {
          chosen_.insert(&instruction);
          chosen.push_back(&instruction);
          together.insert(&instruction);
          join(instruction, instruction);
        }
    for (Instruction *each : chosen) // comparisons take two of the same width
      for (llvm::User *user : each->users())
        if (auto *test = llvm::dyn_cast<llvm::ICmpInst>(user))
          join(*each, *test);
    llvm::SmallVector<Group, 2> found;
    llvm::DenseMap<Instruction *, size_t> places;
    for (Instruction *each : chosen) {
      auto [place, is_new] = places.try_emplace(together.getLeaderValue(each), found.size());
      if (is_new)
        found.emplace_back();
      note(found[place->second], *each);
    }
    return found;
  }

  void note(Group &group, Instruction &operation) {
    group.operations.push_back(&operation);
    widen(group, operation);
    for (Value *operand : numbers_of(operation))
      widen(group, *operand);
    for (llvm::User *user : operation.users()) {
      auto *instruction = llvm::cast<Instruction>(user);
      if (chosen_.contains(instruction))
        continue;
      if (!is_end(*instruction)) {
        group.is_address |= llvm::isa<llvm::GetElementPtrInst>(instruction);
        ++group.widened;
        continue;
      }
      if (llvm::isa<llvm::ICmpInst>(instruction))
        for (Value *operand : instruction->operand_values())
          widen(group, *operand);
      if (!llvm::is_contained(group.ends, instruction))
        group.ends.push_back(instruction);
    }
  }

  /// Gives a group as many bits as a number takes.
  void widen(Group &group, Value &number) {
    if (!fits(range_of(&number), kNarrowest))
      group.bits = kNarrow;
  }

  void narrow(const Group &group) {
    type_ = llvm::Type::getIntNTy(loop_.getHeader()->getContext(), group.bits);
    narrowed_.clear();
    for (Instruction *each : group.operations)
      narrowed_[each] = made(*each);
    for (Instruction *each : group.operations)
      if (auto *phi = llvm::dyn_cast<llvm::PHINode>(each))
        for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
          llvm::cast<llvm::PHINode>(narrowed_[phi])
              ->addIncoming(narrowed(phi->getIncomingValue(i)), phi->getIncomingBlock(i));
    for (Instruction *each : group.ends)
      end(*each);
    for (Instruction *each : group.operations)
      give_all_bits(*each);
    for (Instruction *each : llvm::reverse(group.operations)) {
      each->replaceAllUsesWith(llvm::PoisonValue::get(each->getType()));
      each->eraseFromParent();
    }
  }

  Value *narrowed(Value *value) {
    if (const auto *constant = llvm::dyn_cast<llvm::ConstantInt>(value))
      return llvm::ConstantInt::get(type_, constant->getValue().trunc(type_->getIntegerBitWidth()));
    Value *&found = narrowed_[value];
    if (!found) {
      auto *widening = llvm::cast<llvm::CastInst>(value);
      llvm::IRBuilder<> b(widening);
      found = b.CreateIntCast(widening->getOperand(0), type_, llvm::isa<llvm::SExtInst>(widening));
    }
    return found;
  }

  Value *made(Instruction &operation) {
    llvm::IRBuilder<> b(&operation);
    if (const auto *phi = llvm::dyn_cast<llvm::PHINode>(&operation))
      return b.CreatePHI(type_, phi->getNumIncomingValues());
    if (auto *choice = llvm::dyn_cast<llvm::SelectInst>(&operation))
      return b.CreateSelect(choice->getCondition(), narrowed(choice->getTrueValue()),
                            narrowed(choice->getFalseValue()));
    Value *left = narrowed(operation.getOperand(0));
    if (const auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&operation))
      return b.CreateBinaryIntrinsic(call->getIntrinsicID(), left,
                                     call->getIntrinsicID() == llvm::Intrinsic::abs
                                         ? operation.getOperand(1)
                                         : narrowed(operation.getOperand(1)));
    auto opcode = static_cast<Instruction::BinaryOps>(operation.getOpcode());
    Value *result = b.CreateBinOp(opcode, left, narrowed(operation.getOperand(1)));
    if (auto *binary = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(result))
      if (auto *instruction = llvm::dyn_cast<Instruction>(binary))
        instruction->setHasNoSignedWrap(true);
    return result;
  }

  void end(Instruction &user) {
    llvm::IRBuilder<> b(&user);
    Value *result = nullptr;
    if (auto *test = llvm::dyn_cast<llvm::ICmpInst>(&user))
      result = b.CreateICmp(test->getPredicate(), narrowed(test->getOperand(0)),
                            narrowed(test->getOperand(1)));
    else if (llvm::isa<llvm::TruncInst>(user))
      result = b.CreateSExtOrTrunc(narrowed(user.getOperand(0)), user.getType());
    else
      result = b.CreateSIToFP(narrowed(user.getOperand(0)), user.getType());
    user.replaceAllUsesWith(result);
    user.eraseFromParent();
  }

  void give_all_bits(Instruction &operation) {
    auto needs_all = [&](const llvm::Use &use) {
      return !chosen_.contains(llvm::cast<Instruction>(use.getUser()));
    };
    if (llvm::none_of(operation.uses(), needs_all))
      return;
    llvm::IRBuilder<> b(operation.getParent(), *operation.getInsertionPointAfterDef());
    operation.replaceUsesWithIf(b.CreateSExt(narrowed_[&operation], operation.getType()),
                                needs_all);
  }

  llvm::Loop &loop_;
  llvm::LoopBlocksDFS order_;
  llvm::DenseMap<const Value *, ConstantRange> ranges_;
  llvm::SmallPtrSet<Instruction *, 32> chosen_;
  llvm::DenseMap<Value *, Value *> narrowed_; ///< of one group
  llvm::Type *type_ = nullptr;                ///< of that group
};

} // namespace

llvm::PreservedAnalyses NarrowIntegersPass::run(llvm::Function &function,
                                                llvm::FunctionAnalysisManager &analyses) {
  const llvm::LoopInfo &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  bool changed = false;
  for (llvm::Loop *loop : loops.getLoopsInPreorder())
    if (loop->isInnermost())
      changed |= NarrowIntegers(*loop, loops).run();
  return with_same_flow(changed);
}

} // namespace numjit::codegen
