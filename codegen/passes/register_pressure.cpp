#include "codegen/passes/register_pressure.h"

#include "codegen/passes/pass_result.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>

namespace numjit::codegen {

namespace {

using llvm::Instruction;
using llvm::Value;

/// Registers of 32 bits. A thread has at most 255, of which what is made in front of a block, and
/// addresses, take a part.
constexpr unsigned kManyRegisters = 160;
/// What reordering has to save, as a part of the registers: less is within what ptxas does itself.
constexpr unsigned kLeastPart = 8;

using Order = llvm::SmallVector<Instruction *, 0>;

/// One block, whose instructions are taken in their order or earlier.
class Block {
public:
  Block(llvm::BasicBlock &block, const llvm::DataLayout &layout) : block_(block), layout_(layout) {
    for (Instruction &instruction : block) {
      count_uses(instruction);
      if (!llvm::isa<llvm::PHINode>(instruction) && !instruction.isTerminator())
        order_.push_back(&instruction);
    }
  }

  bool improve() {
    const unsigned most = most_registers(order_);
    if (most <= kManyRegisters)
      return false;
    const Order earlier = take_early();
    if (most_registers(earlier) > most - most / kLeastPart)
      return false;
    for (Instruction *instruction : earlier)
      instruction->moveBeforePreserving(block_.getTerminator()->getIterator());
    return true;
  }

private:
  template <class Use>
  static void each_operand(const Instruction &instruction, Use use) {
    llvm::SmallPtrSet<const Value *, 4> seen;
    for (const Value *operand : instruction.operands())
      if (llvm::isa<Instruction>(operand) && seen.insert(operand).second)
        use(operand);
  }

  /// How many registers are needed at the place where they are most. Values that are made in front
  /// of the block are not counted.
  unsigned most_registers(const Order &order) const {
    llvm::DenseMap<const Value *, unsigned> left = uses_;
    unsigned alive = 0, most = 0;
    for (const Instruction *instruction : order) {
      each_operand(*instruction, [&](const Value *operand) {
        if (--left[operand] == 0 && ends_here(operand) && !llvm::isa<llvm::PHINode>(operand))
          alive -= registers(*operand);
      });
      if (!instruction->use_empty())
        alive += registers(*instruction);
      most = std::max(most, alive);
    }
    return most;
  }

  Order take_early() {
    left_ = uses_;
    Order earlier;
    for (Instruction *instruction : order_) {
      if (!taken_.insert(instruction).second)
        continue;
      earlier.push_back(instruction);
      take(*instruction);
      while (!waiting_.empty()) {
        Instruction *next = waiting_.pop_back_val();
        if (taken_.contains(next) || !is_ready(*next) || !pays(*next))
          continue;
        taken_.insert(next);
        earlier.push_back(next);
        take(*next);
      }
    }
    return earlier;
  }

  void count_uses(const Instruction &instruction) {
    if (!llvm::isa<llvm::PHINode>(instruction))
      each_operand(instruction, [&](const Value *operand) { ++uses_[operand]; });
  }

  /// Whether a value is the block's own and not read behind it.
  bool ends_here(const Value *value) const {
    const auto *instruction = llvm::cast<Instruction>(value);
    return instruction->getParent() == &block_ &&
           llvm::all_of(instruction->users(), [&](const llvm::User *user) {
             return llvm::cast<Instruction>(user)->getParent() == &block_ &&
                    !llvm::isa<llvm::PHINode>(user);
           });
  }

  unsigned registers(const Value &value) const {
    llvm::Type *type = value.getType();
    if (!type->isSized())
      return 0;
    return static_cast<unsigned>((layout_.getTypeSizeInBits(type) + 31) / 32);
  }

  /// What has no effects and cannot trap, which leaves out shuffles and clocks, and reads no
  /// memory. Not predicates either, for which there are seven registers.
  static bool may_move(const Instruction &instruction) {
    return llvm::isSafeToSpeculativelyExecute(&instruction) && !instruction.mayReadFromMemory() &&
           !instruction.getType()->isIntegerTy(1);
  }

  bool is_ready(const Instruction &instruction) const {
    return llvm::all_of(instruction.operands(), [&](const Value *operand) {
      const auto *made = llvm::dyn_cast<Instruction>(operand);
      return !made || made->getParent() != &block_ || llvm::isa<llvm::PHINode>(made) ||
             taken_.contains(made);
    });
  }

  /// Whether as many registers are free behind an instruction as in front of it.
  bool pays(const Instruction &instruction) const {
    if (!may_move(instruction))
      return false;
    unsigned freed = 0;
    each_operand(instruction, [&](const Value *operand) {
      if (left_.lookup(operand) == 1 && ends_here(operand))
        freed += registers(*operand);
    });
    return freed >= registers(instruction);
  }

  /// An instruction stands at its new place: what may have become ready or cheap waits.
  void take(const Instruction &instruction) {
    each_operand(instruction, [&](const Value *operand) {
      if (--left_[operand] == 1)
        wait_for_users(*operand);
    });
    wait_for_users(instruction);
  }

  void wait_for_users(const Value &value) {
    for (const llvm::User *user : value.users()) {
      auto *instruction = llvm::cast<Instruction>(const_cast<llvm::User *>(user));
      if (instruction->getParent() == &block_ && !taken_.contains(instruction))
        waiting_.push_back(instruction);
    }
  }

  llvm::BasicBlock &block_;
  const llvm::DataLayout &layout_;
  Order order_;
  llvm::DenseMap<const Value *, unsigned> uses_; ///< instructions of the block that read a value
  llvm::DenseMap<const Value *, unsigned> left_; ///< those that are not taken
  llvm::DenseSet<const Value *> taken_;
  llvm::SmallVector<Instruction *, 16> waiting_;
};

} // namespace

llvm::PreservedAnalyses RegisterPressurePass::run(llvm::Function &function,
                                                  llvm::FunctionAnalysisManager &) {
  const llvm::DataLayout &layout = function.getDataLayout();
  bool changed = false;
  for (llvm::BasicBlock &block : function) {
    if (block.size() >= kManyRegisters / 2) // each makes two at most, as a rule
      changed |= Block(block, layout).improve();
  }
  return with_same_flow(changed);
}

} // namespace numjit::codegen
