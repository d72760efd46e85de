// An alias analysis of LLVM IR.
#pragma once

#include <llvm/Analysis/AliasAnalysis.h>

namespace numjit::codegen {

/// Whether an object is what an argument of an entry points to.
bool is_loaded_argument(const llvm::Value *object);

/// Memory that a function allocates does not overlap that to which its arguments point. LLVM knows
/// this of pointers that are arguments themselves. But an entry (ModuleEmitter::declare_entry)
/// loads its arguments from a block that is only read, and for LLVM a loaded pointer may be any
/// pointer that escapes in the function, such as an array that is returned.
class FreshMemoryResult : public llvm::AAResultBase {
public:
  FreshMemoryResult() = default;
  static llvm::AliasResult alias(const llvm::MemoryLocation &a, const llvm::MemoryLocation &b,
                                 llvm::AAQueryInfo &, const llvm::Instruction *);
  /// Nothing is kept.
  static bool invalidate(llvm::Function &, const llvm::PreservedAnalyses &,
                         llvm::FunctionAnalysisManager::Invalidator &) {
    return false;
  }
};

class FreshMemory : public llvm::AnalysisInfoMixin<FreshMemory> {
public:
  using Result = FreshMemoryResult;
  static Result run(llvm::Function &, llvm::FunctionAnalysisManager &) { return Result(); }

private:
  friend AnalysisInfoMixin;
  static llvm::AnalysisKey Key;
};

} // namespace numjit::codegen
