#pragma once

#include "codegen/machine_code.h"
#include "frontend/stopwatch.h"

namespace numjit::codegen {

/// Adds the time since the last call to the report, under the name of the stage that ended.
class StageClock {
public:
  explicit StageClock(Timings *timings) : timings_(timings) {}
  void ended(const char *stage) {
    const double ms = watch_.lap();
    if (timings_)
      timings_->emplace_back(stage, ms);
  }

private:
  Timings *timings_;
  Stopwatch watch_;
};

} // namespace numjit::codegen
