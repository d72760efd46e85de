// Lines of the Python source for profilers, and variables with their values for debuggers. Costs
// compile time, so it is made on request.
#pragma once

#include "typeinfer/ir/typed_ir.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>

namespace numjit::codegen {

class DebugInfo {
public:
  /// Profilers read lines alone; debuggers of kernels, functions and lines; gdb, variables too.
  enum class Depth : uint8_t { Lines, Functions, Variables };
  DebugInfo(llvm::Module &module, const tir::Function &root, Depth depth);
  void begin(llvm::Function &function, const tir::Function &source);
  void set_position(llvm::IRBuilder<> &b, const tir::Value &value);
  /// The position of all of a function that does nothing but call `source`: without one, lines of
  /// what is inlined into it are lost.
  llvm::DILocation *position_of_caller(llvm::Function &function, const tir::Function &source);
  bool has_variables() const { return has_variables_; }
  /// `memory` holds the variable that a Bind names, in this function.
  void declare(llvm::AllocaInst *memory, const tir::Value &bind);
  void finish() { builder_.finalize(); }

private:
  llvm::DIFile *file(const FunctionDef *def);
  llvm::DISubprogram *subprogram(const FunctionDef *def, const std::string &name);
  llvm::DILocation *location(const tir::Value &value);
  llvm::DIType *type(const Type *type);
  llvm::DIType *scalar(const Type *type);
  llvm::DIType *structure(const Type *type);
  llvm::DIType *pointer_to(llvm::DIType *type);

  llvm::LLVMContext &context_;
  llvm::DIBuilder builder_;
  bool has_variables_;
  llvm::DICompileUnit *unit_ = nullptr;
  const FunctionDef *def_ = nullptr;         ///< of the function being emitted
  llvm::DISubprogram *subprogram_ = nullptr; ///< its scope
  /// Functions whose source was inlined before codegen, in the function being emitted.
  llvm::DenseMap<const FunctionDef *, llvm::DISubprogram *> inlined_;
  llvm::DenseMap<const Type *, llvm::DIType *> types_;
};

} // namespace numjit::codegen
