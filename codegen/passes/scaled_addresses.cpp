#include "codegen/passes/scaled_addresses.h"

#include "codegen/passes/pass_result.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

namespace numjit::codegen {

llvm::PreservedAnalyses ScaledAddressesPass::run(llvm::Function &function,
                                                 llvm::FunctionAnalysisManager &) {
  constexpr uint64_t largest = 3; ///< shift: of items of 8 bytes
  llvm::SmallVector<llvm::GetElementPtrInst *, 16> found;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction))
      if (address->getSourceElementType()->isIntegerTy(8) && address->getNumIndices() == 1)
        found.push_back(address);
  bool changed = false;
  for (llvm::GetElementPtrInst *address : found) {
    llvm::Value *offset = address->getOperand(1), *index = nullptr;
    const llvm::APInt *shift = nullptr;
    using namespace llvm::PatternMatch;
    if (!match(offset, m_Shl(m_Value(index), m_APInt(shift))) || shift->ugt(largest) ||
        shift->isZero())
      continue;
    auto *product = llvm::cast<llvm::OverflowingBinaryOperator>(offset);
    llvm::GEPNoWrapFlags flags = llvm::GEPNoWrapFlags::none();
    if (product->hasNoSignedWrap())
      flags |= address->isInBounds()                ? llvm::GEPNoWrapFlags::inBounds()
               : address->hasNoUnsignedSignedWrap() ? llvm::GEPNoWrapFlags::noUnsignedSignedWrap()
                                                    : llvm::GEPNoWrapFlags::none();
    if (product->hasNoUnsignedWrap() && address->hasNoUnsignedWrap())
      flags |= llvm::GEPNoWrapFlags::noUnsignedWrap();
    llvm::IRBuilder<> builder(address);
    llvm::Value *made = builder.CreateGEP(builder.getIntNTy(8U << shift->getZExtValue()),
                                          address->getPointerOperand(), index, "", flags);
    made->takeName(address);
    address->replaceAllUsesWith(made);
    llvm::RecursivelyDeleteTriviallyDeadInstructions(address);
    changed = true;
  }
  return with_same_flow(changed);
}

} // namespace numjit::codegen
