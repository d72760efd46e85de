#include <vector>

#include "array.h"

// One byte for each flag, as Python engines keep it: vector<bool> is another algorithm.
extern "C" int64_t kernel(int64_t n) {
  std::vector<uint8_t> prime(n, 1);
  std::vector<int64_t> found;
  for (int64_t i = 2; i < n; ++i)
    if (prime[i]) {
      found.push_back(i);
      for (int64_t multiple = i * i; multiple < n; multiple += i)
        prime[multiple] = 0;
    }
  return found.size();
}
