// Containers that are made for fields of dataclasses.
#pragma once

#include "frontend/ssa.h"

#include <string>

namespace numjit {

/// The field of a dataclass that a call of the class gives a value; empty for anything else.
std::string field_of_dataclass(const ssa::Value &call, const ssa::Value &given);

} // namespace numjit
