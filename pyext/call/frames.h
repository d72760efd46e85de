// Tracebacks that start in the user's code: numjit._core.frameless.
#pragma once

#include "pyext/python.h"

namespace numjit {

/// Adds the type of wrappers of our Python functions that users call. What such a function raises
/// reaches the caller without the frames of numjit's own modules at its start: a Python frame stays
/// in a traceback once the exception has passed it, so only C code can take it out again.
/// `frameless(function)` is callable, a method where it is found in a class, and keeps attributes
/// that functools.update_wrapper gives it. False with an exception set if that fails.
bool init_frameless(PyObject *module);

} // namespace numjit
