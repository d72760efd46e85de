// What arrays hold besides numbers: records, datetime64, timedelta64. All of this needs the GIL.
#pragma once

#include "pyext/python.h"
#include "pyext/read/dtypes.h"
#include "typeinfer/types/types.h"

namespace numjit {

/// np.void, np.record, np.datetime64 and np.timedelta64 scalars.
bool unbox_item(PyObject *object, const Type *type, uint64_t *&slots);
PyObject *box_item_scalar(const Type *type, const uint64_t *&slots);

} // namespace numjit
