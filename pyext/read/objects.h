// Python objects as the compiler sees them: constants, and rows for objects that are not plain
// data.
#pragma once

#include "frontend/constant.h"
#include "pyext/python.h"
#include "typeinfer/types/types.h"

namespace numjit {

// All of these need the GIL.

/// The constant of a Python value. Objects that are not plain data get one row per identity, which
/// keeps them alive for the rest of the process. Never fails: unknown objects are Opaque.
const Const *const_of(PyObject *object);

/// The Python value of a constant, as a new reference; null with an exception set if that fails.
PyObject *python_of(const Const &constant);

/// The numjit type that an object stands for (numjit.float64, a row of the type table); nullptr if
/// none.
const Type *type_object(PyObject *object);

/// Whether an object is of a subclass of tuple that names its items.
bool is_named_tuple(PyObject *object);
/// Whether an object stands for a function that numjit.library.core.foreign writes: one of ctypes,
/// of cffi, of SciPy, a callback that numjit compiled, or a ufunc or stencil made of a function.
bool is_foreign_function(PyObject *object);
/// Whether an object only tells that something is missing: `object()`, np._NoValue, NotImplemented.
/// Code compares it by `is`.
bool is_sentinel(PyObject *object);

/// Makes the object be read again at its next use, because it has changed.
void forget_object(PyObject *object);

/// "numpy.fft.fft", "builtins.dict": how messages name a function or class; for other objects the
/// name of their class.
std::string qualified_name(PyObject *object);

/// After a dispatcher has dropped its compiled code: makes its row point to `function`.
void replace_function(PyObject *dispatcher, FunctionDef *function);

} // namespace numjit
