// On oneTBB, which provides the threads and wakes them. Programs that should not need its library
// have another version of this file, pyext/standalone/pool.cpp.
#include "runtime/pool.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <utility>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

namespace numjit::pool {

namespace {

/// TBB's threads. They do not survive a fork, so they end before one, and start anew on both sides
/// when they are needed.
class Pool {
public:
  bool enter(int64_t threads) {
    std::lock_guard lock(mutex_);
    if (lost_ || !(arena_ || start(threads)))
      return false;
    ++regions_;
    return true;
  }
  void leave() { --regions_; }

  void enqueue(std::function<void()> task) {
    ++tasks_;
    arena_->enqueue([this, task = std::move(task)] {
      task();
      --tasks_;
    });
  }

private:
  bool start(int64_t threads) {
    static const bool handled = pthread_atfork(before_fork, after_fork, after_fork_in_child) == 0;
    if (!handled)
      return false;
    handle_ = tbb::task_scheduler_handle{tbb::attach{}};
    control_ = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                     static_cast<size_t>(threads));
    arena_ = std::make_unique<tbb::task_arena>(static_cast<int>(threads) - 1, 0);
    arena_->initialize();
    return true;
  }

  bool stop() {
    for (int i = 0; tasks_.load() > 0 && i < 1000; ++i)
      sched_yield(); // helpers that come too late
    if (regions_.load() > 0 || tasks_.load() > 0)
      return false;
    arena_.reset();
    control_.reset();
    return tbb::finalize(handle_, std::nothrow);
  }

  static void before_fork();
  static void after_fork();
  static void after_fork_in_child();

  std::mutex mutex_;
  std::unique_ptr<tbb::task_arena> arena_;
  std::unique_ptr<tbb::global_control> control_;
  tbb::task_scheduler_handle handle_;
  std::atomic<int64_t> regions_{0}, tasks_{0};
  bool lost_ = false;   ///< a fork took the threads away while they were in use
  bool stopped_ = true; ///< ... or they had ended before
};

Pool &pool() {
  static auto *instance = new Pool; // never destroyed: threads end after main returns
  return *instance;
}

void Pool::before_fork() {
  pool().mutex_.lock();
  pool().stopped_ = !pool().arena_ || pool().stop();
}
void Pool::after_fork() { pool().mutex_.unlock(); }
void Pool::after_fork_in_child() {
  Pool &p = pool();
  if (!p.stopped_) {
    p.lost_ = true; // loops run in the thread that is left
    (void)p.arena_.release();
    (void)p.control_.release();
  }
  p.regions_ = p.tasks_ = 0;
  p.mutex_.unlock();
}

} // namespace

bool enter(int64_t threads) { return pool().enter(threads); }
void leave() { pool().leave(); }
void enqueue(std::function<void()> task) { pool().enqueue(std::move(task)); }

} // namespace numjit::pool
