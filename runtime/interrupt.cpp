// Interrupt points of long loops. Compiled loops read nj_poll_flag, which is down nearly all the
// time.
//
// A watcher thread sets the flag every 20 ms. It is not notified when compiled code starts: while
// it sleeps, the flag stays set, so the first loop that polls comes here and wakes it; once no loop
// has polled for a while it sleeps again. A call without a loop costs nothing.
//
// A thread that holds the host's lock in a loop lends it out at such a point, if the code that it
// is in may (nj_lend_host_lock). When no other thread waits for the lock, that takes 0.1 us in 20
// ms.
//
// Only the main thread can run signal handlers. So while it is inside compiled code
// (nj_enter_long), other threads leave the flag up for it.
#include "runtime/interrupt.h"

#include "runtime/parallel.h"
#include "runtime/runtime.h"
#include "runtime/simulator.h"

#include <cerrno>
#include <csignal>
#include <ctime>
#include <pthread.h>
#include <unistd.h>

#include <sys/syscall.h>

namespace {

constexpr int64_t kTickNs = 20'000'000;
constexpr int kTicksUntilSleep = 50;

thread_local int8_t main_thread = -1; // unknown yet
bool is_main_thread() {
  if (__builtin_expect(main_thread < 0, 0))
    main_thread = syscall(SYS_gettid) == getpid();
  return main_thread;
}

thread_local int32_t lends_lock = 0;
thread_local int64_t lent_at = 0;
int32_t lenders = 0; // threads that lend: others leave the flag up for them

/// At most once in a tick: the flag stays up where several threads answer it.
void lend_lock() {
  if (!lends_lock || !nj_host.begin_parallel)
    return;
  timespec time;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  const int64_t now = int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
  if (now - lent_at < kTickNs / 2)
    return;
  lent_at = now;
  if (void *lock = nj_host.begin_parallel())
    nj_host.end_parallel(lock);
}

int32_t main_depth = 0; // compiled calls the main thread is in; written by it alone

struct Watcher {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
  bool started = false;
  bool asleep = true;   // guarded by mutex; `awake` mirrors it
  int32_t awake = 0;    // atomic
  int32_t answered = 0; // atomic: somebody polled since the last tick
} watcher;

void raise_flag(int32_t up) {
  __atomic_store_n(const_cast<int32_t *>(&nj_poll_flag), up, __ATOMIC_RELAXED);
}

void *watch(void *) {
  int idle = 0;
  for (;;) {
    timespec tick{0, kTickNs};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &tick, nullptr);
    idle = __atomic_exchange_n(&watcher.answered, 0, __ATOMIC_RELAXED) ? 0 : idle + 1;
    if (idle >= kTicksUntilSleep) {
      pthread_mutex_lock(&watcher.mutex);
      watcher.asleep = true;
      __atomic_store_n(&watcher.awake, 0, __ATOMIC_RELEASE);
      raise_flag(1);
      while (watcher.asleep)
        pthread_cond_wait(&watcher.wake, &watcher.mutex);
      pthread_mutex_unlock(&watcher.mutex);
      idle = 0;
      continue;
    }
    raise_flag(1);
  }
  return nullptr;
}

// Signals belong to Python's threads: a handler that ran in the watcher would only delay them.
bool start_thread() {
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 128 * 1024);
  pthread_t thread;
  bool started = pthread_create(&thread, &attributes, watch, nullptr) == 0;
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  return started;
}

// The child of a fork has no watcher thread, and the thread that forked is its main thread. The
// mutex is held across the fork, so that the child never inherits it locked by a thread that is
// gone.
void before_fork() { pthread_mutex_lock(&watcher.mutex); }
void after_fork_in_parent() { pthread_mutex_unlock(&watcher.mutex); }
void after_fork_in_child() {
  watcher = Watcher{};
  main_thread = 1;
  lenders = lends_lock;
  raise_flag(1);
}

void wake_watcher() {
  pthread_mutex_lock(&watcher.mutex);
  if (!watcher.started) {
    static bool fork_handled = false; // handlers survive the fork themselves
    if (!fork_handled) {
      pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
      fork_handled = true;
    }
    watcher.started = start_thread();
  } else {
    pthread_cond_signal(&watcher.wake);
  }
  watcher.asleep = false;
  __atomic_store_n(&watcher.awake, watcher.started ? 1 : 0, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&watcher.mutex);
}

} // namespace

extern "C" {

volatile int32_t nj_poll_flag = 1;

// Compiled loops keep their values in the registers that a call usually clobbers: nj_poll, which
// they hardly ever call, keeps those of general purpose (LLVM's convention preserve_most).
__asm__(R"(
  .pushsection .text
  .globl nj_poll
  .type nj_poll, @function
nj_poll:
  .cfi_startproc
  .irp register, rcx, rdx, rsi, rdi, r8, r9, r10
  push %\register
  .cfi_adjust_cfa_offset 8
  .endr
  call nj_poll_now@PLT
  .irp register, r10, r9, r8, rdi, rsi, rdx, rcx
  pop %\register
  .cfi_adjust_cfa_offset -8
  .endr
  ret
  .cfi_endproc
  .size nj_poll, . - nj_poll
  .popsection
)");

int32_t nj_poll_now(void) {
  if (nj_in_fiber())
    return nj_fiber_poll();
  if (!__atomic_load_n(&watcher.awake, __ATOMIC_ACQUIRE))
    wake_watcher();
  __atomic_store_n(&watcher.answered, 1, __ATOMIC_RELAXED);
  if (nj_chunk_cancelled())
    return 1;
  if (!is_main_thread()) {
    const bool wanted = __atomic_load_n(&main_depth, __ATOMIC_RELAXED) != 0 ||
                        __atomic_load_n(&lenders, __ATOMIC_RELAXED) > (lends_lock ? 1 : 0);
    if (!wanted)
      raise_flag(0);
    lend_lock();
    return 0;
  }
  raise_flag(0);
  lend_lock();
  if (nj_host.poll && nj_host.poll()) {
    nj_set_host_error();
    return 1;
  }
  return 0;
}

void nj_enter_long(void) {
  if (is_main_thread())
    __atomic_store_n(&main_depth, main_depth + 1, __ATOMIC_RELAXED);
}

void nj_leave_long(void) {
  if (is_main_thread())
    __atomic_store_n(&main_depth, main_depth - 1, __ATOMIC_RELAXED);
}

int32_t nj_lend_host_lock(int32_t lends) {
  const int32_t before = lends_lock;
  if (before != lends) {
    lends_lock = lends;
    __atomic_fetch_add(&lenders, lends ? 1 : -1, __ATOMIC_RELAXED);
  }
  return before;
}

} // extern "C"
