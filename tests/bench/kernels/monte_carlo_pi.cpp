#include <random>

#include "array.h"

// NumPy's legacy stream: the Mersenne twister, 53 bits of two words a number.
static double uniform(std::mt19937 &words) {
  const uint32_t high = words() >> 5, low = words() >> 6;
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

extern "C" double kernel(int64_t n, int64_t seed) {
  std::mt19937 words(static_cast<uint32_t>(seed));
  int64_t hits = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double x = uniform(words);
    const double y = uniform(words);
    if (x * x + y * y < 1.0)
      ++hits;
  }
  return 4.0 * hits / n;
}
