// See factories.cpp.
#pragma once

#include "frontend/ssa_draft.h"

namespace numjit::ssa {

/// The values that an inner function without parameters returns, if all it does is to make new
/// containers: copies to be put behind one another, the result last. Else
/// none.
std::vector<Value *> copy_of_result(Draft &draft, const Value &factory, Environment &environment);

/// Whether there are such values.
bool is_factory_of_containers(Draft &draft, const Value &factory, Environment &environment);

} // namespace numjit::ssa
