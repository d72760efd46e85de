// Calls that are carried out while a program is compiled.
#pragma once

#include "typeinfer/infer/emitter.h"

namespace numjit {

/// tuple(range(...)) of bounds that are known; no type for all else (counted_loops.cpp).
Operand tuple_of_range(Emitter &e, const ssa::Value &given, const std::vector<Fact> &facts);

/// object(), which is told from all else by `is`: one for each place in the program, which must not
/// be in a loop (emitter_constants.cpp).
Operand sentinel_of(Emitter &e, const ssa::Value &call);

} // namespace numjit
