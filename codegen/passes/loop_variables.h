// Variables that loops count with: fewer, and sums for products.
#pragma once

#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

/// In innermost loops, variables that count alike (unrolling makes another one) become one, and the
/// products of an index and what the loop does not change (`i * stride`, for `a[i, j]` along a
/// column) variables that grow by it; `a[i - c]` is `i` items behind `a - c`. LLVM's loop strength
/// reduction does that, too, and weighs all of a loop's addresses against each other, which takes
/// half the time of code emission; the rest of what it finds x86's addressing modes do without.
struct LoopVariablesPass : llvm::PassInfoMixin<LoopVariablesPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace numjit::codegen
