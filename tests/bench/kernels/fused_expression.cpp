#include "array.h"

extern "C" void kernel(Array<double, 1> a, Array<double, 1> b, Array<double, 1> c,
                       Array<double, 1> &out) {
  auto y = empty<double>(a.shape[0]);
  for (int64_t i = 0; i < y.shape[0]; ++i)
    y(i) = std::sqrt(a(i) * a(i) + b(i) * b(i)) * c(i) - 2 * a(i) / (b(i) + 1);
  out = y;
}
