#include "codegen/passes/known_sizes.h"

#include "codegen/passes/block_makers.h"
#include "codegen/passes/runtime_calls.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace numjit::codegen {

namespace {

/// Arrays of more elements would not be registers.
constexpr int64_t kMostElements = 128;

/// The parameters that a number depends on; false if it depends on something else as well.
class Dependence {
public:
  bool of(llvm::Value *value) {
    if (llvm::isa<llvm::Constant>(value) || !seen_.insert(value).second)
      return true;
    if (auto *parameter = llvm::dyn_cast<llvm::Argument>(value)) {
      parameters.insert(parameter);
      return parameter->getType()->isIntegerTy();
    }
    auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (!instruction ||
        !llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::ICmpInst, llvm::SelectInst,
                   llvm::PHINode, llvm::MinMaxIntrinsic>(instruction))
      return false;
    return llvm::all_of(instruction->operands(), [&](llvm::Use &operand) {
      return llvm::isa<llvm::Function>(operand) || of(operand);
    });
  }

  llvm::SmallSetVector<llvm::Argument *, 4> parameters;

private:
  llvm::SmallPtrSet<llvm::Value *, 16> seen_;
};

} // namespace

std::vector<KnownSlot> insert_known_sizes(llvm::Function &kernel, std::span<const uint16_t> slots,
                                          std::span<const int64_t> values) {
  llvm::SmallSetVector<llvm::Argument *, 4> known;
  auto is_small = [&](const llvm::Argument *parameter) {
    const size_t slot = slots[parameter->getArgNo()];
    return slot < values.size() && values[slot] >= 0 && values[slot] <= kMostElements;
  };
  for (llvm::Instruction &instruction : llvm::instructions(kernel)) {
    if (!is_call_of(&instruction, {kNewScratchBlock}))
      continue;
    Dependence dependence;
    if (!dependence.of(llvm::cast<llvm::CallInst>(instruction).getArgOperand(0)) ||
        !llvm::all_of(dependence.parameters, is_small))
      return {}; // a thread needs scratch memory anyway
    known.insert_range(dependence.parameters);
  }
  std::vector<KnownSlot> made_for;
  for (llvm::Argument *parameter : known) {
    const uint16_t slot = slots[parameter->getArgNo()];
    made_for.push_back({slot, values[slot]});
    parameter->replaceAllUsesWith(llvm::ConstantInt::get(parameter->getType(), values[slot]));
  }
  return made_for;
}

} // namespace numjit::codegen
