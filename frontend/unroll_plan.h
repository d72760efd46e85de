// Which loops are unrolled while SSA is built.
#pragma once

#include <cstdint>
#include <map>

namespace numjit {

/// For loops to unroll while SSA is built: bytecode offset of FOR_ITER -> number of items.
/// Inference asks for it when it meets an iterator whose items have different types (tuples,
/// literal_unroll). An unrolled nested loop is unrolled in every copy of the outer one. Loops over
/// tuples with `else`, `break` and `continue` keep their meaning. Loops of comprehensions that a
/// version compiles to functions have offsets as if their code followed the function's. Offsets are
/// those of Block::for_loop.
using UnrollPlan = std::map<int32_t, int32_t>;

namespace ssa {
/// A key of an UnrollPlan: loops over prange are cut out though the function itself is not compiled
/// with parallel=True, as its caller is.
constexpr int kLoopsOfCaller = -1;
} // namespace ssa

} // namespace numjit
