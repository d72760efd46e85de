// Counts of progress bars, kept in a register within loops.
#pragma once

#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

/// The metadata of additions to a counter whose value only an observer reads, who asks for it by
/// changing the 64-bit word behind the counter (device operation atomic_count).
inline constexpr llvm::StringLiteral kCountTag = "numjit.count";

/// Within a loop such additions go to a variable, which is added to the counter when the word
/// behind the counter has changed since the last time, at the end of the outermost loop, and before
/// anything that may look at the counter: calls of functions outside of the module, and atomics. An
/// atomic addition takes 5 ns where one thread makes it, and far more where several do; a variable
/// and the test of the word 0.3.
struct LoopCountsPass : llvm::PassInfoMixin<LoopCountsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace numjit::codegen
