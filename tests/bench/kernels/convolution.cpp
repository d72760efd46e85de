#include "array.h"

extern "C" void kernel(Array<double, 4> x, Array<double, 4> w, Array<double, 4> &out) {
  const int64_t fh = w.shape[2], fw = w.shape[3];
  auto y = zeros<double>(x.shape[0], w.shape[0], x.shape[2] - fh + 1, x.shape[3] - fw + 1);
  for (int64_t i = 0; i < y.shape[0]; ++i)
    for (int64_t f = 0; f < y.shape[1]; ++f)
      for (int64_t j = 0; j < y.shape[2]; ++j)
        for (int64_t k = 0; k < y.shape[3]; ++k) {
          double total = 0;
          for (int64_t c = 0; c < x.shape[1]; ++c)
            for (int64_t p = 0; p < fh; ++p)
              for (int64_t q = 0; q < fw; ++q)
                total += x(i, c, j + p, k + q) * w(f, c, p, q);
          y(i, f, j, k) = total;
        }
  out = y;
}
