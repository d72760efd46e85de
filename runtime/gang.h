// A Gang: threads of simulated blocks that may wait for each other. Each is a fiber: a stack, and
// the place where it resumes. The Gang runs them in turns on one thread of the operating system,
// each until it waits for something or ends.
#pragma once

#include "runtime/race_check.h"
#include "runtime/runtime.h"
#include "runtime/simulated.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <sys/mman.h>

namespace numjit::simulator {

using Entry = int32_t (*)(const uint64_t *arguments, uint64_t *result);

// --- memory ---

constexpr size_t kPage = 4096;
/// Touched as far as it is used. What calls Python or the compiler runs on another stack.
constexpr size_t kStack = 256 * 1024;
/// Left below the limit of recursion for what a compiled function calls.
constexpr size_t kReserve = 32 * 1024;

/// Memory that costs nothing before it is touched, with a page below that must not be.
class Mapping {
public:
  Mapping() = default;
  explicit Mapping(size_t bytes) : bytes_(bytes + kPage) {
    void *memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      return;
    base_ = static_cast<char *>(memory);
    mprotect(base_, kPage, PROT_NONE);
  }
  Mapping(Mapping &&other) noexcept
      : base_(std::exchange(other.base_, nullptr)), bytes_(other.bytes_) {}
  Mapping &operator=(Mapping &&other) noexcept {
    std::swap(base_, other.base_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Mapping() {
    if (base_)
      munmap(base_, bytes_);
  }
  explicit operator bool() const { return base_; }
  char *begin() const { return base_ + kPage; }
  char *end() const { return base_ + bytes_; }
  size_t size() const { return base_ ? bytes_ - kPage : 0; }

private:
  char *base_ = nullptr;
  size_t bytes_ = 0;
};

// --- threads and blocks ---

enum class State : uint8_t { Ready, AtBarrier, AtGridBarrier, InWarp, Ended };

struct Block;
struct Launch;

struct Thread : nj_sim_thread {
  Launch *launch = nullptr;
  Block *home = nullptr;
  int64_t index = 0; ///< in its block
  State state = State::Ready;
  // What it waits for.
  int64_t kind = 0; ///< of the barrier or the operation of its warp
  int64_t value = 0, argument = 0;
  uint32_t mask = 0;
  int32_t site = -1;
  int64_t result = 0; ///< what it is given
  uint32_t warp_epoch = 0;
  // The fiber.
  Mapping stack;
  void *at = nullptr;
};

struct Block {
  std::vector<Thread> threads;
  int64_t number = 0; ///< in the grid
  int64_t alive = 0;
  uint32_t epoch = 0; ///< barriers passed
  char *shared = nullptr;
  bool changed = false; ///< a thread has ended since its warp was looked at
};

inline void set_error(const std::string &text) {
  nj_set_simple_error("RuntimeError", text.c_str());
}

inline std::string index_text(const int32_t *index) {
  return "(" + std::to_string(index[0]) + ", " + std::to_string(index[1]) + ", " +
         std::to_string(index[2]) + ")";
}

inline void split(int64_t number, const int32_t *sizes, int32_t *parts) {
  for (int i = 0; i < 3; ++i) {
    parts[i] = static_cast<int32_t>(number % sizes[i]);
    number /= sizes[i];
  }
}

inline char *aligned(char *memory) {
  constexpr uintptr_t kAlign = 64;
  return reinterpret_cast<char *>((reinterpret_cast<uintptr_t>(memory) + kAlign - 1) &
                                  ~(kAlign - 1));
}

inline int64_t count_of(const int32_t *sizes) { return int64_t(sizes[0]) * sizes[1] * sizes[2]; }

/// A launch while it runs.
struct Launch {
  nj_sim_launch &request;
  std::unique_ptr<RaceCheck> races;
  std::mutex mutex; ///< of the request's outcome

  void set_up(nj_sim_thread &thread, int64_t block, char *shared) const {
    split(block, request.grid, thread.block);
    std::copy_n(request.block, 3, thread.block_dim);
    std::copy_n(request.grid, 3, thread.grid_dim);
    thread.lane = 0;
    thread.place = 0;
    thread.shared = shared;
    thread.dynamic_bytes = static_cast<int32_t>(request.dynamic_shared);
    thread.scratch_bytes = request.scratch_bytes;
    thread.scratch_used = 0;
  }
  void note_failure(const nj_sim_thread &thread, int32_t status = 1) {
    std::lock_guard lock(mutex);
    request.failed = 1;
    request.status = status;
    std::copy_n(thread.thread, 3, request.failed_thread);
    std::copy_n(thread.block, 3, request.failed_block);
  }
  size_t shared_bytes() const {
    const int64_t fixed = (request.kernel->static_shared + 15) & ~int64_t(15);
    return static_cast<size_t>(fixed + request.dynamic_shared + 64);
  }
};

// --- fibers ---

/// Threads that may wait for each other.
class Gang {
public:
  Gang(Launch &launch, int64_t blocks);
  ~Gang();
  int32_t run(int64_t first_block);

  // --- called by fibers
  int32_t barrier(Thread &thread, int64_t kind, bool predicate, int32_t site, int64_t &result);
  int32_t warp(Thread &thread, int64_t operation, uint32_t mask, int64_t value, int64_t argument,
               int32_t site, int64_t &result);
  int32_t poll();
  void on_thread_stack(void (*function)(void *), void *argument);

  bool running() const { return current_; }

private:
  static void begin();
  void set_up(int64_t first_block);
  void resume(Thread &thread);
  void leave(Thread &thread); ///< back to the Gang, until it is resumed
  int32_t wait(Thread &thread, State state, int64_t &result);

  void release(Block &block);
  void release_grid();
  bool complete_warp(Block &block, size_t warp);
  bool complete_warps(Block &block);
  void give_results(Block &block, size_t first, uint32_t lanes);
  bool make_progress();
  void explain_standstill();

  Launch &launch_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<char> shared_; ///< their shared memory
  Thread *current_ = nullptr;
  void *at_ = nullptr;  ///< where run() goes on
  bool failed_ = false; ///< fibers are to end, with the error that is pending
  nj_error error_{};
  char *stack_limit_ = nullptr; ///< of the thread of the operating system
  // What a fiber asks for.
  void (*request_)(void *) = nullptr;
  void *request_argument_ = nullptr;
  bool poll_ = false;
  int32_t poll_status_ = 0;
};

/// The Gang whose fiber runs on this thread of the operating system; null if none does.
Gang *running_gang();

extern const char *const kWarpNames[];

} // namespace numjit::simulator
