// Constants, struct-like values, scalar operations.
#include "codegen/emit/function_emitter.h"
#include "codegen/emit/scalar_lowering.h"

namespace numjit::codegen {

using tir::Op;

void FunctionEmitter::emitConst(const Value &value) {
  const Type *type = value.type;
  if (type->kind == Kind::Pointer || type->kind == Kind::Owner) {
    const Reference *of = value.reference;
    if (!of && value.integer)
      of = references::make(references::c_function, {}, constants::integer(value.integer));
    set(value, module_.address(b_, of));
    return;
  }
  Leaves parts;
  for (const LeafInfo &leaf : layout_of(type).leaves) {
    llvm::Type *llvm_type = register_type(module_.context(), leaf.leaf);
    if (llvm_type->isIntegerTy())
      parts.push_back(llvm::ConstantInt::get(llvm_type, static_cast<uint64_t>(value.integer),
                                             /*IsSigned=*/false, /*ImplicitTrunc=*/true));
    else
      parts.push_back(rounded(
          b_, type, llvm::ConstantFP::get(llvm_type, parts.empty() ? value.real : value.imag)));
  }
  set(value, parts);
}

/// Memory that the linker finds by its content (symbols.cpp).
void FunctionEmitter::emitBytes(const Value &value) {
  set(value, module_.constant_bytes(value.name));
}

void FunctionEmitter::emitUndef(const Value &value) {
  const bool is_zero = module_.in_kernel(); // numbers without a value are read, see assigned()
  Leaves parts;
  for (const LeafInfo &leaf : layout_of(value.type).leaves) {
    llvm::Type *type = register_type(module_.context(), leaf.leaf);
    // An owner is counted down in the end, whatever path was taken: null is the one without effect.
    parts.push_back(leaf.owner || is_zero ? llvm::Constant::getNullValue(type)
                                          : llvm::UndefValue::get(type));
  }
  set(value, parts);
}

void FunctionEmitter::emitScalar(const Value &value) {
  const Type *type = value.operands[0]->type;
  const Type *second = value.operands.size() > 1 ? value.operands[1]->type : type;
  bool nonneg = true;
  for (const Value *operand : value.operands)
    nonneg = nonneg && (operand->nonneg || (operand->op == Op::Const && operand->integer >= 0));
  Leaves operands = all_leaves(value.operands);
  Leaves results =
      emit_scalar(value.scalar_op, {b_, module_, type, second, value.type, operands, nonneg});
  for (llvm::Value *&result : results)
    result = rounded(b_, value.type, result);
  set(value, results);
}

void FunctionEmitter::emitCast(const Value &value) {
  const Value *from = value.operands[0];
  set(value, emit_cast(b_, from->type, value.type, leaves(from)));
}

void FunctionEmitter::emitSelect(const Value &value) {
  AnyFloats any(b_);
  llvm::Value *condition = leaf(value.operands[0]);
  llvm::ArrayRef<llvm::Value *> yes = leaves(value.operands[1]), no = leaves(value.operands[2]);
  Leaves parts;
  for (size_t i = 0; i < yes.size(); ++i)
    parts.push_back(b_.CreateSelect(condition, yes[i], no[i]));
  set(value, parts);
}

void FunctionEmitter::emitStruct(const Value &value) { set(value, all_leaves(value.operands)); }

void FunctionEmitter::emitField(const Value &value) {
  const Value *whole = value.operands[0];
  size_t first = 0;
  for (int32_t i = 0; i < value.index; ++i)
    first += layout_of(whole->type->fields[i]).leaves.size();
  set(value, leaves(whole).slice(first, layout_of(value.type).leaves.size()));
}

void FunctionEmitter::emitFieldAt(const Value &value) {
  AnyFloats any(b_);
  const Value *whole = value.operands[0];
  llvm::Value *index = leaf(value.operands[1]);
  llvm::ArrayRef<llvm::Value *> all = leaves(whole);
  const TypeLayout &item = layout_of(value.type);
  const size_t per_item = item.leaves.size(), count = whole->type->fields.size();
  constexpr size_t kSelectLimit = 4; // beyond, memory is cheaper than a chain of selects

  if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(index)) {
    const uint64_t at = constant->getZExtValue();
    set(value, all.slice((at < count ? at : 0) * per_item, per_item));
    return;
  }
  if (count <= kSelectLimit) {
    Leaves parts(all.begin(), all.begin() + per_item);
    for (size_t i = 1; i < count; ++i) {
      llvm::Value *here = b_.CreateICmpEQ(index, b_.getInt64(i));
      for (size_t k = 0; k < per_item; ++k)
        parts[k] = b_.CreateSelect(here, all[i * per_item + k], parts[k]);
    }
    set(value, parts);
    return;
  }
  const uint32_t stride = (item.size + item.align - 1) / item.align * item.align;
  llvm::Value *table =
      entry_alloca(module_.i8(), uint64_t(stride) * count, llvm::Align(item.align));
  llvm::MDNode *alias = module_.alias_tag(tir::Alias::Stack);
  for (size_t i = 0; i < count; ++i)
    for (size_t k = 0; k < per_item; ++k)
      store_leaf(leaf_pointer(table, i * stride + item.leaves[k].offset), all[i * per_item + k],
                 item.leaves[k], alias);
  llvm::Value *at = b_.CreateInBoundsPtrAdd(table, b_.CreateMul(index, b_.getInt64(stride)));
  Leaves parts;
  for (const LeafInfo &part : item.leaves)
    parts.push_back(load_leaf(leaf_pointer(at, part.offset), part, alias));
  set(value, parts);
}

void FunctionEmitter::emitIndexAdd(const Value &value) {
  const bool both = value.operands[0]->nonneg && value.operands[1]->nonneg;
  set(value, b_.CreateAdd(leaf(value.operands[0]), leaf(value.operands[1]), "", both, true));
}

void FunctionEmitter::emitIndexMul(const Value &value) {
  const bool both = value.operands[0]->nonneg && value.operands[1]->nonneg;
  set(value, b_.CreateMul(leaf(value.operands[0]), leaf(value.operands[1]), "", both, true));
}

} // namespace numjit::codegen
