// Places of threads and counters of loops, in 32 bits. GPUs add and compare 64 bits by two
// instructions or more.
#pragma once

#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

/// Says of a kernel that its launch has at most ArraySlots::kMost threads along x. Along the other
/// axes launches cannot have as many.
void mark_small_launch(llvm::Function &kernel);
/// Whether ShortPlacesPass has made use of that.
bool needs_small_launch(const llvm::Function &kernel);
/// Says of a kernel's parameter that it is an extent of a small array (see short_offsets.h), which
/// `array` points to.
void mark_small_extent(llvm::Argument &extent, const llvm::Argument &array);

/// `blockIdx.x * blockDim.x + threadIdx.x`.
struct ShortPlacesPass : llvm::PassInfoMixin<ShortPlacesPass> {
  static llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

/// Counters of loops that count up by one between numbers of 32 bits, as extents of small arrays
/// are. Before loops are unrolled: the next number is then at most the bound.
struct ShortCountersPass : llvm::PassInfoMixin<ShortCountersPass> {
  static llvm::PreservedAnalyses run(llvm::Function &function,
                                     llvm::FunctionAnalysisManager &analyses);
};

/// Comparisons of such numbers.
struct ShortTestsPass : llvm::PassInfoMixin<ShortTestsPass> {
  static llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace numjit::codegen
