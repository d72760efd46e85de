#include <algorithm>
#include <utility>

#include "array.h"

extern "C" int64_t kernel(Array<int64_t, 1> a, Array<int64_t, 1> b) {
  const int64_t n = a.shape[0], m = b.shape[0];
  auto previous = empty<int64_t>(m + 1), current = empty<int64_t>(m + 1);
  for (int64_t j = 0; j <= m; ++j)
    previous(j) = j;
  for (int64_t i = 0; i < n; ++i) {
    current(0) = i + 1;
    for (int64_t j = 0; j < m; ++j) {
      const int64_t cost = a(i) == b(j) ? 0 : 1;
      current(j + 1) = std::min(std::min(previous(j) + cost, previous(j + 1) + 1), current(j) + 1);
    }
    std::swap(previous, current);
  }
  const int64_t distance = previous(m);
  std::free(previous.data);
  std::free(current.data);
  return distance;
}
