#include "array.h"

static int64_t fib(int64_t n) {
  if (n < 2)
    return n;
  return fib(n - 1) + fib(n - 2);
}

extern "C" int64_t kernel(int64_t n) { return fib(n); }
