// What the rules of a[...] share: basic indices (indexing.cpp), arrays as indices
// (advanced_indexing.cpp) and items of lists (lists.cpp).
#pragma once

#include "typeinfer/infer/builtins.h"

namespace numjit {

/// Integers that pick an element. A bool is none of them: for arrays it is a mask of no dimensions.
inline bool is_index(const Type *type) { return type->is_integer(); }

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
