// From a code object's bytes to neutral instructions.
#pragma once

#include "frontend/instruction.h"

#include <set>
#include <string>

namespace numjit {

/// Decodes `function`, with the comprehensions that its version compiles to functions spliced in
/// (see splice.cpp). Strange bytes become Unsupported instructions; the last instruction always is
/// one.
Bytecode decode(const FunctionDef &function);

/// Free variables that `function`, or a function inside it, assigns (nonlocal).
std::set<std::string> assigned_free_variables(const FunctionDef &function);

/// Texts of errors that several files of the frontend report.
namespace refusals {
extern const std::string invalid_bytecode;
extern const std::string unknown_version;
} // namespace refusals

} // namespace numjit
