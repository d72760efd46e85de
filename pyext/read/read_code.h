// From a CPython code object to the frontend's Code.
#pragma once

#include "frontend/code.h"

#include <Python.h>

#include <functional>

namespace numjit {

/// Copies what the frontend needs of `code`. `const_of` turns its constants, inner code objects
/// among them, into rows. Needs the GIL. On failure a Python exception is set and the result is
/// incomplete: check PyErr_Occurred().
Code read_code(PyCodeObject *code, const std::function<const Const *(PyObject *)> &const_of);

} // namespace numjit
