// numjit.typed.List and Dict: Python objects around the blocks that compiled code works on, so that
// nothing is copied on the way in and out. Their methods that need not be fast are Python
// (numjit/typed.py).
#pragma once

#include "pyext/convert/typed_parts.h"
#include "pyext/python.h"
#include "typeinfer/types/types.h"

namespace numjit {

bool unbox_typed(PyObject *object, const Type *type, uint64_t *&slots);

/// Makes the classes and adds them to the module; false with an exception set.
bool init_typed_containers(PyObject *module);

} // namespace numjit
