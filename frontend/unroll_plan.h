// Which loops are unrolled while SSA is built.
#pragma once

#include <cstdint>
#include <limits>
#include <map>

namespace numjit {

struct Const;

/// For loops to unroll while SSA is built: bytecode offset of FOR_ITER -> number of items n, or
/// -1 - n where there may be fewer, as in zip() of a list and a tuple.
/// Inference asks for it when it meets an iterator whose items have different types (tuples,
/// literal_unroll). An unrolled nested loop is unrolled in every copy of the outer one. Loops over
/// tuples with `else`, `break` and `continue` keep their meaning. Loops of comprehensions that a
/// version compiles to functions have offsets as if their code followed the function's. Offsets are
/// those of Block::for_loop. kRunsInOrder stands for a loop over prange that is not parallel.
using UnrollPlan = std::map<int32_t, int32_t>;

namespace ssa {
/// A key of an UnrollPlan: loops over prange are cut out though the function itself is not compiled
/// with parallel=True, as its caller is.
constexpr int kLoopsOfCaller = -1;
/// A key of an UnrollPlan: lists become tuples, and dicts literal ones, where only the function
/// sees them, because their items have several types, or because they stand behind a star.
constexpr int kKnownItems = std::numeric_limits<int32_t>::min();
/// A value of an UnrollPlan: a loop over prange runs in one thread. The user knows.
constexpr int32_t kRunsInOrder = std::numeric_limits<int32_t>::min();
/// kObjects - i is a key for parameter i, an object of `collections` whose items have no type yet:
/// what is done with it is expressed by the list or dict in it. The value is a sum of these.
constexpr int kObjects = -2;
enum ObjectPlan : int32_t {
  kDefaultDict = 0,
  kCounter = 1,
  kOrderedDict = 2,
  kDeque = 3,
  kLimited = 4,   ///< a deque with `maxlen`
  kMakesList = 8, ///< what the defaultdict makes
  kMakesDict = 16,
  kMakesSet = 32,
  kMakesDeque = 64,
  kMakesCounter = 128,
  kMakesOther = 256,
  kFactory = 512, ///< times the number of its code, where it is an inner function
};
/// Numbers of inner functions, for this process.
int32_t number_of_factory(const Const *code);
const Const *factory_numbered(int32_t number);
} // namespace ssa

} // namespace numjit
