// Lines of the Python source for debuggers and profilers. Costs compile time, so it is made on
// request.
#pragma once

#include "typeinfer/ir/typed_ir.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>

namespace numjit::codegen {

class DebugInfo {
public:
  /// `lines_alone`: for a profiler, without what a debugger reads.
  DebugInfo(llvm::Module &module, const tir::Function &root, bool lines_alone);
  void begin(llvm::Function &function, const tir::Function &source);
  void set_position(llvm::IRBuilder<> &b, const tir::Value &value);
  void finish() { builder_.finalize(); }

private:
  llvm::DIFile *file(const FunctionDef *def);
  llvm::DISubprogram *subprogram(const FunctionDef *def, const std::string &name);

  llvm::LLVMContext &context_;
  llvm::DIBuilder builder_;
  llvm::DICompileUnit *unit_ = nullptr;
  const FunctionDef *def_ = nullptr;         ///< of the function being emitted
  llvm::DISubprogram *subprogram_ = nullptr; ///< its scope
  /// Functions whose source was inlined before codegen, in the function being emitted.
  llvm::DenseMap<const FunctionDef *, llvm::DISubprogram *> inlined_;
};

} // namespace numjit::codegen
