// In place of runtime/pool.cpp: threads of our own, so that a module is one file.
#include "runtime/pool.h"

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <deque>
#include <mutex>
#include <pthread.h>
#include <utility>

namespace numjit::pool {

namespace {

/// Never destroyed: its threads wait for tasks until the process ends. The child of a fork has none
/// of them, and makes a new one.
struct Pool {
  std::mutex mutex;
  std::condition_variable more;
  std::deque<std::function<void()>> tasks;
  int64_t threads = 0;
};

std::atomic<Pool *> current{nullptr};
std::mutex starting;

void *work(void *argument) {
  auto &pool = *static_cast<Pool *>(argument);
  for (;;) {
    std::function<void()> task;
    {
      std::unique_lock lock(pool.mutex);
      pool.more.wait(lock, [&] { return !pool.tasks.empty(); });
      task = std::move(pool.tasks.front());
      pool.tasks.pop_front();
    }
    task();
  }
  return nullptr;
}

void before_fork() { starting.lock(); }
void after_fork() { starting.unlock(); }
void after_fork_in_child() {
  current = nullptr;
  starting.unlock();
}

/// Signals belong to Python's threads.
Pool *start(int64_t threads) {
  static const bool handled = pthread_atfork(before_fork, after_fork, after_fork_in_child) == 0;
  if (!handled)
    return nullptr;
  auto *pool = new Pool;
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  while (pool->threads < threads - 1) {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, work, pool) != 0)
      break;
    pthread_detach(thread);
    ++pool->threads;
  }
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  return pool;
}

} // namespace

bool enter(int64_t threads) {
  if (!current.load()) {
    std::lock_guard lock(starting);
    if (!current.load())
      current = start(threads);
  }
  const Pool *pool = current.load();
  return pool && pool->threads > 0;
}

void leave() {}

void enqueue(std::function<void()> task) {
  Pool &pool = *current.load();
  {
    std::lock_guard lock(pool.mutex);
    pool.tasks.push_back(std::move(task));
  }
  pool.more.notify_one();
}

} // namespace numjit::pool
