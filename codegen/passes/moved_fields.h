// Fields that outlive their instance.
#pragma once

#include <llvm/IR/PassManager.h>

namespace numjit::codegen {

/// `node = node.next` takes the field and lets go of the instance. Where that was the only
/// reference to it, its own count of the field is taken over: one less is counted up and down, each
/// an atomic write. Last of all, as it makes branches.
struct MovedFieldsPass : llvm::PassInfoMixin<MovedFieldsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace numjit::codegen
