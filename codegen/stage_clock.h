#pragma once

#include "codegen/machine_code.h"

#include <chrono>

namespace numjit::codegen {

/// Adds the time since the last call to the report, under the name of the stage that ended.
class StageClock {
public:
  explicit StageClock(Timings *timings) : timings_(timings) {}
  void ended(const char *stage) {
    auto now = std::chrono::steady_clock::now();
    if (timings_)
      timings_->emplace_back(stage, std::chrono::duration<double, std::milli>(now - last_).count());
    last_ = now;
  }

private:
  Timings *timings_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

} // namespace numjit::codegen
