// Users' overloads of operators (numjit.extending). Those of functions: call_overload in engine.h.
#pragma once

#include "typeinfer/infer/emitter.h"

#include <string_view>

namespace numjit {

/// Calls what a user's overload of an operator returns for the operands; `name`: as in module
/// operator. False if none takes them; then `said` is what they said, if they said why.
bool call_operator_overload(Emitter &e, std::string_view name, Operands operands, Operand &result,
                            std::string *said = nullptr);

} // namespace numjit
