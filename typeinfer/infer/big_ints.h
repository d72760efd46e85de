// Ints beyond 64 bits. They exist at compile time only: operators of two constants are computed as
// Python does, beside floats they are floats, beside integers they compare, and they fit nowhere.
#pragma once

#include "typeinfer/infer/emitter.h"

namespace numjit {

/// An operator of two ints that are known, one of which or whose result has more than 64 bits; an
/// empty operand if it is none.
Operand exact_operator(Emitter &e, Operator oper, const Operand &a, const Operand &b);

/// An operator of an int beyond 64 bits and one that is not known, whose result may have 64 bits;
/// OverflowError at run time where it has more. An empty operand for other operators.
Operand operator_beside_big_int(Emitter &e, Operator oper, std::span<const Operand> operands);

/// The operands of a scalar or an element-wise operation with what ints beyond 64 bits are in it.
/// Where integers would meet them, `refuses` makes that an error of the program's types, else it is
/// NumPy's OverflowError at run time.
Operands settle_big_ints(Emitter &e, const scalar::Row &row, std::span<const Operand> operands,
                         bool refuses);

/// Whether what is compiled was written around an operand, not around a variable that holds it.
bool is_written_inside(const Emitter &e, const Operand &operand);

inline bool is_big_int(const Operand &a) { return a.type->kind == Kind::BigInt; }
inline bool is_negative_big_int(const Operand &a) { return a.type->constant->text[0] == '-'; }

} // namespace numjit
