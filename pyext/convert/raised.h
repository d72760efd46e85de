// From errors of compiled code to Python exceptions.
#pragma once

#include "frontend/code.h"
#include "pyext/python.h"
#include "runtime/runtime.h"
#include "typeinfer/types/types.h"

namespace numjit {

// All of these need the GIL, unless they say otherwise.

/// Sets the Python exception for the pending error of compiled code (runtime.h) and clears that.
/// `function` is what Python called: the place of errors that have none. `place`: where the status
/// of the code comes from (codegen::MachineCode::place), or null.
void set_native_exception(const FunctionDef &function, const nj_place *place = nullptr);

/// Remembers the builtin exception classes, so that their names can be looked up without the GIL.
void read_builtin_exceptions();
/// Class of an error that is no exception of Python's yet; needs no GIL. Borrowed.
PyObject *class_of_error(const nj_error &error);
/// The exception object of a caught error, or null with another exception set.
PyObject *exception_of(const nj_error &error);
/// Boxes a value of Kind::Exception (values.h).
PyObject *box_exception(const Type *type, const uint64_t *&slots);

} // namespace numjit
