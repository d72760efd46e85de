#include "array.h"

extern "C" double kernel(Array<double, 2> a) {
  double total = 0;
  for (int64_t i = 0; i < a.shape[0]; ++i)
    for (int64_t j = 0; j < a.shape[1]; ++j)
      total += a(i, j);
  return total;
}
