// numjit._core.Dispatcher: what @jit gives back is a Python subclass of it.
#pragma once

#include "frontend/code.h"
#include "pyext/python.h"
#include "pyext/specialization.h"

#include <memory>
#include <vector>

namespace numjit {

// All of these need the GIL.

bool dispatcher_check(PyObject *object);
/// The function of a dispatcher, read when first asked for; nullptr if `object` is no dispatcher.
/// Throws PythonError.
FunctionDef *dispatcher_function(PyObject *object);

/// Compiles a dispatcher for argument types, and values as compile_function takes them, or finds
/// what was compiled; null with an exception
/// set.
std::shared_ptr<Specialization> compile_dispatcher(PyObject *dispatcher,
                                                   const std::vector<const Type *> &arguments,
                                                   const Type *result,
                                                   const std::vector<const Const *> &values = {});

/// In the order of compilation.
std::vector<std::shared_ptr<Specialization>> dispatcher_specializations(PyObject *dispatcher);

/// Makes the type and adds it to the module; false with an exception set.
bool init_dispatcher(PyObject *module);

} // namespace numjit
