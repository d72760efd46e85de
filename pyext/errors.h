// From errors of the compiler to Python exceptions; those of compiled code: convert/raised.h.
#pragma once

#include "pyext/python.h"
#include "runtime/runtime.h"
#include "typeinfer/errors.h"
#include "typeinfer/types/types.h"

#include <string>
#include <vector>

namespace numjit {

// All of these need the GIL.

/// The callable that makes exceptions of numjit.errors; numjit.diagnostics.make_error unless set.
void set_error_maker(PyObject *maker);

/// The exception of an error, or null with another exception set if it cannot be made.
Ref error_of(const CompileError &error);

/// Sets the Python exception for the C++ exception that is being handled.
void set_current_exception();

/// "KeyError: 'x'" of the exception that is set, which is cleared.
std::string exception_text();

/// Throws the exception that is set, and clears it: one of numjit.errors tells of the user's
/// program (an object mode block that is declared with something that is not a type), others of a
/// bug.
[[noreturn]] void throw_exception_of_host();

} // namespace numjit
