// A call replaced by a copy of its callee.
#pragma once

#include "typeinfer/ir/typed_ir.h"

namespace numjit::tir {

/// Whether the callee's code may stand in the function: it does not call itself, nor must it be
/// compiled apart.
bool may_inline(const Function &function, const Value &call);
/// Positions stay those of the callee's source, or of the call where that is the library's.
void inline_call(Function &function, Value &call);

} // namespace numjit::tir
