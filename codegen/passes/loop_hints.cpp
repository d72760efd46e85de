#include "codegen/passes/loop_hints.h"

#include "codegen/passes/runtime_calls.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/CorrelatedValuePropagation.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Vectorize/SLPVectorizer.h>

namespace numjit::codegen {

namespace {

/// Whether an address in the loop is computed from what the loop loads.
bool depends_on_load(const llvm::Value *value, const llvm::Loop &loop, int depth) {
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || !loop.contains(instruction) || depth == 0)
    return false;
  if (llvm::isa<llvm::LoadInst>(instruction))
    return !loop.isLoopInvariant(instruction->getOperand(0));
  if (!llvm::isa<llvm::GetElementPtrInst, llvm::CastInst, llvm::BinaryOperator, llvm::SelectInst>(
          instruction))
    return false;
  return llvm::any_of(instruction->operands(), [&](const llvm::Use &operand) {
    return depends_on_load(operand, loop, depth - 1);
  });
}

/// Whether items of less than `bits` are read at loaded indices.
bool gathers(const llvm::Loop &loop, unsigned bits) {
  constexpr int deepest = 6;
  for (const llvm::BasicBlock *block : loop.blocks())
    for (const llvm::Instruction &instruction : *block)
      if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
        if (load->getType()->getPrimitiveSizeInBits() < bits &&
            depends_on_load(load->getPointerOperand(), loop, deepest))
          return true;
  return false;
}

/// Whether a loop sums floats in order, as PlainSumsPass said.
bool sums_in_order(const llvm::Loop &loop) {
  return llvm::getOptionalIntLoopAttribute(&loop, "llvm.loop.interleave.count") == 1;
}

/// Whether what a loop computes takes no longer than reading what it computes with.
bool is_quick(const llvm::Loop &loop) {
  for (const llvm::BasicBlock *block : loop.blocks())
    for (const llvm::Instruction &instruction : *block)
      if (llvm::isa<llvm::CallInst>(instruction) ||
          instruction.getOpcode() == llvm::Instruction::FDiv)
        return false;
  return true;
}

/// Whether no item is read or written next to that of the iteration before.
bool leaps(const llvm::Loop &loop, llvm::ScalarEvolution &evolution) {
  for (const llvm::BasicBlock *block : loop.blocks())
    for (const llvm::Instruction &instruction : *block) {
      const llvm::Value *address = llvm::getLoadStorePointerOperand(&instruction);
      if (!address)
        continue;
      auto *recurrence = llvm::dyn_cast<llvm::SCEVAddRecExpr>(
          evolution.getSCEV(const_cast<llvm::Value *>(address)));
      if (!recurrence || recurrence->getLoop() != &loop)
        continue;
      auto *step = llvm::dyn_cast<llvm::SCEVConstant>(recurrence->getStepRecurrence(evolution));
      const uint64_t size =
          instruction.getDataLayout().getTypeStoreSize(llvm::getLoadStoreType(&instruction));
      if (step && step->getAPInt().abs() == size)
        return false;
    }
  return true;
}

/// Whether a loop only sets items, to the same value, that do not lie next to each other: the
/// multiples of a prime.
bool sets_scattered(const llvm::Loop &loop, llvm::ScalarEvolution &evolution) {
  bool sets = false;
  for (const llvm::BasicBlock *block : loop.blocks())
    for (const llvm::Instruction &instruction : *block) {
      auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      if (store ? !loop.isLoopInvariant(store->getValueOperand())
                : instruction.mayReadOrWriteMemory())
        return false;
      sets |= store != nullptr;
    }
  return sets && leaps(loop, evolution);
}

constexpr size_t kShort = 24; ///< instructions

/// How many instructions a loop has for which something holds.
template <class Test>
size_t count_in(const llvm::Loop &loop, Test test) {
  size_t found = 0;
  for (const llvm::BasicBlock *block : loop.blocks())
    found += static_cast<size_t>(llvm::count_if(*block, test));
  return found;
}

size_t length_of(const llvm::Loop &loop) {
  return count_in(loop, [](const llvm::Instruction &) { return true; });
}

/// Whether copies of a loop pay: what they save is its test and its jump.
bool is_short(const llvm::Loop &loop) {
  const size_t blocks = loop.getNumBlocks();
  const size_t stores = count_in(loop, llvm::IsaPred<llvm::StoreInst>);
  return length_of(loop) <= kShort && (blocks == 1 || (blocks <= 4 && stores <= 2));
}

/// Whether asking for interrupts is a good part of what a loop does: copies may share that
/// (shared_polls.h).
bool polls_often(const llvm::Loop &loop) {
  auto calls_something_else = [](const llvm::Instruction &instruction) {
    return llvm::isa<llvm::CallBase>(instruction) && !is_call_of(&instruction, {"nj_poll"});
  };
  return length_of(loop) <= kShort && count_in(loop, is_poll) > 0 &&
         count_in(loop, calls_something_else) == 0;
}

/// Whether a loop only moves bits about and adds integers.
bool stays_in_registers(const llvm::Loop &loop) {
  constexpr size_t most = 14; ///< instructions
  const llvm::BasicBlock &body = *loop.getHeader();
  return loop.getNumBlocks() == 1 && body.size() <= most &&
         llvm::none_of(body, [](const llvm::Instruction &instruction) {
           return instruction.mayReadOrWriteMemory() || instruction.isIntDivRem() ||
                  instruction.getType()->isFloatingPointTy();
         });
}

/// How many copies of a loop's body to make: fewer where they are many instructions, or each has to
/// ask whether it is the last; more where there is nothing but arithmetic, as shifts by one become
/// shifts by several. Quotients of neighbouring numbers are the same where the number of copies
/// divides the divisor: `i % 1000` of eight copies takes one division.
unsigned copies_of(const llvm::Loop &loop, llvm::ScalarEvolution &evolution) {
  constexpr size_t few = 14; ///< instructions
  const size_t blocks = loop.getNumBlocks();
  const bool has_two_ways = blocks == 4;
  const bool is_counted = (blocks > 1 || loop.getHeader()->size() <= few) &&
                          evolution.hasLoopInvariantBackedgeTakenCount(&loop);
  unsigned bits = stays_in_registers(loop) ? 3 : has_two_ways || is_counted ? 2 : 1;
  for (const llvm::BasicBlock *block : loop.blocks())
    for (const llvm::Instruction &instruction : *block) {
      if (instruction.getOpcode() != llvm::Instruction::UDiv &&
          instruction.getOpcode() != llvm::Instruction::URem)
        continue;
      auto *divisor = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
      auto *index =
          llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(instruction.getOperand(0)));
      if (divisor && index && index->getLoop() == &loop && index->isAffine() &&
          index->getStepRecurrence(evolution)->isOne())
        bits = std::max(bits, std::min({3U, divisor->getValue().countr_zero(),
                                        evolution.getMinTrailingZeros(index->getStart())}));
    }
  return 1U << bits;
}

/// Lets the first copy be the first iteration, so that what is known of the start holds for it:
/// LLVM puts the iterations that are left over behind the copies if a variable starts at a
/// constant.
void start_where_loop_does(llvm::Loop &loop) {
  llvm::BasicBlock *header = loop.getHeader();
  llvm::IRBuilder<> builder(header, header->begin());
  llvm::PHINode *phi = builder.CreatePHI(builder.getInt1Ty(), 2);
  for (llvm::BasicBlock *before : llvm::predecessors(header))
    phi->addIncoming(builder.getInt1(loop.contains(before)), before);
}

/// Whether a loop writes to an array and reads it, too.
bool reads_what_it_writes(const llvm::Loop &loop) {
  llvm::SmallPtrSet<const llvm::Value *, 4> read, written;
  for (const llvm::BasicBlock *block : loop.blocks())
    for (const llvm::Instruction &instruction : *block)
      if (const llvm::Value *address = llvm::getLoadStorePointerOperand(&instruction))
        (llvm::isa<llvm::LoadInst>(instruction) ? read : written)
            .insert(llvm::getUnderlyingObject(address));
  return llvm::any_of(written, [&](const llvm::Value *array) { return read.contains(array); });
}

/// The loop itself, or the rest of one. Where vectors need that what is read and written does not
/// overlap, and both are one array, the rest may well be all.
bool is_vectorised(const llvm::Loop &loop) {
  return llvm::findOptionMDForLoop(&loop, "llvm.loop.unroll.runtime.disable") ||
         (llvm::findOptionMDForLoop(&loop, "llvm.loop.isvectorized") &&
          !reads_what_it_writes(loop));
}

bool multiplies_hashes(const llvm::Function &function) {
  constexpr unsigned large = 32; ///< bits
  for (const llvm::Instruction &instruction : llvm::instructions(function))
    if (instruction.getOpcode() == llvm::Instruction::Mul && instruction.getType()->isIntegerTy(64))
      if (auto *factor = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1)))
        if (factor->getValue().abs().getActiveBits() > large)
          return true;
  return false;
}

/// Where i is a multiple of 8, (i + 3) // 1000 is i // 1000, and (i + 3) % 1000 is i % 1000 + 3.
void share_divisions(llvm::Function &function, const llvm::DominatorTree &tree) {
  using Key = std::pair<const llvm::Value *, const llvm::Value *>; // dividend and divisor
  llvm::DenseMap<std::pair<Key, unsigned>, llvm::Instruction *> known;
  const llvm::DataLayout &layout = function.getDataLayout();
  for (llvm::BasicBlock *block : llvm::ReversePostOrderTraversal(&function))
    for (llvm::Instruction &division : *block) {
      const unsigned opcode = division.getOpcode();
      auto *divisor = opcode == llvm::Instruction::UDiv || opcode == llvm::Instruction::URem
                          ? llvm::dyn_cast<llvm::ConstantInt>(division.getOperand(1))
                          : nullptr;
      if (!divisor || divisor->getValue()[0] || divisor->isZero())
        continue;
      llvm::Value *dividend = division.getOperand(0), *base = dividend;
      const llvm::APInt *distance = nullptr;
      using namespace llvm::PatternMatch;
      if (match(dividend, m_AddLike(m_Value(base), m_APInt(distance))) &&
          distance->ult(llvm::APInt::getLowBitsSet(distance->getBitWidth(),
                                                   divisor->getValue().countr_zero()) +
                        1) &&
          llvm::MaskedValueIsZero(
              base, llvm::APInt::getLowBitsSet(distance->getBitWidth(), distance->getActiveBits()),
              layout)) {
        llvm::Instruction *found = known.lookup({{base, divisor}, opcode});
        if (!found || !tree.dominates(found, &division))
          continue;
        llvm::IRBuilder<> builder(&division);
        division.replaceAllUsesWith(
            opcode == llvm::Instruction::UDiv
                ? found
                : builder.CreateNUWAdd(found,
                                       llvm::ConstantInt::get(division.getType(), *distance)));
      } else {
        known.try_emplace({{dividend, divisor}, opcode}, &division);
      }
    }
}

constexpr const char *kManyCopies = "numjit-many-copies";
constexpr const char *kReadsAgain = "numjit-reads-again";

} // namespace

bool prefer_widest_registers(llvm::Module &module, llvm::FunctionAnalysisManager &analyses) {
  auto only_computes = [](const llvm::Loop *loop) {
    return !loop->isInnermost() || llvm::all_of(loop->blocks(), [](const llvm::BasicBlock *block) {
      return llvm::none_of(*block, [](const llvm::Instruction &instruction) {
        return instruction.mayReadOrWriteMemory();
      });
    });
  };
  bool changed = false;
  for (llvm::Function &function : module) {
    if (function.isDeclaration() || !function.hasFnAttribute("prefer-vector-width"))
      continue;
    const auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
    if (loops.empty() || !llvm::all_of(loops.getLoopsInPreorder(), only_computes))
      continue;
    function.removeFnAttr("prefer-vector-width");
    changed = true;
  }
  return changed;
}

llvm::PreservedAnalyses ScalarGathersPass::run(llvm::Function &function,
                                               llvm::FunctionAnalysisManager &analyses) {
  constexpr unsigned smallest_gathered = 32, any = 128; ///< bits
  for (llvm::Loop *loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    if (!loop->isInnermost())
      continue;
    auto &evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
    if (!gathers(*loop, any)
            ? sets_scattered(*loop, evolution)
            : gathers(*loop, smallest_gathered) ||
                  (is_quick(*loop) && (sums_in_order(*loop) || leaps(*loop, evolution))))
      llvm::addStringMetadataToLoop(loop, "llvm.loop.vectorize.enable", 0);
  }
  return llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses ShortLoopsPass::run(llvm::Function &function,
                                            llvm::FunctionAnalysisManager &analyses) {
  if (function.hasOptSize())
    return llvm::PreservedAnalyses::all();
  for (llvm::Loop *loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    if (!loop->isInnermost() || is_vectorised(*loop))
      continue;
    if (polls_often(*loop)) {
      llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.count", 4);
      continue;
    }
    if (!loop->getExitingBlock() || !is_short(*loop))
      continue;
    auto &evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
    if (evolution.getSmallConstantMaxTripCount(loop) == 0) {
      const unsigned copies = copies_of(*loop, evolution);
      llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.count", copies);
      if (loop->getNumBlocks() > 1 && reads_what_it_writes(*loop))
        function.addFnAttr(kReadsAgain);
      if (copies > 4) {
        start_where_loop_does(*loop);
        function.addFnAttr(kManyCopies);
      }
    }
  }
  return llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses ReadOncePass::run(llvm::Function &function,
                                          llvm::FunctionAnalysisManager &analyses) {
  if (!function.hasFnAttribute(kReadsAgain))
    return llvm::PreservedAnalyses::all();
  return llvm::GVNPass().run(function, analyses);
}

llvm::PreservedAnalyses JoinCopiesPass::run(llvm::Function &function,
                                            llvm::FunctionAnalysisManager &analyses) {
  if (!function.hasFnAttribute(kManyCopies))
    return llvm::PreservedAnalyses::all();
  share_divisions(function, analyses.getResult<llvm::DominatorTreeAnalysis>(function));
  return llvm::InstCombinePass().run(function, analyses);
}

llvm::PreservedAnalyses PlainDivisionsPass::run(llvm::Function &function,
                                                llvm::FunctionAnalysisManager &analyses) {
  const llvm::LoopInfo &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  for (const llvm::Instruction &instruction : llvm::instructions(function))
    if ((instruction.getOpcode() == llvm::Instruction::SDiv ||
         instruction.getOpcode() == llvm::Instruction::SRem) &&
        loops.getLoopFor(instruction.getParent()))
      return llvm::CorrelatedValuePropagationPass().run(function, analyses);
  return llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses StraightLinePass::run(llvm::Function &function,
                                              llvm::FunctionAnalysisManager &analyses) {
  if (multiplies_hashes(function))
    return llvm::PreservedAnalyses::all();
  return llvm::SLPVectorizerPass().run(function, analyses);
}

} // namespace numjit::codegen
