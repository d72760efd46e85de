// The versions of functions that there are, for callers that are compiled later.
#pragma once

#include "pyext/compiled.h"

namespace numjit {

/// Notes for which types a function, and those that its code calls, were compiled, and what names
/// meant then. Needs the GIL.
void note_versions(const FunctionDef &function, const std::vector<const Type *> &arguments,
                   Compiled &compiled);

} // namespace numjit
