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

/// The same, but it may be a union: `total = 0`, and in a loop `total = total + row`. nullptr where
/// there are too many types, or one that has no values of its own.
const Type *unify_or_unite(const Type *a, const Type *b);

class Emitter;
/// The type where values meet in a function: as its options say, a union or a tuple of run-time
/// length if nothing else. nullptr if there is none.
const Type *meet(Emitter &e, const Type *a, const Type *b);
/// The tuple of run-time length of the items of two tuples; nullptr where these do not unify, or
/// there are none.
const Type *as_long_tuple(Emitter &e, const Type *a, const Type *b);

/// The types of which a value is one: those of a union, None and what else an optional may be.
std::vector<const Type *> members_of(const Type *type);
/// Which member of a union takes values of a type: its place.
size_t place_in(const Type *united, const Type *member);

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
