// numjit._core.Dispatcher: @jit returns objects of a Python subclass of it.
#pragma once

#include "frontend/code.h"
#include "pyext/call/specialization.h"
#include "pyext/python.h"
#include "pyext/read/dispatchers.h"

#include <memory>
#include <vector>

namespace numjit {

// All of these need the GIL.

/// Compiles a dispatcher for argument types, and the rest as compile_function takes it, or finds
/// what was compiled; null with an exception set.
std::shared_ptr<Specialization> compile_dispatcher(PyObject *dispatcher,
                                                   const std::vector<const Type *> &arguments,
                                                   const Type *result,
                                                   const std::vector<const Const *> &values = {},
                                                   bool defers = false);

/// In the order of compilation.
std::vector<std::shared_ptr<Specialization>> dispatcher_specializations(PyObject *dispatcher);

/// For which types it was compiled as part of functions that call it.
const std::vector<CalledFunction> &compiled_with_callers(PyObject *dispatcher);

/// Machine code of a specialisation as an entry of the cache, for a pickle; empty if another
/// process has no use for it. Throws what compiling throws.
std::string portable_code(PyObject *dispatcher, Specialization &made);

/// Makes the type and adds it to the module; false with an exception set.
bool init_dispatcher(PyObject *module);

} // namespace numjit
