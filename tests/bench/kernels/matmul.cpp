#include "array.h"

extern "C" void kernel(Array<double, 2> a, Array<double, 2> b, Array<double, 2> &out) {
  auto c = zeros<double>(a.shape[0], b.shape[1]);
  for (int64_t i = 0; i < a.shape[0]; ++i)
    for (int64_t k = 0; k < a.shape[1]; ++k)
      for (int64_t j = 0; j < b.shape[1]; ++j)
        c(i, j) += a(i, k) * b(k, j);
  out = c;
}
