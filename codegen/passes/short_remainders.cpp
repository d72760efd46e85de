#include "codegen/passes/short_remainders.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

namespace numjit::codegen {

namespace {

using llvm::Value;

/// A remainder of the processor, and Python's that is made of it (see mod in lower_integer.cpp).
struct Remainder {
  llvm::BinaryOperator *truncated;
  llvm::Instruction *result;
};

/// The number that Python's remainder is made of, if `select` is one.
llvm::BinaryOperator *truncated_of(llvm::SelectInst &select) {
  using namespace llvm::PatternMatch;
  Value *remainder, *dividend, *divisor;
  if (!match(&select, m_Select(m_SpecificICmp(llvm::CmpInst::ICMP_EQ, m_Value(remainder), m_Zero()),
                               m_Zero(), m_Value())) ||
      !remainder->getType()->isIntegerTy(64) ||
      !match(remainder, m_SRem(m_Value(dividend), m_Value(divisor))) ||
      llvm::isa<llvm::Constant>(divisor) || !remainder->hasNUses(2))
    return nullptr;
  const auto differ = m_SpecificICmp(llvm::CmpInst::ICMP_SLT,
                                     m_c_Xor(m_Specific(dividend), m_Specific(divisor)), m_Zero());
  const auto adjustment = m_Select(differ, m_Specific(divisor), m_Zero());
  return match(select.getFalseValue(), m_c_Add(m_Specific(remainder), adjustment))
             ? llvm::cast<llvm::BinaryOperator>(remainder)
             : nullptr;
}

void split(const Remainder &found) {
  Value *dividend = found.truncated->getOperand(0), *divisor = found.truncated->getOperand(1);
  llvm::IRBuilder<> b(found.truncated);
  Value *zero = b.getInt64(0);
  Value *is_short = b.CreateICmpULT(b.CreateOr(dividend, divisor), b.getInt64(uint64_t{1} << 32));
  llvm::Instruction *in_short, *in_long;
  llvm::SplitBlockAndInsertIfThenElse(is_short, found.truncated, &in_short, &in_long);

  b.SetInsertPoint(in_short);
  Value *of_short = b.CreateZExt(
      b.CreateURem(b.CreateTrunc(dividend, b.getInt32Ty()), b.CreateTrunc(divisor, b.getInt32Ty())),
      b.getInt64Ty());
  b.SetInsertPoint(in_long);
  Value *remainder = b.CreateSRem(dividend, divisor);
  Value *differ = b.CreateICmpSLT(b.CreateXor(dividend, divisor), zero);
  Value *adjusted = b.CreateAdd(remainder, b.CreateSelect(differ, divisor, zero));
  Value *of_long = b.CreateSelect(b.CreateIsNull(remainder), zero, adjusted);

  b.SetInsertPoint(found.truncated);
  llvm::PHINode *result = b.CreatePHI(b.getInt64Ty(), 2);
  result->addIncoming(of_short, in_short->getParent());
  result->addIncoming(of_long, in_long->getParent());
  found.result->replaceAllUsesWith(result);
  llvm::RecursivelyDeleteTriviallyDeadInstructions(found.result);
}

} // namespace

llvm::PreservedAnalyses ShortRemaindersPass::run(llvm::Function &function,
                                                 llvm::FunctionAnalysisManager &) {
  llvm::SmallVector<Remainder, 4> found;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *select = llvm::dyn_cast<llvm::SelectInst>(&instruction))
      if (llvm::BinaryOperator *truncated = truncated_of(*select))
        found.push_back({truncated, select});
  for (const Remainder &each : found)
    split(each);
  return found.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace numjit::codegen
