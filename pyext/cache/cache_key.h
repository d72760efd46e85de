// Digests of what compiled code depends on.
#pragma once

#include "frontend/code.h"
#include "frontend/digest.h"
#include "typeinfer/types/types.h"

namespace numjit {

class PythonHost;

// All of these need the GIL. The host says what names outside of functions mean.

/// Everything that the compiler may see of a constant without asking further questions.
Digest digest_of_constant(const Const *constant, PythonHost &host);

/// Of a function for types, and of all that is the same for all functions: versions of numjit,
/// Python, NumPy and LLVM, and the machine.
Digest digest_of_request(const FunctionDef &function, const std::vector<const Type *> &arguments,
                         const Type *result, PythonHost &host);

/// Finds out now what all keys depend on, which takes 10 ms, once, and not when the first key is
/// made.
void prepare_keys();

/// File and symbol of a C function that every process finds again; false if it is none.
bool find_c_symbol(const void *address, std::string &file, std::string &symbol);

} // namespace numjit
