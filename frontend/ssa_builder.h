// From a Python function to untyped SSA.
#pragma once

#include "frontend/ssa.h"
#include "frontend/unroll_plan.h"

#include <memory>
#include <string>

namespace numjit {

/// Builds the SSA of `function` (not memoised). Never throws because of bytecode: what cannot be
/// compiled becomes an Unsupported value at its place.
std::shared_ptr<const ssa::Function>
build_ssa(const FunctionDef &function, Environment &environment, const UnrollPlan &plan = {});

/// The version-neutral instructions, for `dump --stage bytecode`.
std::string print_bytecode(const FunctionDef &function);

} // namespace numjit
