// Types as the scalars they consist of: in registers, in argument slots and in memory.
#include "typeinfer/errors.h"
#include "typeinfer/types/type_rows.h"
#include "typeinfer/types/types.h"

#include <algorithm>

namespace numjit {

uint32_t leaf_size(Leaf leaf) {
  static constexpr uint32_t sizes[] = {1, 1, 2, 4, 8, 2, 2, 4, 8, 8};
  return sizes[static_cast<size_t>(leaf)];
}

static uint32_t round_up(uint32_t offset, uint32_t align) {
  return (offset + align - 1) / align * align;
}

static Leaf leaf_of(const Type &scalar) {
  switch (scalar.bits()) {
  case 8: return scalar.is_bool() ? Leaf::I1 : Leaf::I8;
  case 16:
    return scalar.is(ScalarId::BFloat16) ? Leaf::BF16 : scalar.is_float() ? Leaf::F16 : Leaf::I16;
  case 32: return scalar.is_float() ? Leaf::F32 : Leaf::I32;
  default: return scalar.is_float() ? Leaf::F64 : Leaf::I64;
  }
}

static TypeLayout one(Leaf leaf, bool owner = false) {
  return {{{leaf, owner, 0}}, leaf_size(leaf), leaf_size(leaf)};
}

/// Fields lie one behind the other as in a C struct.
TypeLayout compute_layout(const Type &type) {
  if (type.is_complex()) {
    Leaf part = type.is(ScalarId::Complex64) ? Leaf::F32 : Leaf::F64;
    uint32_t size = leaf_size(part);
    return {{{part, false, 0}, {part, false, size}}, 2 * size, size};
  }
  if (type.is_scalar())
    return one(leaf_of(type));
  if (type.kind == Kind::Pointer || type.kind == Kind::Owner)
    return one(Leaf::Ptr, type.kind == Kind::Owner);

  TypeLayout layout;
  if (type.kind == Kind::CharSeq) { // no value of its own: memory that is read as another type
    layout.align = leaf_size(leaf_of(*type.params[0]));
    layout.size = layout.align * static_cast<uint32_t>(type.constant->integer);
    return layout;
  }
  for (const Type *field : type.fields) {
    const TypeLayout &inner = *field->leaf_layout;
    uint32_t start = round_up(layout.size, inner.align);
    for (LeafInfo leaf : inner.leaves) {
      leaf.offset += start;
      layout.leaves.push_back(leaf);
    }
    layout.size = start + inner.size;
    layout.align = std::max(layout.align, inner.align);
  }
  layout.size = round_up(layout.size, layout.align);
  return layout;
}

const TypeLayout &layout_of(const Type *type) { return *type->leaf_layout; }

int64_t field_offset(const Type *type, int index) {
  uint32_t offset = 0;
  for (int i = 0;; ++i) {
    const TypeLayout &inner = *type->fields[i]->leaf_layout;
    offset = round_up(offset, inner.align);
    if (i == index)
      return offset;
    offset += inner.size;
  }
}

int64_t item_size(const Type *type) {
  if (type->kind == Kind::Record)
    return type->numbers[0];
  if (type->kind != Kind::Nested)
    return layout_of(type).size;
  int64_t size = item_size(type->params[0]);
  for (int64_t n : type->numbers)
    size *= n;
  return size;
}

} // namespace numjit
