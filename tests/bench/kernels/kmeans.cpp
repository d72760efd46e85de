#include <algorithm>

#include "array.h"

static int64_t nearest(Array<double, 2> points, int64_t point, Array<double, 2> centres) {
  int64_t best = 0;
  double best_distance = INFINITY;
  for (int64_t c = 0; c < centres.shape[0]; ++c) {
    double distance = 0;
    for (int64_t k = 0; k < points.shape[1]; ++k) {
      const double difference = points(point, k) - centres(c, k);
      distance += difference * difference;
    }
    if (distance < best_distance) {
      best = c;
      best_distance = distance;
    }
  }
  return best;
}

extern "C" void kernel(Array<double, 2> points, Array<double, 2> start, int64_t rounds,
                       Array<double, 2> &out) {
  const int64_t clusters = start.shape[0], features = start.shape[1];
  auto centres = empty<double>(clusters, features);
  std::copy_n(start.data, start.size(), centres.data);
  for (int64_t round = 0; round < rounds; ++round) {
    auto sums = zeros<double>(clusters, features);
    auto counts = zeros<int64_t>(clusters);
    for (int64_t i = 0; i < points.shape[0]; ++i) {
      const int64_t c = nearest(points, i, centres);
      counts(c) += 1;
      for (int64_t k = 0; k < features; ++k)
        sums(c, k) += points(i, k);
    }
    for (int64_t c = 0; c < clusters; ++c)
      for (int64_t k = 0; k < features; ++k)
        centres(c, k) = sums(c, k) / std::max<int64_t>(counts(c), 1);
    std::free(sums.data);
    std::free(counts.data);
  }
  out = centres;
}
