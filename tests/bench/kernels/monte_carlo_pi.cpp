#include "array.h"

static double uniform(uint64_t &state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (state >> 11) * 0x1p-53;
}

extern "C" double kernel(int64_t n, int64_t seed) {
  uint64_t state = seed;
  int64_t hits = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double x = uniform(state);
    const double y = uniform(state);
    if (x * x + y * y < 1.0)
      ++hits;
  }
  return 4.0 * hits / n;
}
