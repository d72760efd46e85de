// Lower bounds of floats, for tests of zero divisors.
#pragma once

#include "typeinfer/passes/intervals.h"

namespace numjit::tir {

class FloatBounds {
public:
  FloatBounds(const Function &function, Intervals &intervals)
      : function_(function), intervals_(intervals) {}

  static constexpr double unbounded = -std::numeric_limits<double>::infinity();
  /// A number that `value` is not less than (it may be NaN). Rounding is monotonic, so bounds
  /// computed like the values are hold for rounded results. Zeros may be negative ones.
  double lower_bound(const Value *value);

private:
  double compute_lower_bound(const Value &value);

  const Function &function_;
  Intervals &intervals_;
  std::vector<double> bounds_; ///< by value id; NaN: not looked at yet
};

} // namespace numjit::tir
