// Instances of classes that refer to themselves, as nodes of lists and trees do: a type that holds
// the types of its fields would be a part of itself. Such a type says its class, and which Structs
// instances of all classes of that sort consist of; these Structs hold each other by name.
#pragma once

#include "typeinfer/types/types.h"

#include <functional>

namespace numjit {

namespace types {
/// `structures`: a tuple of Structs, in which instances of their classes are instance(cls, null).
const Type *named_instance(const Const *cls, const Type *structures);
/// The type with instances of the classes of `structures`, that it has by name, as such types.
const Type *with_structures(const Type *type, const Type *structures);
/// The type with all instances of some classes by name.
const Type *by_name(const Type *type, const std::function<bool(const Const *)> &is_named);
} // namespace types

inline bool is_named_instance(const Type *type) {
  return type->kind == Kind::Instance && type->element;
}
/// What a named instance consists of.
const Type *structure_of_named(const Type *instance);

} // namespace numjit
