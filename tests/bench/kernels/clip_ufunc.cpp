#include "array.h"

extern "C" void kernel(Array<float, 1> x, float low, float high, Array<float, 1> &out) {
  auto y = empty<float>(x.shape[0]);
  for (int64_t i = 0; i < y.shape[0]; ++i)
    y(i) = x(i) < low ? low : x(i) > high ? high : x(i);
  out = y;
}
