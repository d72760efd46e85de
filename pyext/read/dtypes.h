// The dtypes of arrays, and the types of their elements. All of this needs the GIL.
#pragma once

#include "pyext/python.h"
#include "typeinfer/types/types.h"

namespace numjit {

/// The type of the elements of arrays with a dtype; nullptr if there is none. Of two equal dtypes
/// it is the same.
const Type *item_of_descr(PyArray_Descr *descr);

/// What numpy.dtype(description) returns, as a new reference; null with an exception set.
PyArray_Descr *descr_from(PyObject *description);
/// The dtype of arrays of a type, as a new reference; null with an exception set.
PyArray_Descr *descr_of(const Type *item);

/// The type of np.void, np.record, np.datetime64 and np.timedelta64 scalars; nullptr for others.
const Type *type_of_item(PyObject *object);
/// The memory of np.void and np.record scalars.
void *record_memory(PyObject *object);
/// What np.datetime64 and np.timedelta64 scalars count in their unit.
int64_t time_count(PyObject *object);
/// The scalar of a type of times, as a new reference; null with an exception set.
PyObject *time_scalar(const Type *type, int64_t count);

} // namespace numjit
