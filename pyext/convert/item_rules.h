// What may be put into a container: the type that the items of a Python list or set have in common,
// and what a typed container takes from Python. All of this needs the GIL.
#pragma once

#include "pyext/convert/typeof.h"
#include "pyext/python.h"
#include "typeinfer/types/types.h"

namespace numjit {

/// The type that all items of a Python list have in common: that of the first one, unless another
/// item needs a wider one (`mixed`). `container` is "list" or "set", for messages. The list is not
/// empty.
TypeOf type_of_items(PyObject *list, const char *container);

/// The type of the items of a typed container that these are the first ones of; nullptr with an
/// exception set.
const Type *type_of_first_item(PyObject *object);
const Type *type_of_first_items(PyObject *list);

/// Whether an object may become an item of a typed container of `type`: bools become ints, ints
/// floats, but no float an int. False with an exception set.
bool may_be_item(PyObject *object, const Type *type);

/// The class of errors about types; borrowed.
PyObject *typing_error_class();

} // namespace numjit
