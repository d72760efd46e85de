// How far compiled recursion may go down the stack of this thread.
#include "runtime/stack.h"

#include "runtime/runtime.h"

#include <algorithm>
#include <pthread.h>

namespace {

// Left for what a compiled function calls: libm, malloc, the exception machinery of Python.
constexpr size_t kReserve = 256 * 1024;
// Stacks without a limit exist; recursion that deep is a runaway all the same.
constexpr size_t kDeepest = size_t{1} << 30;

thread_local char *limit = nullptr;

char *find_limit() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return static_cast<char *>(__builtin_frame_address(0)) - 512 * 1024;
  void *lowest = nullptr;
  size_t size = 0, guard = 0;
  pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_getguardsize(&attributes, &guard);
  pthread_attr_destroy(&attributes);
  char *top = static_cast<char *>(lowest) + size;
  size = std::min(size, kDeepest);
  size_t reserve = std::min(kReserve + guard, size / 2);
  return top - size + reserve;
}

} // namespace

extern "C" void nj_set_stack_limit(char *lowest) { limit = lowest; }

extern "C" char *nj_stack_limit(void) {
  if (__builtin_expect(!limit, 0))
    limit = find_limit();
  return limit;
}
