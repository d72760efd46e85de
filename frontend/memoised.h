// Inner functions that functools.cache or lru_cache decorates.
#pragma once

#include "frontend/code.h"
#include "frontend/instruction.h"

namespace numjit {

/// Whether such a function can keep its results: no generator, and its arguments can be a key.
bool can_be_memoised(const FunctionDef &function);
/// Makes it one that keeps its results: it captures one variable more, their dict.
void mark_memoised(FunctionDef &function);
/// The instructions of such a function look for the arguments in the dict first, and put there what
/// they return.
void memoise(Bytecode &bytecode, const FunctionDef &function);

} // namespace numjit
