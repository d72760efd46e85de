// Types as values of compiled code: float64[:, ::1], types.UniTuple(types.int64, 2). They are
// constants, which containers are made with.
#pragma once

#include "typeinfer/infer/builtins.h"

namespace numjit {

/// The result of a call of a class of numjit.types; no type for other classes.
Operand call_type_class(Emitter &e, const Object &cls, const CallArguments &arguments);

/// np.dtype(x).
Operand dtype_value(Emitter &e, Operands &a);

} // namespace numjit
