// The clocks of the system, for `time` in compiled code.
#include "runtime/clock.h"

#include <ctime>

int64_t nj_clock_ns(int64_t clock) {
  timespec now{};
  clock_gettime(static_cast<clockid_t>(clock), &now);
  return static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}
