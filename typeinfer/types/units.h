// Arrays of which is known which axes are of length one. Squeezing all such axes asks for it; the
// arguments of a function that does so have such types (pyext/call/resolve.cpp), and what is
// computed from them where that is simple. Everything else takes and makes arrays without.
#pragma once

#include "typeinfer/types/types.h"

namespace numjit::types {

/// An array type of which the axes of length one are known, as bits; negative: they are not.
const Type *with_units(const Type *array, int64_t units);
/// `Type::numbers` of an array: those bits, if they are known; else -1.
inline int64_t units_of(const Type *array) {
  return array->numbers.empty() ? -1 : array->numbers[0];
}

} // namespace numjit::types
