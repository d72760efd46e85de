// Which choices of a loop become branches.
#pragma once

#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

/// `if x > best: best, where = x, i` in a loop that is not vectorised is a branch and not two
/// choices. New records are rare (the n-th of random items is one once in n times), or come one
/// after the other, so processors foresee the branch and go on with the next item, whereas each
/// choice waits for the one before. So is `if a[i] > a[where]: where = i`, whose next comparison
/// waits for a load, too. Loops that compute more than the comparison hide that wait.
/// This pass says so of the choices, behind vectorisation.
struct RareRecordsPass : llvm::PassInfoMixin<RareRecordsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

/// Last of all: makes them branches, whose blocks other passes would have to look through.
struct RecordBranchesPass : llvm::PassInfoMixin<RecordBranchesPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace numjit::codegen
