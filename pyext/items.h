// What arrays hold besides numbers, and their dtypes: records, datetime64, timedelta64. All of this
// needs the GIL.
#pragma once

#include "pyext/python.h"
#include "typeinfer/types/types.h"

namespace numjit {

/// The type of the elements of arrays with a dtype; nullptr if there is none. Of two equal dtypes
/// it is the same.
const Type *item_of_descr(PyArray_Descr *descr);

/// The dtype of arrays of a type, as a new reference; null with an exception set.
PyArray_Descr *descr_of(const Type *item);

/// np.void, np.record, np.datetime64 and np.timedelta64 scalars: their type, nullptr for others;
/// their memory, and back.
const Type *type_of_item(PyObject *object);
void *record_memory(PyObject *object);
bool unbox_item(PyObject *object, const Type *type, uint64_t *&slots);
PyObject *box_item_scalar(const Type *type, const uint64_t *&slots);

} // namespace numjit
