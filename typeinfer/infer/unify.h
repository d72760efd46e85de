// How types are joined: where control flow joins, and where arguments are passed to parameters.
#pragma once

#include "typeinfer/ir/scalar_ops.h"
#include "typeinfer/types/types.h"

#include <array>
#include <optional>
#include <vector>

namespace numjit {

/// The type of values where it is not known which: Literal[str](a) is a unicode_type, in tuples
/// too.
const Type *unliteral(const Type *type);

/// The type of a variable that holds an `a` on one path and a `b` on another; nullptr if there is
/// none.
const Type *unify(const Type *a, const Type *b);

/// Whether a signed and an unsigned integer met in a float, which holds neither's largest values.
inline bool integers_met_in_float(const Type *a, const Type *b, const Type *met) {
  return a->is_integer() && b->is_integer() && a->is_signed() != b->is_signed() && met->is_float();
}

/// Whether a value of `from` can be converted to `to` implicitly, and how well (best first):
/// Exact, Promote (wider of the same kind), Safe (int to float, C array to any layout), Unsafe
/// (float to int: only with explicit signatures), None.
scalar::Conversion type_conversion(const Type *from, const Type *to);

/// How many arguments of a call need each kind of conversion, the worst kind first: of several
/// signatures the smallest rating wins. Nothing if one of them cannot be converted.
std::optional<std::array<int, 3>> conversion_rating(const std::vector<const Type *> &from,
                                                    const std::vector<const Type *> &to);

} // namespace numjit
