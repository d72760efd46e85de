// What calls of code that others compiled share.
#pragma once

#include "typeinfer/infer/engine.h"

#include <string>

namespace numjit {

/// The type behind a type object (numjit.float64, types.none) that is a constant.
const Type *type_behind(const Type *type);

/// An argument as the C function wants it. Arrays stand for their memory, objects that begin with
/// an address (random generators) for what is there.
Operand c_argument(Emitter &e, const std::string &name, const Operand &given, const Type *to);

} // namespace numjit
