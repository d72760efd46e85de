// Comprehensions that are functions of their own, put back where they are called.
#pragma once

#include "frontend/instruction.h"

#include <set>
#include <string>

namespace numjit {

/// Decodes `function`, with the comprehensions that its version compiles to functions spliced in.
Bytecode decode(const FunctionDef &function);

/// Free variables that `function`, or a function inside it, assigns (nonlocal); none in boxes.
std::set<std::string> assigned_free_variables(const FunctionDef &function);

} // namespace numjit
