#include "codegen/passes/single_lanes.h"

#include "codegen/passes/pass_result.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <optional>

namespace numjit::codegen {

namespace {

/// The only lane that a mask lets through.
std::optional<unsigned> single_lane(const llvm::Value *mask) {
  auto *constant = llvm::dyn_cast<llvm::Constant>(mask);
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(mask->getType());
  if (!constant || !type)
    return std::nullopt;
  std::optional<unsigned> found;
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    const llvm::Constant *bit = constant->getAggregateElement(lane);
    if (bit && bit->isNullValue())
      continue;
    if (!bit || !bit->isOneValue() || found)
      return std::nullopt;
    found = lane;
  }
  return found;
}

/// Whether `call` is replaced by the access of one element.
bool narrow(llvm::IntrinsicInst &call, const llvm::DataLayout &layout) {
  const bool stores = call.getIntrinsicID() == llvm::Intrinsic::masked_store;
  if (!stores && call.getIntrinsicID() != llvm::Intrinsic::masked_load)
    return false;
  const unsigned pointer_at = stores ? 1 : 0;
  llvm::Type *item = (stores ? call.getArgOperand(0)->getType() : call.getType())->getScalarType();
  const std::optional<unsigned> lane = single_lane(call.getArgOperand(pointer_at + 1));
  if (!lane || !layout.typeSizeEqualsStoreSize(item))
    return false;
  llvm::IRBuilder<> b(&call);
  const uint64_t offset = *lane * layout.getTypeStoreSize(item).getFixedValue();
  const llvm::Align align =
      llvm::commonAlignment(call.getParamAlign(pointer_at).valueOrOne(), offset);
  llvm::Value *pointer =
      b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), call.getArgOperand(pointer_at), offset);
  if (stores) {
    llvm::Value *value = b.CreateExtractElement(call.getArgOperand(0), *lane);
    b.CreateAlignedStore(value, pointer, align)->setAAMetadata(call.getAAMetadata());
  } else {
    llvm::LoadInst *value = b.CreateAlignedLoad(item, pointer, align);
    value->setAAMetadata(call.getAAMetadata());
    call.replaceAllUsesWith(b.CreateInsertElement(call.getArgOperand(2), value, *lane));
  }
  call.eraseFromParent();
  return true;
}

} // namespace

llvm::PreservedAnalyses SingleLanesPass::run(llvm::Function &function,
                                             llvm::FunctionAnalysisManager &) {
  bool changed = false;
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function)))
    if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
      changed |= narrow(*call, function.getDataLayout());
  return with_same_flow(changed);
}

} // namespace numjit::codegen
