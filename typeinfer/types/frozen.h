// Global lists, dicts and sets: their values are part of what is compiled, so that nothing may
// change them. Their types are those of others, but read-only.
#pragma once

#include "typeinfer/types/types.h"

namespace numjit {

namespace types {
/// A type with every list, dict and set in it read-only.
const Type *frozen(const Type *type);
/// Of a read-only list, dict or set: the type of a new one of the same items.
const Type *thawed(const Type *type);
} // namespace types

inline bool is_frozen(const Type *type) {
  return type->readonly &&
         (type->kind == Kind::List || type->kind == Kind::Dict || type->kind == Kind::Set);
}

} // namespace numjit
