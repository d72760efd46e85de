#include "array.h"

extern "C" void kernel(Array<double, 4> x, Array<double, 4> &out) {
  auto y = empty<double>(x.shape[0], x.shape[1], x.shape[2] / 2, x.shape[3] / 2);
  for (int64_t i = 0; i < y.shape[0]; ++i)
    for (int64_t c = 0; c < y.shape[1]; ++c)
      for (int64_t j = 0; j < y.shape[2]; ++j)
        for (int64_t k = 0; k < y.shape[3]; ++k) {
          double best = x(i, c, 2 * j, 2 * k);
          for (int64_t p = 0; p < 2; ++p)
            for (int64_t q = 0; q < 2; ++q) {
              const double value = x(i, c, 2 * j + p, 2 * k + q);
              if (value > best)
                best = value;
            }
          y(i, c, j, k) = best;
        }
  out = y;
}
