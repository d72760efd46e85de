// Digests of what compiled code depends on.
#pragma once

#include "frontend/code.h"
#include "frontend/digest.h"
#include "typeinfer/types/types.h"

namespace numjit {

class PythonHost;

// All of these need the GIL. The host resolves names outside of functions.

/// Everything that the compiler may use of a constant without reading further objects.
Digest digest_of_constant(const Const *constant, PythonHost &host);

/// The same of a function: its code, defaults, options and captured values.
Digest digest_of_function(const FunctionDef &function, PythonHost &host);

/// Of a function for types, and of all that is the same for all functions: versions of numjit,
/// Python, NumPy and LLVM, and the machine.
Digest digest_of_request(const FunctionDef &function, const std::vector<const Type *> &arguments,
                         const Type *result, PythonHost &host);

/// Computes now what all keys depend on, which takes 10 ms once, instead of when the first key is
/// made.
void prepare_keys();

/// File and symbol of a C function that every process finds again; false if it is none.
bool find_c_symbol(const void *address, std::string &file, std::string &symbol);

} // namespace numjit
