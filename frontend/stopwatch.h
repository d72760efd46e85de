// How long stages take.
#pragma once

#include <chrono>
#include <utility>

namespace numjit {

/// Milliseconds since it was made, or since the last lap.
class Stopwatch {
public:
  double ms() const {
    return std::chrono::duration<double, std::milli>(Clock::now() - start_).count();
  }
  /// The same, and begins anew.
  double lap() {
    const Clock::time_point now = Clock::now();
    return std::chrono::duration<double, std::milli>(now - std::exchange(start_, now)).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

} // namespace numjit
