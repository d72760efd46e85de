// Literals that are stored into elements of integer arrays.
#pragma once

#include "frontend/ssa.h"
#include "typeinfer/infer/emitter.h"

#include <functional>

namespace numjit {

/// OverflowError, as in NumPy, where an operation of the program stores a literal that the array's
/// type does not hold: an item of a display (`a[:] = [300, 1]`, `np.array([300], np.uint8)`), an
/// argument (`np.put(a, 0, 300)`, `np.uint8(300)`), or the other operand of `a[i] += 300`. The
/// literals of displays are known here only: lists have none.
void check_stored_literals(Emitter &e, const ssa::Value &value,
                           const std::function<Operand(const ssa::Value &)> &operand_of);

} // namespace numjit
