// Scalar operations and conversions as LLVM IR.
#pragma once

#include "codegen/emit/module_emitter.h"

namespace numjit::codegen {

/// One operation to emit: its operands' leaves, one behind the other.
struct ScalarCall {
  llvm::IRBuilder<> &b;
  ModuleEmitter &module;
  const Type *type;   ///< of operand 0, which selects the lowering
  const Type *second; ///< of operand 1; differs from `type` in mixed comparisons and ldexp
  const Type *result;
  llvm::ArrayRef<llvm::Value *> x;
  bool nonneg = false; ///< all operands are known to be >= 0

  bool is_signed() const { return type->is_signed(); }
  llvm::Value *operator[](size_t i) const { return x[i]; }
  llvm::Type *llvm_type() const { return x[0]->getType(); }
};

/// Emits the lowering of the table for the class of `call.type`.
Leaves emit_scalar(scalar::OpId op, const ScalarCall &call);

/// A number as its type holds it: a float16 or bfloat16 is a float that fits in 16 bits.
llvm::Value *rounded(llvm::IRBuilder<> &b, const Type *type, llvm::Value *x);
/// A float of 16 bits is a float in registers: between the two. Others stay; bools have a form too.
llvm::Value *to_memory_form(llvm::IRBuilder<> &b, Leaf leaf, llvm::Value *value);
llvm::Value *from_memory_form(llvm::IRBuilder<> &b, Leaf leaf, llvm::Value *value);

/// Conversion between scalar types by C's rules; float to integer is never poison.
Leaves emit_cast(llvm::IRBuilder<> &b, const Type *from, const Type *to,
                 llvm::ArrayRef<llvm::Value *> leaves);

} // namespace numjit::codegen
