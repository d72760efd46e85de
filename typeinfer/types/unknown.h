// Types with parts that are not known yet: of a container that is made empty, while the functions
// are asked that it is given to. They stand for arguments of such questions only; no code has them.
#pragma once

#include "typeinfer/types/types.h"

#include <functional>

namespace numjit {

namespace types {
/// The unknown part of this number: an Undefined that is told from others.
const Type *unknown(int number);
} // namespace types

inline bool is_unknown(const Type *type) {
  return type->kind == Kind::Undefined && !type->numbers.empty();
}

/// Whether a type has unknown parts, in captured values of functions too.
bool holds_unknown(const Type *type);
/// Whether it is a list, set or dict with unknown parts, or an object of `collections` around one.
bool is_open(const Type *type);
/// The list or dict in an object of `collections`; nullptr for other types.
const Type *items_of_object(const Type *type);
/// A container with what `known` returns for the numbers of its unknown parts; nullptr if that is
/// nullptr for one of them.
const Type *with_known(const Type *type, const std::function<const Type *(int)> &known);
/// Whether a type may be an open one with its parts known; `learn` is told which they are then.
bool fits_open(const Type *open, const Type *type,
               const std::function<void(int, const Type *)> &learn);
/// Visits the numbers of the unknown parts of a type.
void each_unknown(const Type *type, const std::function<void(int)> &visit);

} // namespace numjit
