// From a Python function to untyped SSA.
#pragma once

#include "frontend/ssa.h"

#include <map>
#include <memory>
#include <string>

namespace numjit {

/// For loops to unroll while SSA is built: bytecode offset of FOR_ITER -> number of items.
/// Inference asks for it when it meets an iterator whose items have different types (tuples,
/// literal_unroll). An unrolled nested loop is unrolled in every copy of the outer one. Loops over
/// tuples with `else`, `break` and `continue` keep their meaning. Loops of comprehensions that a
/// version compiles to functions have offsets as if their code followed the function's. Offsets are
/// those of Block::for_loop.
using UnrollPlan = std::map<int32_t, int32_t>;

/// Builds the SSA of `function` (not memoised). Never throws because of bytecode: what cannot be
/// compiled becomes an Unsupported value at its place.
std::shared_ptr<const ssa::Function>
build_ssa(const FunctionDef &function, Environment &environment, const UnrollPlan &plan = {});

/// The version-neutral instructions, for `dump --stage bytecode`.
std::string print_bytecode(const FunctionDef &function);

} // namespace numjit
