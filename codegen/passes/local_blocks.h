// Blocks of memory (runtime.h, device_memory.h) that a function makes and no other code sees.
#pragma once

#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

// What makes a block, in LLVM IR. All return null on failure.
inline constexpr const char *kNewBlock = "numjit_new_block";       ///< bytes, whether zeroed
inline constexpr const char *kNewList = "numjit_new_list";         ///< length, item size, item
inline constexpr const char *kNewInstance = "numjit_new_instance"; ///< bytes, item
/// On GPUs: bytes, whether zeroed.
inline constexpr const char *kNewScratchBlock = "numjit_scratch_allocate";

/// Attribute of calls that make lists and instances: where the owners in an item, or among the
/// fields, are; numbers of bytes that end with commas.
inline constexpr const char *kOwnerOffsets = "numjit-owner-offsets";

/// Arrays, lists and instances whose size is known, and whose address is used only by loads, stores
/// and comparisons, become local variables, which then become registers.
class LocalBlocksPass : public llvm::PassInfoMixin<LocalBlocksPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace numjit::codegen
