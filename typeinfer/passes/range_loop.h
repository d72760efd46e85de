// Loops that count: `for i in range(...)` and its relatives, as passes see them.
#pragma once

#include "typeinfer/ir/cfg.h"

#include <optional>

namespace numjit::tir {

class Intervals;

/// A loop whose header goes on while `index` (a phi of int64) has not reached `bound`; every
/// iteration adds `step`. Step and direction don't change in the loop, nor does the bound if
/// `fixed_bound`.
struct RangeLoop {
  Value *index = nullptr;
  Value *start = nullptr; ///< nullptr if it differs between the ways into the loop
  Value *step = nullptr;
  Value *bound = nullptr;
  Value *compare = nullptr; ///< the part of the condition that is about the index
  Value *up = nullptr;      ///< bool: counts upwards; nullptr: `compare` is lt (upwards) or gt
  bool fixed_bound = false;

  bool counts_up() const; ///< known to
  /// A limit on the number of iterations, if start, step and bound are constants or the bound is
  /// the minimum of a constant and something else.
  std::optional<uint64_t> most_trips() const;
};

std::optional<RangeLoop> find_range(const Loop &loop, const Loops &loops);

/// Whether the value is the same in every iteration. Pure values that are computed inside from such
/// values count; hoist() moves them out.
bool is_invariant(const Value *value, const Loop &loop, const Loops &loops);
/// Moves an invariant value to the end of `to`, which dominates the loop.
void hoist(Value *value, const Loop &loop, const Loops &loops, Block &to);

/// Whether an int64 is about as large as an array or list in memory at most: computed from shapes
/// and lengths.
bool bounded_by_memory(const Value *value, Loops &loops);

/// Whether every iteration moves on by the same step in an array and reads or writes an item there:
/// there are no more iterations than the array has items, whatever ends them.
bool walks_memory(const Loop &loop, const Loops &loops, const Cfg &cfg);
/// A limit on the iterations of loops that make a number smaller by bits or digits until it is 0:
/// `while x: x &= x - 1`, `while x > 0: x //= 10`, `while y: x, y = y, x % y`.
std::optional<uint64_t> shrinking_trips(const Loop &loop, const Loops &loops, const Cfg &cfg);

/// A limit on the iterations of loops that count, by any test of theirs, between values of which
/// is known where they lie: `while j >= 0 and a[j] > v: j -= 1` in a loop over 8 items.
std::optional<uint64_t> counted_trips(const Loop &loop, const Loops &loops, const Cfg &cfg,
                                      Intervals &intervals);

bool is_operator(const Value *value, Operator oper);
/// The n of `n < 0`; nullptr for other conditions.
const Value *tested_negative(const Value &condition);

} // namespace numjit::tir
