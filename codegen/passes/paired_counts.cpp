#include "codegen/passes/paired_counts.h"

#include "codegen/passes/block_makers.h"
#include "codegen/passes/pass_result.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace numjit::codegen {

namespace {

enum class Effect : uint8_t { None, Retain, Release, Unknown };

/// What an instruction may do to counts of what is there before.
Effect effect_of(const llvm::Instruction &instruction) {
  const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (!call || llvm::isa<llvm::IntrinsicInst>(call) || call->onlyReadsMemory())
    return Effect::None;
  const llvm::Function *callee = call->getCalledFunction();
  if (!callee)
    return Effect::Unknown;
  const llvm::StringRef name = callee->getName();
  if (name == "nj_retain")
    return Effect::Retain;
  if (name == "nj_release")
    return Effect::Release;
  const bool makes_block = name == kNewBlock || name == kNewList || name == kNewInstance;
  return makes_block ? Effect::None : Effect::Unknown;
}

bool drop_pairs(llvm::BasicBlock &block) {
  bool changed = false;
  llvm::SmallVector<llvm::CallBase *, 8> retains; // since the last release
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(block)) {
    const Effect effect = effect_of(instruction);
    if (effect == Effect::None)
      continue;
    if (effect == Effect::Unknown) {
      retains.clear();
      continue;
    }
    auto *call = llvm::cast<llvm::CallBase>(&instruction);
    const llvm::Value *owner = call->getArgOperand(0);
    if (llvm::isa<llvm::ConstantPointerNull>(owner)) {
      call->eraseFromParent();
      changed = true;
      continue;
    }
    if (effect == Effect::Retain) {
      retains.push_back(call);
      continue;
    }
    auto *found = llvm::find_if(
        retains, [&](const llvm::CallBase *each) { return each->getArgOperand(0) == owner; });
    if (found == retains.end()) {
      retains.clear();
      continue;
    }
    (*found)->eraseFromParent();
    retains.erase(found);
    call->eraseFromParent();
    changed = true;
  }
  return changed;
}

} // namespace

llvm::PreservedAnalyses PairedCountsPass::run(llvm::Function &function,
                                              llvm::FunctionAnalysisManager &) {
  bool changed = false;
  for (llvm::BasicBlock &block : function)
    changed |= drop_pairs(block);
  return with_same_flow(changed);
}

} // namespace numjit::codegen
