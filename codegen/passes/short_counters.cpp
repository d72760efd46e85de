#include "codegen/passes/short_counters.h"

#include "codegen/passes/pass_result.h"
#include "codegen/passes/short_offsets.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/PatternMatch.h>

#include <optional>

namespace numjit::codegen {

namespace {

using llvm::Value;
namespace patterns = llvm::PatternMatch;

constexpr llvm::StringLiteral kSmallLaunch = "numjit-small-launch",
                              kShortLaunch = "numjit-short-launch",
                              kSmallExtent = "numjit-small-extent";
/// What is added to an extent or taken from it in tests: ArraySlots::kMost leaves room for more.
constexpr int64_t kMostAdded = int64_t{1} << 20;

/// Numbers of 64 bits that fit in 32, with their sign.
class Numbers {
public:
  explicit Numbers(llvm::Function &function) : function_(function) {}

  /// The number with 32 bits, computed where `b` inserts; null if it may not fit. What is made may
  /// be left unused: nothing is noted before `used`.
  Value *of(Value *value, llvm::IRBuilder<> &b) {
    if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(value))
      return constant->getValue().isSignedIntN(32)
                 ? b.getInt32(static_cast<uint32_t>(constant->getSExtValue()))
                 : nullptr;
    Value *x;
    const llvm::APInt *added;
    if (patterns::match(value, patterns::m_SExt(patterns::m_Value(x))))
      return x->getType()->isIntegerTy(32) ? x : nullptr;
    if (patterns::match(value, patterns::m_ZExt(patterns::m_Value(x))))
      return x->getType()->isIntegerTy(32) && is_nonnegative(*value, x) ? x : nullptr;
    if (patterns::match(value, patterns::m_Add(patterns::m_Value(x), patterns::m_APInt(added))))
      return added->abs().ule(kMostAdded) && is_extent(x)
                 ? b.CreateNSWAdd(of(x, b),
                                  b.getInt32(static_cast<uint32_t>(added->getSExtValue())))
                 : nullptr;
    return is_extent(value) ? b.CreateTrunc(value, b.getInt32Ty()) : nullptr;
  }

  /// Says that the code relies on `of(value)`.
  void used(Value *value) {
    Value *x = value;
    const llvm::APInt *added;
    patterns::match(value, patterns::m_Add(patterns::m_Value(x), patterns::m_APInt(added)));
    if (is_extent(x))
      need_small_array(*function_.getArg(*array_of(*llvm::cast<llvm::Argument>(x))));
  }

private:
  static bool is_nonnegative(const Value &extended, const Value *number) {
    const auto *extension = llvm::dyn_cast<llvm::ZExtInst>(&extended);
    return extension &&
           (extension->hasNonNeg() ||
            llvm::computeKnownBits(number, extension->getDataLayout()).isNonNegative());
  }

  static std::optional<unsigned> array_of(const llvm::Argument &extent) {
    const llvm::Attribute attribute =
        extent.getParent()->getAttributes().getParamAttr(extent.getArgNo(), kSmallExtent);
    unsigned number = 0;
    if (!attribute.isValid() || attribute.getValueAsString().getAsInteger(10, number))
      return std::nullopt;
    return number;
  }

  static bool is_extent(const Value *value) {
    const auto *argument = llvm::dyn_cast<llvm::Argument>(value);
    return argument && array_of(*argument);
  }

  llvm::Function &function_;
};

} // namespace

void mark_small_launch(llvm::Function &kernel) { kernel.addFnAttr(kSmallLaunch); }

bool needs_small_launch(const llvm::Function &kernel) {
  return kernel.hasFnAttribute(kShortLaunch);
}

void mark_small_extent(llvm::Argument &extent, const llvm::Argument &array) {
  extent.getParent()->addParamAttr(
      extent.getArgNo(),
      llvm::Attribute::get(extent.getContext(), kSmallExtent, std::to_string(array.getArgNo())));
}

// --- places ---

/// The register if `value` is one of 32 bits, extended.
static Value *extended_register(Value *value, llvm::Intrinsic::ID which) {
  Value *number;
  if (!patterns::match(value, patterns::m_ZExtOrSExt(patterns::m_Value(number))))
    return nullptr;
  const auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(number);
  return call && call->getIntrinsicID() == which ? number : nullptr;
}

/// Operands in either order.
static bool registers(Value *x, Value *y, llvm::Intrinsic::ID first, llvm::Intrinsic::ID second,
                      Value *&found_first, Value *&found_second) {
  for (int turn = 0; turn < 2; ++turn, std::swap(x, y)) {
    found_first = extended_register(x, first), found_second = extended_register(y, second);
    if (found_first && found_second)
      return true;
  }
  return false;
}

/// The same with 32 bits, or null. How many threads there are is left alone: of a product of 32
/// bits LLVM doesn't see that it is not 0, and could not tell how often a loop goes on by it.
static Value *short_place(llvm::Instruction &sum, llvm::IRBuilder<> &b) {
  using namespace llvm::Intrinsic;
  Value *x, *y, *first, *second, *block, *size;
  if (!patterns::match(&sum, patterns::m_Add(patterns::m_Value(x), patterns::m_Value(y))))
    return nullptr;
  for (int turn = 0; turn < 2; ++turn, std::swap(x, y)) {
    Value *thread = extended_register(y, nvvm_read_ptx_sreg_tid_x);
    if (thread &&
        patterns::match(x, patterns::m_Mul(patterns::m_Value(first), patterns::m_Value(second))) &&
        registers(first, second, nvvm_read_ptx_sreg_ctaid_x, nvvm_read_ptx_sreg_ntid_x, block,
                  size))
      return b.CreateAdd(b.CreateMul(block, size, "", /*HasNUW=*/true, /*HasNSW=*/true), thread, "",
                         /*HasNUW=*/true, /*HasNSW=*/true);
  }
  return nullptr;
}

llvm::PreservedAnalyses ShortPlacesPass::run(llvm::Function &function,
                                             llvm::FunctionAnalysisManager &) {
  if (!function.hasFnAttribute(kSmallLaunch))
    return llvm::PreservedAnalyses::all();
  bool changed = false;
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (!instruction.getType()->isIntegerTy(64))
      continue;
    llvm::IRBuilder<> b(&instruction);
    Value *made = short_place(instruction, b);
    if (!made)
      continue;
    instruction.replaceAllUsesWith(b.CreateZExt(made, b.getInt64Ty(), "", /*IsNonNeg=*/true));
    function.addFnAttr(kShortLaunch);
    changed = true;
  }
  return with_same_flow(changed);
}

// --- counters ---

/// Gives the loop a counter of 32 bits if its own fits.
static bool shorten_counter(llvm::Loop &loop, llvm::ScalarEvolution &evolution, Numbers &numbers) {
  llvm::BasicBlock *latch = loop.getLoopLatch(), *before = loop.getLoopPreheader();
  auto *end = latch && before ? llvm::dyn_cast<llvm::BranchInst>(latch->getTerminator()) : nullptr;
  auto *test =
      end && end->isConditional() ? llvm::dyn_cast<llvm::ICmpInst>(end->getCondition()) : nullptr;
  if (!test || !test->hasOneUse() || !test->getOperand(0)->getType()->isIntegerTy(64) ||
      test->getPredicate() != llvm::ICmpInst::ICMP_SLT || end->getSuccessor(0) != loop.getHeader())
    return false;
  Value *bound = test->getOperand(1), *counter;
  if (!loop.isLoopInvariant(bound) ||
      !patterns::match(test->getOperand(0),
                       patterns::m_Add(patterns::m_Value(counter), patterns::m_One())))
    return false;
  auto *phi = llvm::dyn_cast<llvm::PHINode>(counter);
  if (!phi || phi->getParent() != loop.getHeader() ||
      phi->getIncomingValueForBlock(latch) != test->getOperand(0))
    return false;
  Value *start = phi->getIncomingValueForBlock(before);
  if (!evolution.isLoopEntryGuardedByCond(&loop, llvm::ICmpInst::ICMP_SLT, evolution.getSCEV(start),
                                          evolution.getSCEV(bound)))
    return false;
  llvm::IRBuilder<> b(before->getTerminator());
  Value *from = numbers.of(start, b), *to = from ? numbers.of(bound, b) : nullptr;
  if (!to)
    return false;
  numbers.used(start), numbers.used(bound);
  b.SetInsertPoint(phi);
  llvm::PHINode *made = b.CreatePHI(b.getInt32Ty(), 2);
  made->addIncoming(from, before);
  b.SetInsertPoint(test);
  Value *next = b.CreateNSWAdd(made, b.getInt32(1));
  made->addIncoming(next, latch);
  end->setCondition(b.CreateICmpSLT(next, to));
  test->eraseFromParent();
  b.SetInsertPoint(loop.getHeader()->getFirstInsertionPt());
  phi->replaceAllUsesWith(b.CreateSExt(made, b.getInt64Ty()));
  return true;
}

llvm::PreservedAnalyses ShortCountersPass::run(llvm::Function &function,
                                               llvm::FunctionAnalysisManager &analyses) {
  auto &evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  Numbers numbers(function);
  bool changed = false;
  for (llvm::Loop *loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder())
    if (shorten_counter(*loop, evolution, numbers)) {
      evolution.forgetLoop(loop);
      changed = true;
    }
  return with_same_flow(changed);
}

// --- tests ---

llvm::PreservedAnalyses ShortTestsPass::run(llvm::Function &function,
                                            llvm::FunctionAnalysisManager &) {
  Numbers numbers(function);
  bool changed = false;
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto *test = llvm::dyn_cast<llvm::ICmpInst>(&instruction);
    if (!test || !test->getOperand(0)->getType()->isIntegerTy(64) || test->isUnsigned())
      continue;
    llvm::IRBuilder<> b(test);
    Value *x = numbers.of(test->getOperand(0), b);
    Value *y = x ? numbers.of(test->getOperand(1), b) : nullptr;
    if (!y)
      continue;
    numbers.used(test->getOperand(0)), numbers.used(test->getOperand(1));
    test->replaceAllUsesWith(b.CreateICmp(test->getPredicate(), x, y));
    test->eraseFromParent();
    changed = true;
  }
  return with_same_flow(changed);
}

} // namespace numjit::codegen
