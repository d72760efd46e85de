// Which objects are dispatchers, and the function of one: for the lower folders, implemented by
// call/dispatcher.cpp. Both need the GIL.
#pragma once

#include "frontend/code.h"
#include "pyext/python.h"

namespace numjit {

bool dispatcher_check(PyObject *object);
/// The function of a dispatcher, read when first asked for; nullptr if `object` is no dispatcher.
/// Throws PythonError.
FunctionDef *dispatcher_function(PyObject *object);

} // namespace numjit
