// What the rules of a[...] share: basic indices (indexing.cpp), arrays as indices
// (advanced_indexing.cpp), items of lists (lists.cpp), of tuples (tuples.cpp) and of pointers
// (foreign_calls.cpp).
#pragma once

#include "typeinfer/infer/builtins.h"

#include <functional>

namespace numjit {

/// Integers that pick an element. A bool is none of them: for arrays it is a mask of no dimensions.
inline bool is_index(const Type *type) { return type->is_integer(); }

/// Python's meaning of negative indices, checked: `raise_if` is called with whether the index is
/// outside. One that is inside as it stands takes one test, which the pass `ranges` knows.
using RaiseIfOutside = std::function<void(const Operand &outside, const Operand &index)>;
Operand checked_index(Emitter &e, const Operand &given, const Operand &length,
                      const RaiseIfOutside &raise_if);
/// A part of a slice that indexes; np.mgrid[0:1:5j] has others than integers.
Operand index_part(Emitter &e, const Operand &slice, int part);

/// The parts of an index: items of a tuple, or the one index.
Operands index_items(Emitter &e, const Operand &index);
/// The items with the ellipsis replaced by full slices, `axes_of` saying how many axes each takes;
/// fails on too many.
Operands expand_ellipsis(Emitter &e, const Operand &array, const Operands &items,
                         int (*axes_of)(const Type *item));
/// The part of an array that integers, slices and newaxis pick.
Operand array_view(Emitter &e, const Operand &array, const Operands &items);

/// For assignments.cpp.
/// Index items without ellipsis; fails on too many or wrong ones.
Operands expand(Emitter &e, const Operand &array, const Operand &index);
Operand element_pointer(Emitter &e, const Operand &array, const Operands &indices);
bool all_integers(const Operands &items);
/// The index of an item that a tuple of run-time length is, if it holds integers; else no type.
Operand index_of_item(Emitter &e, const Operand &array, const Operand &index);
/// a['x'] on an array of records.
bool names_field(const Type *array, const Operand &index);
/// A list of items that have no common type.
Operand literal_list(Emitter &e, const Operands &items);
/// The array without dimensions of the item that C finds at pointer[index].
Operand item_at(Emitter &e, const Operand &pointer, const Operand &index);

Operand advanced_getitem(Emitter &e, const Operand &array, const Operand &index);
void advanced_setitem(Emitter &e, const Operand &array, const Operand &index, const Operand &value);

/// An index of an item, negative ones counted from the end; IndexError with the text `outside`.
Operand list_index(Emitter &e, const Operand &list, const Operand &index, const char *outside);
Operand list_getitem(Emitter &e, const Operand &list, const Operand &index);
/// `value` has the type of the items.
void list_setitem(Emitter &e, const Operand &list, const Operand &index, const Operand &value);

} // namespace numjit
