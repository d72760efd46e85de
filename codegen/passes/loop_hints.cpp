#include "codegen/passes/loop_hints.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Scalar/CorrelatedValuePropagation.h>
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

bool gathers_small_items(const llvm::Loop &loop) {
  constexpr unsigned smallest_gathered = 32; ///< bits
  constexpr int deepest = 6;
  for (const llvm::BasicBlock *block : loop.blocks())
    for (const llvm::Instruction &instruction : *block)
      if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
        if (load->getType()->getPrimitiveSizeInBits() < smallest_gathered &&
            depends_on_load(load->getPointerOperand(), loop, deepest))
          return true;
  return false;
}

/// Whether copies of a loop pay: what they save is its test and its jump.
bool is_short(const llvm::Loop &loop) {
  constexpr size_t most = 24; ///< instructions
  const size_t blocks = loop.getNumBlocks();
  size_t stores = 0, count = 0;
  for (const llvm::BasicBlock *block : loop.blocks())
    for (const llvm::Instruction &instruction : *block) {
      stores += llvm::isa<llvm::StoreInst>(instruction);
      ++count;
    }
  return count <= most && (blocks == 1 || (blocks <= 3 && stores <= 1));
}

/// The loop itself, or the rest of one.
bool is_vectorised(const llvm::Loop &loop) {
  return llvm::findOptionMDForLoop(&loop, "llvm.loop.isvectorized") ||
         llvm::findOptionMDForLoop(&loop, "llvm.loop.unroll.runtime.disable");
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

} // namespace

llvm::PreservedAnalyses ScalarGathersPass::run(llvm::Function &function,
                                               llvm::FunctionAnalysisManager &analyses) {
  for (llvm::Loop *loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder())
    if (loop->isInnermost() && gathers_small_items(*loop))
      llvm::addStringMetadataToLoop(loop, "llvm.loop.vectorize.enable", 0);
  return llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses ShortLoopsPass::run(llvm::Function &function,
                                            llvm::FunctionAnalysisManager &analyses) {
  if (function.hasOptSize())
    return llvm::PreservedAnalyses::all();
  for (llvm::Loop *loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder())
    if (loop->isInnermost() && loop->getExitingBlock() && !is_vectorised(*loop) &&
        is_short(*loop) &&
        analyses.getResult<llvm::ScalarEvolutionAnalysis>(function).getSmallConstantMaxTripCount(
            loop) == 0)
      llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.count", 2);
  return llvm::PreservedAnalyses::all();
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
