// Which Python object a qualified name means, and back: "numpy.add", "math.sin", "builtins.len".
#pragma once

#include "frontend/code.h"
#include "pyext/python.h"

#include <string>
#include <vector>

namespace numjit {

/// The name under which the compiler or the library knows an object; nullptr if they don't. Needs
/// the GIL. The first call imports the library.
const std::string *known_name(PyObject *object);

/// The object that a qualified name means ("numpy.add"), without an import of what is not loaded;
/// null (and no exception) if there is none. Needs the GIL.
Ref find_named(const std::string &name);

/// Gives an object that the compiler does not know a name. Needs the GIL.
void identify_object(PyObject *object, const std::string &name);

/// Makes a Python function known as what `name` means in compiled code. Needs the GIL.
void register_library(const std::string &name, PyObject *function, bool lazy, bool inlined);

/// The function registered under a name, nullptr if there is none. Without the GIL; takes it when
/// the function has not been read yet.
FunctionDef *library_function(const std::string &name);

/// Registered names that begin with `prefix`.
std::vector<std::string> library_names(const std::string &prefix);

/// Whether a Python function belongs to numjit's library, by the module it says it is from.
bool is_library_module(const std::string &module);

} // namespace numjit
