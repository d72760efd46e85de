// Addresses of items in units of items, not of bytes.
#pragma once

#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

/// Writes `getelementptr i8, p, (i << 3)` as `getelementptr i64, p, i`. LLVM's GVN follows
/// addresses from one iteration to the next only through the latter, and then finds that `a[j]` in
/// `while j >= 0 and a[j] > v: a[j + 1] = a[j]; j -= 1` has been loaded.
struct ScaledAddressesPass : llvm::PassInfoMixin<ScaledAddressesPass> {
  static llvm::PreservedAnalyses run(llvm::Function &function,
                                     llvm::FunctionAnalysisManager &analyses);
};

} // namespace numjit::codegen
