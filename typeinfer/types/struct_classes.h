// Structs by the class that they are values of.
#pragma once

#include "typeinfer/types/types.h"

#include <string_view>

namespace numjit {

/// The name of the class of a Struct; empty for other types.
inline std::string_view struct_class(const Type *type) {
  if (type->kind != Kind::Struct || type->constant->kind != ConstKind::Object)
    return {};
  return type->constant->object->name;
}
/// A tuple whose length is known at run time only: its one field is a list
/// (library/python/tuples.py).
inline bool is_run_time_tuple(const Type *type) {
  return struct_class(type) == "numjit.library.python.tuples.RunTimeTuple";
}

} // namespace numjit
