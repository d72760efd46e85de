// The rules that rows of kinds.def name in the columns `items` and `iteration`. The file of a kind
// of value defines its own: those of lists are in lists.cpp.
#pragma once

#include "typeinfer/infer/builtins.h"

namespace numjit {

/// What a loop does. An iterator is a struct-like value, Iterator(of, state types), whose state
/// travels through the loop's phi.
struct IterationRules {
  /// The iterator of an object, which may be that of another object: of a literal, of its string.
  Operand (*iter)(Emitter &e, const Operand &object);
  /// What it returns next; only where `wanted` holds, if that is given.
  NextResult (*next)(Emitter &e, const Operand &iterator, const Operand *wanted);
  /// The item that is `index` items later, in a loop that is unrolled.
  Operand (*later)(Emitter &e, const Operand &iterator, int index);
};

// items_list(e, list, index) is list[index]; iterate_list is what loops over lists do.
#define NUMJIT_KIND(id, attributes, cls, fields, text, items, iteration, ...)                      \
  Operand items_##items(Emitter &e, const Operand &object, const Operand &index);                  \
  extern const IterationRules iterate_##iteration;
#include "typeinfer/types/kinds.def"
#undef NUMJIT_KIND

// --- what several kinds share (iteration.cpp)

/// Of kinds that iterate as something else does, so that no iterator is over them.
NextResult no_next(Emitter &e, const Operand &iterator, const Operand *wanted);
/// Of kinds whose items cannot be read at any place.
Operand no_later(Emitter &e, const Operand &iterator, int index);

/// Iterators of sequences, whose state is the object, the index and `unchanged` parts.
Operand indexed_iter(Emitter &e, const Operand &object);
NextResult
indexed_next(Emitter &e, const Operand &iterator, const Operand &length,
             const std::function<Operand(const Operand &object, const Operand &index)> &item,
             std::span<const Operand> unchanged = {});
/// By object[index].
Operand indexed_later(Emitter &e, const Operand &iterator, int index);

/// The item of a global dict under a key that is known, where that decides it; else nothing.
Operand known_item_of(Emitter &e, const Operand &dict, const Operand &key);

/// A loop over such a tuple is unrolled.
inline bool is_mixed_tuple(const Type *type) { return type->is_tuple() && !type->is_homogeneous(); }

} // namespace numjit
