// Rows of the type table as Python objects: numjit._core.Type.
#pragma once

#include "pyext/python.h"
#include "typeinfer/types/types.h"

namespace numjit {

/// The handle of a row, as a new reference: one object per row.
PyObject *type_handle(const Type *type);
/// The row of a handle; nullptr if `object` is none.
const Type *type_of_handle(PyObject *object);
/// Tuple of handles, as a new reference.
PyObject *type_handles(const std::vector<const Type *> &types);

/// Makes the class and adds it to the module; false with an exception set.
bool init_type_handle(PyObject *module);

} // namespace numjit
