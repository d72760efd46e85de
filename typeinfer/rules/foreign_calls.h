// Parts that calls of foreign code share.
#pragma once

#include "typeinfer/infer/engine.h"

#include <string>

namespace numjit {

/// The type behind a type object (numjit.float64, types.none) that is a constant.
const Type *type_behind(const Type *type);

/// An argument as the C function expects it: of an array the address of its memory, of an object
/// that begins with an address (random generators) that address.
Operand c_argument(Emitter &e, const std::string &name, const Operand &given, const Type *to);

} // namespace numjit
