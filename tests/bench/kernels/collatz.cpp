#include "array.h"

extern "C" int64_t kernel(int64_t n) {
  int64_t longest = 0;
  for (int64_t start = 1; start < n; ++start) {
    int64_t x = start, length = 1;
    while (x != 1) {
      if (x % 2 == 0)
        x = x / 2;
      else
        x = 3 * x + 1;
      ++length;
    }
    if (length > longest)
      longest = length;
  }
  return longest;
}
