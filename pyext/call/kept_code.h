// Machine code that is kept, on disk and in pickles: where a call looks before it compiles.
#pragma once

#include "pyext/call/dispatcher.h"
#include "pyext/compiled.h"

namespace numjit {

struct DispatcherObject;

/// Whether installed packages had extensions to load, which happens once in a process
/// (entrypoints.py). Throws PythonError.
bool load_extensions();

/// An entry that came with a pickle, one of the cache on disk, or a compilation, which is kept on
/// disk if the dispatcher has `cache`. Needs the GIL. Throws what compiling throws, and
/// PythonError.
void load_or_compile(DispatcherObject *dispatcher, FunctionDef &function,
                     const std::vector<const Type *> &arguments, const Type *result,
                     const std::vector<const Const *> &values, bool defers, Compiled &compiled);

} // namespace numjit
