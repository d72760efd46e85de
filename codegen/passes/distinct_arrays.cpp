#include "codegen/passes/distinct_arrays.h"

#include "codegen/passes/fresh_memory.h"
#include "codegen/passes/pass_result.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

namespace numjit::codegen {

namespace {

using llvm::Value;
using Objects = llvm::SmallVector<const Value *, 4>;

/// The one pointer in a sum that is an address; null if there is none, or several.
Value *pointer_in(Value *sum, int depth = 0) {
  constexpr int kMostDepth = 6;
  if (auto *number = llvm::dyn_cast<llvm::PtrToIntInst>(sum))
    return number->getPointerOperand();
  if (depth == kMostDepth)
    return nullptr;
  Value *one = nullptr, *two = nullptr;
  bool either = false; // operands are alternatives, not parts of a sum
  if (auto *choice = llvm::dyn_cast<llvm::SelectInst>(sum)) {
    one = pointer_in(choice->getTrueValue(), depth + 1);
    two = pointer_in(choice->getFalseValue(), depth + 1);
    either = true;
  } else if (auto *operation = llvm::dyn_cast<llvm::BinaryOperator>(sum);
             operation && operation->getOpcode() == llvm::Instruction::Add) {
    one = pointer_in(operation->getOperand(0), depth + 1);
    two = pointer_in(operation->getOperand(1), depth + 1);
  } else {
    return nullptr;
  }
  if (either)
    return one == two ? one : nullptr;
  return one && two ? nullptr : one ? one : two;
}

/// The bounds of two ranges of addresses that a comparison tells apart: behind the end of one, and
/// the beginning of the other.
struct Bounds {
  Value *end = nullptr, *begin = nullptr;
};

Bounds bounds_of(Value *condition) {
  auto *comparison = llvm::dyn_cast<llvm::ICmpInst>(condition);
  if (!comparison || !comparison->isRelational() ||
      !comparison->getOperand(0)->getType()->isIntegerTy(64))
    return {};
  Bounds bounds{pointer_in(comparison->getOperand(0)), pointer_in(comparison->getOperand(1))};
  if (!llvm::ICmpInst::isGT(comparison->getPredicate()) &&
      !llvm::ICmpInst::isGE(comparison->getPredicate()))
    std::swap(bounds.end, bounds.begin);
  return bounds.end && bounds.begin ? bounds : Bounds{};
}

Objects objects_of(const Value *pointer) {
  Objects objects;
  llvm::getUnderlyingObjects(pointer, objects);
  return objects;
}

/// Whether pointers lead into memory that is never the same.
bool are_distinct(const Value *one, const Value *two) {
  Objects first = objects_of(one), second = objects_of(two);
  const auto fresh = [](const Objects &objects) {
    return llvm::all_of(objects, [](const Value *object) { return llvm::isNoAliasCall(object); });
  };
  if (!fresh(first))
    std::swap(first, second);
  return fresh(first) && llvm::all_of(second, [&](const Value *object) {
           return !llvm::is_contained(first, object) &&
                  (llvm::isNoAliasCall(object) || is_loaded_argument(object));
         });
}

void add_parts(Value *condition, llvm::SmallVectorImpl<Value *> &parts) {
  Value *one, *two;
  if (llvm::PatternMatch::match(
          condition, llvm::PatternMatch::m_LogicalAnd(llvm::PatternMatch::m_Value(one),
                                                      llvm::PatternMatch::m_Value(two)))) {
    add_parts(one, parts);
    add_parts(two, parts);
  } else {
    parts.push_back(condition);
  }
}

/// Whether a condition asks whether distinct arrays overlap: each begins before the other ends.
bool is_false(Value *condition) {
  llvm::SmallVector<Value *, 4> parts;
  add_parts(condition, parts);
  llvm::SmallVector<Bounds, 4> found;
  for (Value *part : parts)
    if (const Bounds bounds = bounds_of(part); bounds.end) {
      for (const Bounds &other : found)
        if (llvm::getUnderlyingObject(other.begin) == llvm::getUnderlyingObject(bounds.end) &&
            llvm::getUnderlyingObject(other.end) == llvm::getUnderlyingObject(bounds.begin) &&
            are_distinct(bounds.end, bounds.begin))
          return true;
      found.push_back(bounds);
    }
  return false;
}

} // namespace

llvm::PreservedAnalyses DistinctArraysPass::run(llvm::Function &function,
                                                llvm::FunctionAnalysisManager &) {
  bool changed = false;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (instruction.getType()->isIntegerTy(1) && !instruction.use_empty() &&
        (instruction.getOpcode() == llvm::Instruction::And ||
         llvm::isa<llvm::SelectInst>(instruction)) &&
        is_false(&instruction)) {
      instruction.replaceAllUsesWith(llvm::ConstantInt::getFalse(function.getContext()));
      changed = true;
    }
  return with_same_flow(changed);
}

} // namespace numjit::codegen
