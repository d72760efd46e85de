#include "codegen/passes/register_pressure.h"

#include "codegen/passes/device_passes.h"
#include "codegen/passes/pass_result.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Dominators.h>
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

// -- addresses behind loops ----------------------------------------------------------------------

namespace {

/// Registers of 32 bits that have to be saved.
constexpr unsigned kLeastSaved = 8;
/// Operations for each address.
constexpr size_t kMostOperations = 5;

/// What is done with integers and addresses in a cycle or two.
bool is_cheap(const Instruction &instruction) {
  const llvm::Type *type = instruction.getType();
  if (!type->isPointerTy() && !(type->isIntegerTy() && !type->isIntegerTy(1)))
    return false;
  switch (instruction.getOpcode()) {
  case Instruction::GetElementPtr:
  case Instruction::AddrSpaceCast:
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
  case Instruction::Shl:
  case Instruction::SExt:
  case Instruction::ZExt:
  case Instruction::Trunc: return true;
  default: return false;
  }
}

/// Whether a value comes of a few operations on constants and the kernel's parameters, which are
/// not in registers.
bool is_free(const Value &value, int operations = 4) {
  const auto *instruction = llvm::dyn_cast<Instruction>(&value);
  if (!instruction)
    return true;
  return operations && is_cheap(*instruction) &&
         llvm::all_of(instruction->operands(),
                      [=](const Value *each) { return is_free(*each, operations - 1); });
}

/// The addresses that are kept over a loop for what is behind it.
class KeptAddresses {
public:
  KeptAddresses(const llvm::Loop &loop, llvm::BasicBlock &exit, const llvm::DominatorTree &tree)
      : loop_(loop), exit_(exit), tree_(tree), layout_(exit.getDataLayout()) {}

  bool run() {
    for (llvm::BasicBlock *block = loop_.getHeader(); (block = in_front(*block));)
      for (Instruction &instruction : *block)
        if (is_kept_address(instruction))
          addresses_.push_back(&instruction);
    unsigned saved = 0;
    for (Instruction *address : addresses_) {
      saved += registers(*address);
      repeated_.insert(address);
    }
    for (const Instruction *address : addresses_)
      look_at_operands(*address);
    unsigned read = 0;
    for (const Value *value : read_)
      read += registers(*value);
    if (saved < read + kLeastSaved || repeated_.size() > kMostOperations * addresses_.size())
      return false;
    repeat();
    return true;
  }

private:
  enum class Place { InFront, Inside, Behind };

  /// The block that comes before a block on each way to the loop.
  llvm::BasicBlock *in_front(const llvm::BasicBlock &block) const {
    const auto *node = tree_.getNode(&block)->getIDom();
    return node ? node->getBlock() : nullptr;
  }

  Place place_of(const llvm::Use &use) const {
    const auto *user = llvm::cast<Instruction>(use.getUser());
    const auto *phi = llvm::dyn_cast<llvm::PHINode>(user);
    const llvm::BasicBlock *block = phi ? phi->getIncomingBlock(use) : user->getParent();
    if (!loop_.contains(block)) {
      if (tree_.dominates(&exit_, block))
        return Place::Behind;
      if (tree_.dominates(block, loop_.getHeader()))
        return Place::InFront;
    }
    return Place::Inside; // or beside it
  }

  bool is_used(const Value &value, Place place) const {
    return llvm::any_of(value.uses(), [&](const llvm::Use &use) { return place_of(use) == place; });
  }

  bool is_kept_address(const Instruction &instruction) const {
    const auto *address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
    return address && is_cheap(instruction) && !address->hasAllConstantIndices() &&
           tree_.dominates(&instruction, &exit_) && is_used(instruction, Place::Behind) &&
           !is_used(instruction, Place::Inside);
  }

  unsigned registers(const Value &value) const {
    return static_cast<unsigned>((layout_.getTypeSizeInBits(value.getType()) + 31) / 32);
  }

  /// Notes which operands are computed again, and which are alive for them during the loop.
  void look_at_operands(const Instruction &instruction) {
    for (Value *operand : instruction.operands()) {
      auto *made = llvm::dyn_cast<Instruction>(operand);
      if (!made || repeated_.contains(made))
        continue;
      if (is_used(*made, Place::Inside) || is_used(*made, Place::Behind))
        continue; // it is alive anyway
      if (is_free(*made) || (is_cheap(*made) && made->hasOneUse())) {
        repeated_.insert(made);
        look_at_operands(*made);
      } else {
        read_.insert(made);
      }
    }
  }

  void repeat() {
    llvm::IRBuilder<> b(&exit_, exit_.getFirstInsertionPt());
    for (Instruction *address : addresses_) {
      Value *again = copy_of(b, *address);
      address->replaceUsesWithIf(
          again, [&](const llvm::Use &use) { return place_of(use) == Place::Behind; });
    }
  }

  /// Of integers that are read, LLVM is to know nothing: it would find the first addresses again.
  Value *copy_of(llvm::IRBuilder<> &b, Value &value) {
    if (llvm::isa<llvm::Constant>(value))
      return &value;
    if (Value *made = copies_.lookup(&value))
      return made;
    Value *copy = &value;
    if (auto *instruction = llvm::dyn_cast<Instruction>(&value); repeated_.contains(instruction)) {
      llvm::SmallVector<Value *, 4> operands;
      for (Value *operand : instruction->operands())
        operands.push_back(copy_of(b, *operand));
      Instruction *clone = instruction->clone();
      for (size_t i = 0; i < operands.size(); ++i)
        clone->setOperand(static_cast<unsigned>(i), operands[i]);
      copy = b.Insert(clone);
    } else if (value.getType()->isIntegerTy(32) || value.getType()->isIntegerTy(64)) {
      copy = moved(b, value);
    }
    return copies_[&value] = copy;
  }

  const llvm::Loop &loop_;
  llvm::BasicBlock &exit_;
  const llvm::DominatorTree &tree_;
  const llvm::DataLayout &layout_;
  llvm::SmallVector<Instruction *, 16> addresses_;
  llvm::DenseSet<const Instruction *> repeated_;
  llvm::SmallSetVector<const Value *, 8> read_;
  llvm::DenseMap<const Value *, Value *> copies_;
};

} // namespace

llvm::PreservedAnalyses RepeatAddressesPass::run(llvm::Function &function,
                                                 llvm::FunctionAnalysisManager &analyses) {
  const auto &tree = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  bool changed = false;
  for (const llvm::Loop *loop :
       analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder())
    if (llvm::BasicBlock *exit = loop->getUniqueExitBlock();
        exit && !tree.dominates(exit, loop->getHeader()))
      changed |= KeptAddresses(*loop, *exit, tree).run();
  return with_same_flow(changed);
}

} // namespace numjit::codegen
