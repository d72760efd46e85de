#include "array.h"

// std::complex multiplication also repairs infinities, which Python's does not; hence two doubles.
static int64_t escape_time(double cr, double ci, int64_t limit) {
  double zr = 0, zi = 0;
  for (int64_t step = 0; step < limit; ++step) {
    if (zr * zr + zi * zi > 4.0)
      return step;
    const double real = zr * zr - zi * zi + cr;
    zi = zr * zi + zi * zr + ci;
    zr = real;
  }
  return limit;
}

extern "C" void kernel(int64_t width, int64_t height, int64_t limit, Array<int64_t, 2> &out) {
  auto steps = empty<int64_t>(height, width);
  for (int64_t i = 0; i < height; ++i)
    for (int64_t j = 0; j < width; ++j)
      steps(i, j) = escape_time(-2.2 + 3.2 * j / width, -1.2 + 2.4 * i / height, limit);
  out = steps;
}
