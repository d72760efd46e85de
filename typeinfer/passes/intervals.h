// Ranges of integers: an interval for each value, and a narrower one in the blocks that a test or a
// loop's bound leads to.
#pragma once

#include "typeinfer/passes/range_loop.h"

#include <limits>
#include <unordered_map>

namespace numjit::tir {

/// Arithmetic on the ends of intervals.
__extension__ typedef __int128 Wide;

/// All values from low to high, both included.
struct Interval {
  int64_t low = INT64_MIN, high = INT64_MAX;
  bool is_empty() const { return low > high; }
  bool is_full() const { return low == INT64_MIN && high == INT64_MAX; }
};

/// Whether counting up by small steps, or by the number of threads in all of them, would take years
/// to overflow.
bool has_room(const Interval &start);

inline bool fits(Wide low, Wide high) { return low >= INT64_MIN && high <= INT64_MAX; }
/// The least and the greatest product of a value of `a` and one of `b`.
std::pair<Wide, Wide> product(Interval a, Interval b);
/// What a call of a function of one block returns, or the part of it that a field of the call is,
/// as a value of that function: of a library function that names something. Else nullptr.
const Value *returned_value(const Value &value);
/// A number of threads: of a launch, of a block. `depth`: of the values that it is computed from.
bool counts_threads(const Value &value, int depth = 8);
/// Parts of one value: each read of a shape is a value of its own.
bool is_same(const Value *a, const Value *b);

/// Intervals of a function's int64 values, computed when they are asked for.
class Intervals {
public:
  /// `callees`: how deep the values that functions return are looked at.
  explicit Intervals(const Function &function, int callees = 3);

  /// Values of `value` as seen in `block`.
  Interval at(const Value *value, const Block *block);
  /// Values anywhere.
  Interval of(const Value *value);
  /// Values that the type has; unlimited for int64 and uint64.
  Interval of_type(const Type *type, const Value *value = nullptr);
  /// Sets the interval of a value; it may be one that was made since.
  void know(Value &value, Interval interval);

  /// The counting loop that `block` is in the body of and `value` the index.
  std::optional<RangeLoop> loop_around(const Value *value, const Block *block);
  const Cfg &cfg() const { return cfg_; }

private:
  enum class State : uint8_t { New, Running, Done };

  void make_room(const Value &value); ///< which a pass may have made since
  void note_test(const Block &block);
  void note_condition(const Value &condition, const Block &block, bool holds);
  void note_order(Operator oper, const Value *left, const Value *right, const Block &block,
                  bool holds);
  int64_t least_above(const Value *value, const Block *block);
  bool is_above(const Value *value, const Value *other, const Block *block) const;
  int64_t least_in_loops(const Value *bound, const Block *block);
  Interval compute(const Value &value);
  Interval scalar_operation(const Value &value);
  Interval returned(const Value &value);
  std::optional<RangeLoop> indexed_loop(const Value &phi);
  std::optional<RangeLoop> counting_loop(const Value &phi);
  std::optional<RangeLoop> loop_by_steps(const Value &phi);
  bool is_distance(const Value &difference);
  Interval start_of_drift(const Value &phi, bool up);
  Interval phi(const Value &phi);
  Interval join_operands(const Value &phi, const Loop *loop);
  void refine(Interval &interval, const Value *phi, const Block *block);

  /// What is taken for granted while a sign is being proved.
  struct Proof {
    std::vector<const Value *> phis; ///< none is negative in an iteration if none was before
    int steps = 64;                  ///< left
  };
  bool stays_not_negative(const Value &phi);
  bool not_negative(const Value *value, const Block *block, Proof &proof);
  bool not_negative_by_operands(const Value &value, Proof &proof);
  bool not_negative_by_operator(const Value &value, Proof &proof);
  bool not_negative_by_order(const Value *value, const Block *block, Proof &proof);

  Cfg cfg_;
  Loops loops_;
  int callees_;
  /// In `block` and what it dominates the value lies in the interval.
  struct Tested {
    const Block *block;
    Interval interval;
  };
  std::unordered_map<const Value *, std::vector<Tested>> tested_;
  /// In `block` and what it dominates the value is greater than `other`, or equal if not strict.
  struct Above {
    const Block *block;
    const Value *other;
    bool strict;
  };
  std::unordered_map<const Value *, std::vector<Above>> above_;
  std::vector<Interval> known_; ///< by value id
  std::vector<State> state_;
  /// Computed while something that they may depend on was not known yet.
  std::vector<const Value *> hasty_;
  int running_ = 0;
};

} // namespace numjit::tir
