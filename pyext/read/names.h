// Which Python object a qualified name means, and back: "numpy.add", "math.sin", "builtins.len".
#pragma once

#include "frontend/code.h"
#include "pyext/python.h"
#include "typeinfer/library_key.h"

#include <string>
#include <vector>

namespace numjit {

/// The name under which the compiler or the library knows an object; nullptr if they don't. Needs
/// the GIL. The first call imports the library.
const std::string *known_name(PyObject *object);

/// The object that a qualified name means ("numpy.add"), without an import of what is not loaded;
/// null (and no exception) if there is none. Needs the GIL.
Ref find_named(const std::string &name);

/// Registers a name for an object that the compiler does not know. Needs the GIL.
void identify_object(PyObject *object, const std::string &name);

/// Makes a Python function a row of the library. Needs the GIL.
void register_library(const LibraryKey &key, PyObject *function, bool lazy, bool inlined);

/// Announces `name`, which `module` registers when it is imported. It is imported when a program
/// first uses the name. Needs the GIL.
void announce_library(const std::string &name, const std::string &module);

/// The function of a row, nullptr if there is none. Without the GIL; takes it when the function has
/// not been read yet.
FunctionDef *library_function(const LibraryKey &key);

/// Registered names that begin with `prefix`.
std::vector<std::string> library_names(const std::string &prefix);

} // namespace numjit
