#include "codegen/passes/loop_variables.h"

#include "codegen/passes/pass_result.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

namespace numjit::codegen {

namespace {

using namespace llvm::PatternMatch;

constexpr size_t kMost = 4; ///< variables that a loop gets: each takes a register

/// (index + distance) * factor, in a loop that does not change the factor.
struct Product {
  llvm::Instruction *product;
  int64_t distance;
};
using Key = std::pair<llvm::PHINode *, llvm::Value *>; ///< index and factor
using Products = llvm::MapVector<Key, llvm::SmallVector<Product, 4>>;

/// What an index grows by in each iteration, 0 if that is no constant or `phi` is no index.
int64_t step_of(llvm::PHINode &phi, const llvm::BasicBlock &latch) {
  const llvm::APInt *step = nullptr;
  return match(phi.getIncomingValueForBlock(&latch), m_Add(m_Specific(&phi), m_APInt(step)))
             ? step->getSExtValue()
             : 0;
}

/// Whether x86's addressing modes don't multiply by it: the size of a record, a stride.
bool is_slow_factor(const llvm::Value &factor) {
  const auto *constant = llvm::dyn_cast<llvm::ConstantInt>(&factor);
  return !constant || (constant->getValue().sgt(9) && !constant->getValue().isPowerOf2());
}

void find(const llvm::Loop &loop, llvm::Instruction &instruction, Products &products) {
  llvm::Value *index = nullptr, *factor = nullptr;
  if (!instruction.getType()->isIntegerTy(64) ||
      !match(&instruction, m_Mul(m_Value(index), m_Value(factor))))
    return;
  if (!loop.isLoopInvariant(factor))
    std::swap(index, factor);
  if (!loop.isLoopInvariant(factor) || !is_slow_factor(*factor))
    return;
  const llvm::APInt *distance = nullptr;
  llvm::Value *base = index;
  if (!match(index, m_AddLike(m_Value(base), m_APInt(distance))))
    base = index;
  auto *phi = llvm::dyn_cast<llvm::PHINode>(base);
  if (!phi || phi->getParent() != loop.getHeader() || step_of(*phi, *loop.getLoopLatch()) == 0)
    return;
  products[{phi, factor}].push_back({&instruction, distance ? distance->getSExtValue() : 0});
}

/// Addresses `base[product]` become `base[running]` and a constant distance, which x86's addressing
/// modes add: fields of records.
void add_to_addresses(llvm::Value &product, llvm::Value &running, llvm::Constant &distance) {
  for (llvm::User *user : llvm::to_vector(product.users())) {
    auto *address = llvm::dyn_cast<llvm::GetElementPtrInst>(user);
    if (!address || address->getNumIndices() != 1 || address->getPointerOperand() == &product)
      continue;
    llvm::IRBuilder<> b(address);
    llvm::Type *item = address->getSourceElementType();
    llvm::Value *start = b.CreateGEP(item, address->getPointerOperand(), &running);
    address->replaceAllUsesWith(b.CreateGEP(item, start, &distance));
    address->eraseFromParent();
  }
}

/// Each product from the one before, and the next iteration's first from the last.
void replace(const llvm::Loop &loop, const Key &key, llvm::MutableArrayRef<Product> products) {
  const auto [index, factor] = key;
  llvm::BasicBlock *before = loop.getLoopPreheader(), *header = loop.getHeader();
  llvm::IRBuilder<> outside(before->getTerminator()), inside(header, header->begin());
  llvm::PHINode *running = inside.CreatePHI(factor->getType(), 2);
  running->addIncoming(outside.CreateMul(index->getIncomingValueForBlock(before), factor), before);
  inside.SetInsertPoint(header, header->getFirstInsertionPt());
  llvm::sort(products, [](const Product &a, const Product &b) { return a.distance < b.distance; });
  llvm::Value *value = running;
  int64_t reached = 0;
  const auto *constant = llvm::dyn_cast<llvm::ConstantInt>(factor);
  auto go_to = [&](int64_t distance) {
    if (const int64_t more = distance - reached)
      value = inside.CreateAdd(
          value, more == 1 ? factor
                           : outside.CreateMul(
                                 factor, llvm::ConstantInt::getSigned(factor->getType(), more)));
    reached = distance;
  };
  for (const Product &each : products) {
    if (constant && each.distance != 0)
      add_to_addresses(
          *each.product, *running,
          *llvm::ConstantInt::get(running->getType(),
                                  constant->getValue() * static_cast<uint64_t>(each.distance)));
    go_to(each.distance);
    each.product->replaceAllUsesWith(value);
  }
  go_to(step_of(*index, *loop.getLoopLatch()));
  running->addIncoming(value, loop.getLoopLatch());
  for (const Product &each : products)
    llvm::RecursivelyDeleteTriviallyDeadInstructions(each.product);
}

/// `base[i - c]`, where the loop changes only `i`, becomes `(base - c)[i]`.
bool move_bases(const llvm::Loop &loop) {
  llvm::SmallDenseMap<std::tuple<llvm::Value *, llvm::Value *, llvm::Type *, unsigned>,
                      llvm::Value *, kMost>
      moved;
  auto move = [&](llvm::GetElementPtrInst &address) {
    llvm::Value *index = nullptr, *offset = nullptr;
    if (address.getNumIndices() != 1 || !loop.isLoopInvariant(address.getPointerOperand()) ||
        !match(address.getOperand(1), m_CombineOr(m_Add(m_Value(index), m_Value(offset)),
                                                  m_Sub(m_Value(index), m_Value(offset)))))
      return false;
    auto *sum = llvm::cast<llvm::BinaryOperator>(address.getOperand(1));
    if (sum->getOpcode() == llvm::Instruction::Add && loop.isLoopInvariant(index))
      std::swap(index, offset);
    if (!loop.contains(sum) || loop.isLoopInvariant(index) || !loop.isLoopInvariant(offset) ||
        llvm::isa<llvm::Constant>(offset))
      return false;
    const std::tuple key(address.getPointerOperand(), offset, address.getSourceElementType(),
                         sum->getOpcode());
    if (moved.size() == kMost && !moved.contains(key))
      return false;
    llvm::Value *&base = moved[key];
    if (!base) {
      llvm::IRBuilder<> outside(loop.getLoopPreheader()->getTerminator());
      base = outside.CreateGEP(
          address.getSourceElementType(), address.getPointerOperand(),
          sum->getOpcode() == llvm::Instruction::Sub ? outside.CreateNeg(offset) : offset);
    }
    address.setOperand(0, base);
    address.setOperand(1, index);
    address.setNoWrapFlags(llvm::GEPNoWrapFlags::none());
    llvm::RecursivelyDeleteTriviallyDeadInstructions(sum);
    return true;
  };
  bool changed = false;
  for (llvm::BasicBlock *block : loop.blocks())
    for (llvm::Instruction &instruction : *block)
      if (auto *address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction))
        changed |= move(*address);
  return changed;
}

/// Variables that start and grow alike become the first of them.
bool merge_alike(const llvm::Loop &loop) {
  llvm::SmallMapVector<std::tuple<llvm::Value *, int64_t>, llvm::PHINode *, 4> known;
  bool changed = false;
  for (llvm::PHINode &phi : llvm::make_early_inc_range(loop.getHeader()->phis())) {
    const int64_t step = phi.getType()->isIntegerTy(64) ? step_of(phi, *loop.getLoopLatch()) : 0;
    if (step == 0)
      continue;
    llvm::Value *start = phi.getIncomingValueForBlock(loop.getLoopPreheader());
    auto [found, is_new] = known.insert({{start, step}, &phi});
    if (is_new)
      continue;
    // What is known of one variable's range need not hold for the other's uses.
    for (llvm::PHINode *each : {&phi, found->second})
      llvm::cast<llvm::Instruction>(each->getIncomingValueForBlock(loop.getLoopLatch()))
          ->dropPoisonGeneratingFlags();
    llvm::Value *next = phi.getIncomingValueForBlock(loop.getLoopLatch());
    phi.replaceAllUsesWith(found->second);
    phi.eraseFromParent();
    llvm::RecursivelyDeleteTriviallyDeadInstructions(next);
    changed = true;
  }
  return changed;
}

} // namespace

llvm::PreservedAnalyses LoopVariablesPass::run(llvm::Function &function,
                                               llvm::FunctionAnalysisManager &analyses) {
  bool changed = false;
  for (const llvm::Loop *loop :
       analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    if (!loop->isInnermost() || !loop->getLoopPreheader() || !loop->getLoopLatch())
      continue;
    changed |= merge_alike(*loop);
    changed |= move_bases(*loop);
    Products products;
    for (llvm::BasicBlock *block : loop->blocks())
      for (llvm::Instruction &instruction : *block)
        find(*loop, instruction, products);
    if (products.size() > kMost)
      continue;
    changed |= !products.empty();
    for (auto &[key, of_key] : products)
      replace(*loop, key, of_key);
  }
  return with_same_flow(changed);
}

} // namespace numjit::codegen
