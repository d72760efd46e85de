#pragma once

#include <chrono>

namespace numjit {

/// Milliseconds since it was made.
class Stopwatch {
public:
  double ms() const {
    return std::chrono::duration<double, std::milli>(Clock::now() - start_).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

} // namespace numjit
