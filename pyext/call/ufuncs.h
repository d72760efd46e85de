// NumPy ufuncs whose inner loops are compiled functions: numjit._core.UFunc.
#pragma once

#include "pyext/python.h"

namespace numjit {

/// Adds the type UFunc, from which those of numjit.ufuncs derive, and `make_ufunc`; false with an
/// exception set if that fails.
bool init_ufuncs(PyObject *module);

} // namespace numjit
