#include "array.h"

extern "C" void kernel(Array<double, 2> points, Array<double, 2> &out) {
  const int64_t n = points.shape[0];
  auto distance = empty<double>(n, n);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double square = 0;
      for (int64_t k = 0; k < points.shape[1]; ++k) {
        const double difference = points(i, k) - points(j, k);
        square += difference * difference;
      }
      distance(i, j) = std::sqrt(square);
    }
  out = distance;
}
