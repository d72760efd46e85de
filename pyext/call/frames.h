// Tracebacks that start in the user's code: numjit._core.frameless.
#pragma once

#include "pyext/python.h"

namespace numjit {

/// Adds the type of wrappers of our Python functions that users call. The tracebacks of exceptions
/// that such a function raises do not start with frames of numjit's own modules: a Python frame
/// stays in a traceback once the exception has passed it, so only C code can remove it.
/// `frameless(function)` is callable, a method where it is found in a class, and keeps attributes
/// that functools.update_wrapper gives it. False with an exception set if that fails.
bool init_frameless(PyObject *module);

} // namespace numjit
