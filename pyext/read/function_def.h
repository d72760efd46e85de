// Python functions as the compiler sees them.
#pragma once

#include "frontend/code.h"
#include "pyext/python.h"

namespace numjit {

/// Reads a Python function: its code, defaults and the values it closed over. Needs the GIL, and a
/// function that outlives `def`. Throws PythonError.
void read_function(FunctionDef &def, PyObject *function, const CompileOptions &options);

/// The present values of the free variables; null for an empty cell. Throws PythonError.
std::vector<const Const *> read_closure(const FunctionDef &def);

/// The value of a function's own name before it is bound: a signature is compiled before the
/// decorator returns. Null if there is none.
PyObject *own_object(const FunctionDef &def);

/// Held while rows of objects and functions are filled in. Python may run meanwhile and let another
/// thread have the GIL; that one must not see half a row. The same thread may take it again.
class ReadingLock {
public:
  ReadingLock(); ///< with the GIL; gives it away while it waits
  ~ReadingLock();
  ReadingLock(const ReadingLock &) = delete;
  ReadingLock &operator=(const ReadingLock &) = delete;
};

/// Options from the dict that the decorators pass; throws PythonError.
CompileOptions read_options(PyObject *dict);

/// Whether a Python function belongs to numjit's library, by its `__module__`.
bool is_library_module(const std::string &module);

} // namespace numjit
