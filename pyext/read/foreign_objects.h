// Objects of other packages that mean something to compiled code.
#pragma once

#include "pyext/python.h"

namespace numjit {

// All of these need the GIL.

/// A class that is looked up in a module that may not be imported yet; null if it isn't.
PyObject *class_in(PyObject *&cache, const char *module, const char *name);
bool is_instance_of(PyObject *object, PyObject *cls);

bool is_ffi(PyObject *object);
/// A Fortran function that f2py has wrapped.
bool is_f2py_function(PyObject *object);
/// The name of an object that is like a module: what its attributes mean does not change. cffi's
/// FFI, a distribution of scipy.stats. Null for others.
const char *like_a_module(PyObject *object);
/// Each reading of `Dict.empty` or `chain.from_iterable` makes another object. The compiler takes
/// the first one for all of them, which is kept; other objects stay what they are.
PyObject *first_of_bound_method(PyObject *object);

} // namespace numjit
