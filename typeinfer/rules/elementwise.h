// Element-wise operations, and how their operands' types meet (elementwise.cpp).
#pragma once

#include "typeinfer/infer/builtins.h"

namespace numjit {

/// Whether Numba's promotion holds in the body that is compiled.
bool promotes_as_numba(const Emitter &e);
/// The form of ufuncs there.
scalar::Form ufunc_form(const Emitter &e);

/// NumPy's type of a scalar beside arrays whose elements meet in `widest`.
const Type *type_beside_arrays(const Operand &a, const Type *widest);

/// A Python number that is known at compile time, unlike a constant of a NumPy type.
bool is_literal(const Operand &a);
/// OverflowError where a literal that is stored into elements of `dtype` does not fit; not with
/// Numba's promotion.
void check_literal(Emitter &e, const Operand &a, const Type *dtype);

} // namespace numjit
