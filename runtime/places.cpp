// Locks of the places where threads replace counted values: a few spin locks, chosen by the
// address. They are held for a few loads and stores.
#include "runtime/runtime.h"

#include <atomic>
#include <pthread.h>
#include <sched.h>

namespace {

constexpr unsigned kBits = 7;
constexpr int kSpins = 64; ///< before the processor is given away: the holder may wait for it

struct alignas(64) Lock {
  std::atomic<bool> held{false};
};
Lock locks[1 << kBits];

Lock &lock_of(const void *place) {
  const auto bits = reinterpret_cast<uintptr_t>(place) >> 3;
  return locks[bits * NJ_HASH_FACTOR >> (64 - kBits)];
}

/// In a child process the threads that held them are gone.
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] {
  for (Lock &lock : locks)
    lock.held.store(false, std::memory_order_relaxed);
});

} // namespace

extern "C" {

int32_t nj_threads_flag = 0;

void nj_expect_threads(void) {
  if (!__atomic_load_n(&nj_threads_flag, __ATOMIC_RELAXED))
    __atomic_store_n(&nj_threads_flag, 1, __ATOMIC_SEQ_CST);
}

void nj_lock_place(const void *place) {
  std::atomic<bool> &held = lock_of(place).held;
  for (int spins = 0; held.exchange(true, std::memory_order_acquire);)
    while (held.load(std::memory_order_relaxed)) {
      if (++spins > kSpins)
        sched_yield();
      __builtin_ia32_pause();
    }
}

void nj_unlock_place(const void *place) {
  lock_of(place).held.store(false, std::memory_order_release);
}

} // extern "C"
