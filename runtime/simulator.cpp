// Kernels on the CPU (simulator.h).
//
// A launch is a loop over blocks, on the threads of parallel.cpp. A kernel whose threads never wait
// for each other is machine code that loops over the threads of a block itself. In others every
// thread of a block is a fiber: a stack and a place to go on at. A Gang runs the fibers in turns,
// each until it waits for something or ends. The blocks of a cooperative launch are one Gang.
//
// Whoever arrives last at a barrier lets the others go on; who waits for something that nobody can
// bring about is told so, with the line where it waits. Threads that have ended are not waited for,
// as on GPUs since Volta.
#include "runtime/simulator.h"

#include "runtime/parallel.h"
#include "runtime/race_check.h"
#include "runtime/runtime.h"
#include "runtime/stack.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <sys/mman.h>

// Saves the registers that calls keep, and the stack; goes on with those of another stack.
extern "C" void nj_sim_switch(void **from, void *to);
asm(R"(
  .text
  .p2align 4
  .hidden nj_sim_switch
  .globl nj_sim_switch
  .type nj_sim_switch, @function
nj_sim_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size nj_sim_switch, .-nj_sim_switch
)");

namespace {

using numjit::RaceCheck;
using numjit::RaceClock;

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

/// Stacks that a thread of the operating system has used and keeps.
struct StackPool {
  std::vector<Mapping> free;
  static constexpr size_t kMost = NJ_SIM_MOST_THREADS;

  Mapping take() {
    if (free.empty())
      return Mapping(kStack);
    Mapping stack = std::move(free.back());
    free.pop_back();
    return stack;
  }
  void give(Mapping stack) {
    if (stack && free.size() < kMost)
      free.push_back(std::move(stack));
  }
};
thread_local StackPool stacks;

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

void set_error(const std::string &text) { nj_set_simple_error("RuntimeError", text.c_str()); }

std::string index_text(const int32_t *index) {
  return "(" + std::to_string(index[0]) + ", " + std::to_string(index[1]) + ", " +
         std::to_string(index[2]) + ")";
}

void split(int64_t number, const int32_t *sizes, int32_t *parts) {
  for (int i = 0; i < 3; ++i) {
    parts[i] = static_cast<int32_t>(number % sizes[i]);
    number /= sizes[i];
  }
}

char *aligned(char *memory) {
  constexpr uintptr_t kAlign = 64;
  return reinterpret_cast<char *>((reinterpret_cast<uintptr_t>(memory) + kAlign - 1) &
                                  ~(kAlign - 1));
}

int64_t count_of(const int32_t *sizes) { return int64_t(sizes[0]) * sizes[1] * sizes[2]; }

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

class Gang;
thread_local Gang *gang = nullptr; ///< whose fiber runs, if any does

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

Gang::Gang(Launch &launch, int64_t blocks) : launch_(launch) {
  const auto threads = static_cast<size_t>(count_of(launch.request.block));
  const size_t bytes = launch.shared_bytes();
  shared_.resize(bytes * static_cast<size_t>(blocks));
  for (int64_t i = 0; i < blocks; ++i) {
    auto block = std::make_unique<Block>();
    block->shared = aligned(shared_.data() + bytes * static_cast<size_t>(i));
    block->threads = std::vector<Thread>(threads);
    blocks_.push_back(std::move(block));
  }
}

void Gang::set_up(int64_t first_block) {
  const nj_sim_launch &request = launch_.request;
  for (auto &block : blocks_) {
    block->number = first_block++;
    block->alive = static_cast<int64_t>(block->threads.size());
    block->epoch = 0;
    block->changed = false;
    int64_t index = 0;
    for (Thread &thread : block->threads) {
      launch_.set_up(thread, block->number, block->shared);
      split(index, request.block, thread.thread);
      thread.lane = static_cast<int32_t>(index % NJ_SIM_WARP);
      thread.launch = &launch_;
      thread.home = block.get();
      thread.index = index++;
      thread.state = State::Ready;
      thread.at = nullptr;
      thread.warp_epoch = 0;
    }
  }
  if (launch_.races)
    launch_.races->forget(shared_.data(), static_cast<int64_t>(shared_.size()));
}

Gang::~Gang() {
  for (auto &block : blocks_)
    for (Thread &thread : block->threads)
      stacks.give(std::move(thread.stack));
}

/// Where a new fiber begins, on its own stack.
void Gang::begin() {
  Gang &self = *gang;
  Thread &thread = *self.current_;
  const nj_sim_launch &request = self.launch_.request;
  // Its own slots: machine code may read them at any time.
  auto *slots = static_cast<uint64_t *>(
      __builtin_alloca(sizeof(uint64_t) * static_cast<size_t>(request.argument_count)));
  std::copy_n(request.arguments, request.argument_count, slots);
  slots[0] = reinterpret_cast<uint64_t>(static_cast<nj_sim_thread *>(&thread));
  uint64_t nothing;
  auto *entry = reinterpret_cast<Entry>(reinterpret_cast<uintptr_t>(request.kernel->entry));
  const int32_t status = entry(slots, &nothing);
  if (status != 0 && !self.failed_) {
    self.failed_ = true;
    if (nj_pending_error()->kind != 3)
      self.launch_.note_failure(thread, status);
    self.error_ = *nj_pending_error();
    nj_pending_error()->slots = nullptr;
  }
  nj_drop_error();
  thread.state = State::Ended;
  --thread.home->alive;
  thread.home->changed = true;
  self.leave(thread);
  __builtin_unreachable();
}

void Gang::resume(Thread &thread) {
  if (!thread.at) {
    if (!thread.stack)
      thread.stack = stacks.take();
    if (!thread.stack) {
      failed_ = true;
      nj_set_simple_error("MemoryError", "no memory for the stacks of simulated threads");
      error_ = *nj_pending_error();
      nj_clear_error();
      return;
    }
    auto *top = reinterpret_cast<void **>(thread.stack.end());
    *--top = nullptr; // what begin() would return to
    *--top = reinterpret_cast<void *>(&Gang::begin);
    thread.at = top - 6;
    std::fill_n(top - 6, 6, nullptr);
  }
  current_ = &thread;
  nj_set_stack_limit(thread.stack.begin() + kReserve);
  for (;;) {
    nj_sim_switch(&at_, thread.at);
    if (!request_)
      break;
    nj_set_stack_limit(stack_limit_);
    Thread *const fiber = std::exchange(current_, nullptr);
    std::exchange(request_, nullptr)(request_argument_);
    current_ = fiber;
    nj_set_stack_limit(thread.stack.begin() + kReserve);
  }
  nj_set_stack_limit(stack_limit_);
  current_ = nullptr;
}

void Gang::leave(Thread &thread) { nj_sim_switch(&thread.at, at_); }

int32_t Gang::run(int64_t first_block) {
  set_up(first_block);
  Gang *const outer = std::exchange(gang, this);
  stack_limit_ = nj_stack_limit();
  for (bool alive = true; alive;) {
    alive = false;
    bool ran = false;
    for (auto &block : blocks_)
      for (Thread &thread : block->threads) {
        if (thread.state == State::Ended)
          continue;
        if (failed_ && !thread.at) { // it need not begin
          thread.state = State::Ended;
          --block->alive;
          continue;
        }
        if (thread.state == State::Ready || failed_) {
          resume(thread);
          ran = true;
        }
        alive |= thread.state != State::Ended;
      }
    if (alive && !failed_ && !make_progress() && !ran)
      explain_standstill();
  }
  gang = outer;
  if (!failed_)
    return 0;
  nj_clear_error();
  *nj_pending_error() = error_;
  return 1;
}

/// Lets go on whoever waits for what has come about; false if there is nobody.
bool Gang::make_progress() {
  bool progress = false;
  int64_t at_grid = 0, alive = 0;
  for (auto &block : blocks_) {
    int64_t waiting = 0;
    for (const Thread &thread : block->threads) {
      progress |= thread.state == State::Ready;
      waiting += thread.state == State::AtBarrier;
      at_grid += thread.state == State::AtGridBarrier;
    }
    alive += block->alive;
    if (waiting > 0 && waiting == block->alive) {
      release(*block);
      progress = true;
    } else if (std::exchange(block->changed, false)) {
      progress |= complete_warps(*block);
    }
  }
  if (at_grid > 0 && at_grid == alive) {
    release_grid();
    progress = true;
  }
  return progress && !failed_;
}

const char *const kBarrierNames[] = {"syncthreads", "syncthreads_count", "syncthreads_and",
                                     "syncthreads_or", "grid.sync"};
const char *const kWarpNames[] = {
    "syncwarp", "shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync",  "all_sync",
    "any_sync", "eq_sync",   "ballot_sync",  "match_any_sync", "match_all_sync", "activemask"};

std::string where(const Launch &launch, const Thread &thread) {
  const char *name =
      thread.state == State::InWarp ? kWarpNames[thread.kind] : kBarrierNames[thread.kind];
  return "thread " + index_text(thread.thread) + " waits at " + name + "() in line " +
         std::to_string(launch.request.kernel->places[thread.site].line);
}

/// Nobody can go on: says who waits where.
void Gang::explain_standstill() {
  const Thread *first = nullptr, *other = nullptr;
  for (auto &block : blocks_)
    for (const Thread &thread : block->threads) {
      if (thread.state == State::Ended || thread.state == State::Ready)
        continue;
      if (!first)
        first = &thread;
      else if (!other && (thread.state != first->state || thread.site != first->site ||
                          thread.kind != first->kind || thread.mask != first->mask))
        other = &thread;
    }
  std::string text = "not all threads reach a barrier, a GPU would hang: in block " +
                     index_text(first->block) + " " + where(launch_, *first);
  if (first->state == State::InWarp)
    text += " for lanes of its mask that do not come";
  if (other)
    text += ", " + where(launch_, *other);
  failed_ = true;
  set_error(text);
  launch_.note_failure(*first);
  error_ = *nj_pending_error();
  nj_clear_error();
}

int32_t Gang::wait(Thread &thread, State state, int64_t &result) {
  thread.state = state;
  leave(thread);
  result = thread.result;
  return failed_ ? 1 : 0;
}

// --- barriers ---

int32_t Gang::barrier(Thread &thread, int64_t kind, bool predicate, int32_t site, int64_t &result) {
  thread.kind = kind;
  thread.value = predicate;
  thread.site = site;
  return wait(thread, kind == NJ_SIM_SYNC_GRID ? State::AtGridBarrier : State::AtBarrier, result);
}

void Gang::release(Block &block) {
  int64_t count = 0;
  const Thread *first = nullptr;
  const nj_sim_place *places = launch_.request.kernel->places;
  for (Thread &thread : block.threads) {
    if (thread.state == State::Ended)
      continue;
    count += thread.value;
    if (!first)
      first = &thread;
    else if (thread.kind != first->kind || places[thread.site].line != places[first->site].line) {
      failed_ = true;
      set_error("threads of one block wait at different barriers, which is undefined on a GPU: in "
                "block " +
                index_text(thread.block) + " " + where(launch_, *first) + ", " +
                where(launch_, thread));
      launch_.note_failure(thread);
      error_ = *nj_pending_error();
      nj_clear_error();
      return;
    }
  }
  for (Thread &thread : block.threads) {
    if (thread.state == State::Ended)
      continue;
    thread.state = State::Ready;
    thread.result = thread.kind == NJ_SIM_SYNC_COUNT ? count
                    : thread.kind == NJ_SIM_SYNC_AND ? count == block.alive
                                                     : count > 0;
  }
  ++block.epoch;
}

void Gang::release_grid() {
  for (auto &block : blocks_) {
    for (Thread &thread : block->threads)
      if (thread.state != State::Ended)
        thread.state = State::Ready;
    ++block->epoch;
  }
  if (launch_.races)
    launch_.races->forget();
}

// --- warps ---

int32_t Gang::warp(Thread &thread, int64_t operation, uint32_t mask, int64_t value,
                   int64_t argument, int32_t site, int64_t &result) {
  if (operation != NJ_SIM_WARP_ACTIVE && !(mask >> thread.lane & 1)) {
    set_error("the mask of " + std::string(kWarpNames[operation]) + "() in line " +
              std::to_string(launch_.request.kernel->places[site].line) +
              " does not contain the lane that calls it, lane " + std::to_string(thread.lane));
    return 1;
  }
  thread.kind = operation;
  thread.mask = mask;
  thread.value = value;
  thread.argument = argument;
  thread.site = site;
  thread.state = State::InWarp;
  // Lanes run in their order, so that often the last one of the mask is this one.
  if (operation != NJ_SIM_WARP_ACTIVE)
    complete_warp(*thread.home, static_cast<size_t>(thread.index / NJ_SIM_WARP));
  if (thread.state == State::InWarp) {
    // Others of its warp may still come.
    thread.home->changed = true;
    leave(thread);
    if (failed_)
      return 1;
  }
  result = thread.result;
  return 0;
}

/// Finds lanes of one mask that have all come (but for ended ones) and lets them go on.
bool Gang::complete_warp(Block &block, size_t warp) {
  const size_t first = warp * NJ_SIM_WARP,
               count = std::min<size_t>(NJ_SIM_WARP, block.threads.size() - first);
  uint32_t alive = 0, left = 0;
  for (size_t i = 0; i < count; ++i) {
    const Thread &thread = block.threads[first + i];
    if (thread.state != State::Ended)
      alive |= uint32_t(1) << i;
    if (thread.state == State::InWarp && thread.kind != NJ_SIM_WARP_ACTIVE)
      left |= uint32_t(1) << i;
  }
  bool completed = false;
  while (left) {
    const Thread &one = block.threads[first + static_cast<size_t>(std::countr_zero(left))];
    uint32_t here = 0;
    for (uint32_t bits = left; bits; bits &= bits - 1) {
      const auto i = static_cast<size_t>(std::countr_zero(bits));
      const Thread &thread = block.threads[first + i];
      if (thread.kind == one.kind && thread.mask == one.mask)
        here |= uint32_t(1) << i;
    }
    left &= ~here;
    if ((one.mask & alive & ~here) == 0) {
      give_results(block, first, here);
      completed = true;
    }
  }
  return completed;
}

/// As complete_warp for all warps, when nobody in the block can go on: then it is also known which
/// lanes are active together.
bool Gang::complete_warps(Block &block) {
  bool completed = false;
  for (size_t first = 0; first < block.threads.size(); first += NJ_SIM_WARP) {
    if (complete_warp(block, first / NJ_SIM_WARP)) {
      completed = true;
      continue;
    }
    const size_t end = std::min(first + NJ_SIM_WARP, block.threads.size());
    const auto lanes = std::span(block.threads).subspan(first, end - first);
    if (std::ranges::any_of(lanes, [](const Thread &lane) { return lane.state == State::Ready; })) {
      block.changed = true; // they may come, too
      continue;
    }
    for (size_t i = first; i < end; ++i) {
      Thread &one = block.threads[i];
      if (one.state != State::InWarp || one.kind != NJ_SIM_WARP_ACTIVE)
        continue;
      uint32_t active = 0;
      for (size_t k = first; k < end; ++k)
        if (const Thread &lane = block.threads[k];
            lane.state == State::InWarp && lane.kind == NJ_SIM_WARP_ACTIVE && lane.site == one.site)
          active |= uint32_t(1) << (k - first);
      give_results(block, first, active);
      completed = true;
    }
  }
  return completed;
}

void Gang::give_results(Block &block, size_t first, uint32_t lanes) {
  Thread *const warp = block.threads.data() + first;
  auto each = [&](auto body) {
    for (uint32_t bits = lanes; bits; bits &= bits - 1)
      body(warp[std::countr_zero(bits)]);
  };
  const int64_t kind = warp[std::countr_zero(lanes)].kind;
  uint32_t truths = 0, epoch = 0;
  bool equal = true;
  each([&](Thread &lane) {
    truths |= static_cast<uint32_t>(lane.value != 0) << lane.lane;
    equal &= lane.value == warp[std::countr_zero(lanes)].value;
    epoch = std::max(epoch, lane.warp_epoch + 1);
  });
  /// The value of a lane; that of the asking one where there is none.
  auto value_of = [&](const Thread &asks, int64_t lane) {
    return lane >= 0 && lane < NJ_SIM_WARP && (lanes >> lane & 1) ? warp[lane].value : asks.value;
  };
  each([&](Thread &lane) {
    switch (kind) {
    case NJ_SIM_WARP_SYNC: lane.warp_epoch = epoch; break;
    case NJ_SIM_WARP_SHUFFLE:
      lane.result = value_of(lane, lane.argument & (NJ_SIM_WARP - 1));
      break;
    case NJ_SIM_WARP_SHUFFLE_UP: lane.result = value_of(lane, lane.lane - lane.argument); break;
    case NJ_SIM_WARP_SHUFFLE_DOWN: lane.result = value_of(lane, lane.lane + lane.argument); break;
    case NJ_SIM_WARP_SHUFFLE_XOR: lane.result = value_of(lane, lane.lane ^ lane.argument); break;
    case NJ_SIM_WARP_ALL: lane.result = truths == lanes; break;
    case NJ_SIM_WARP_ANY: lane.result = truths != 0; break;
    case NJ_SIM_WARP_EQUAL: lane.result = truths == 0 || truths == lanes; break;
    case NJ_SIM_WARP_BALLOT: lane.result = truths; break;
    case NJ_SIM_WARP_MATCH_ANY: {
      uint32_t same = 0;
      each([&](const Thread &other) {
        same |= static_cast<uint32_t>(other.value == lane.value) << other.lane;
      });
      lane.result = same;
      break;
    }
    case NJ_SIM_WARP_MATCH_ALL: lane.result = equal ? lane.mask : 0; break;
    case NJ_SIM_WARP_ACTIVE: lane.result = lanes; break;
    }
  });
  each([](Thread &lane) { lane.state = State::Ready; });
}

// --- what runs elsewhere ---

void Gang::on_thread_stack(void (*function)(void *), void *argument) {
  Thread &thread = *current_;
  request_ = function;
  request_argument_ = argument;
  leave(thread);
}

/// A fiber that runs long gives the others a turn: one of them may bring about what it waits for.
int32_t Gang::poll() {
  if (failed_)
    return 1;
  int32_t status = 0;
  on_thread_stack([](void *result) { *static_cast<int32_t *>(result) = nj_poll(); }, &status);
  if (status == 0)
    leave(*current_); // still Ready
  return status || failed_;
}

// --- launches ---

/// Runs blocks one by one, as loops over their threads.
int32_t run_loops(Launch &launch, int64_t first, int64_t end) {
  const nj_sim_launch &request = launch.request;
  std::vector<uint64_t> slots(request.arguments, request.arguments + request.argument_count);
  std::vector<char> shared(launch.shared_bytes());
  Block block;
  block.shared = aligned(shared.data());
  Thread thread;
  thread.launch = &launch;
  thread.home = &block;
  slots[0] = reinterpret_cast<uint64_t>(static_cast<nj_sim_thread *>(&thread));
  auto *entry = reinterpret_cast<Entry>(reinterpret_cast<uintptr_t>(request.kernel->entry));
  for (int64_t number = first; number < end; ++number) {
    block.number = number;
    launch.set_up(thread, number, block.shared);
    if (launch.races)
      launch.races->forget(shared.data(), static_cast<int64_t>(shared.size()));
    uint64_t nothing;
    if (const int32_t status = entry(slots.data(), &nothing); status != 0) {
      if (nj_pending_error()->kind == 1 || nj_pending_error()->kind == 2)
        launch.note_failure(thread, status);
      return 1;
    }
    if (nj_poll_flag && nj_poll())
      return 1;
  }
  return 0;
}

int32_t run_fibers(Launch &launch, int64_t first, int64_t end) {
  if (launch.request.cooperative)
    return Gang(launch, end - first).run(first);
  Gang one(launch, 1);
  for (int64_t number = first; number < end; ++number) {
    if (one.run(number) != 0)
      return 1;
    if (nj_poll_flag && nj_poll())
      return 1;
  }
  return 0;
}

/// An Entry as nj_parallel calls it: slots are the first block, the one behind the last, the
/// launch.
int32_t run_blocks(const uint64_t *slots, uint64_t *) {
  auto &launch = *reinterpret_cast<Launch *>(slots[2]);
  const auto first = static_cast<int64_t>(slots[0]), end = static_cast<int64_t>(slots[1]);
  return launch.request.kernel->whole_block ? run_loops(launch, first, end)
                                            : run_fibers(launch, first, end);
}

/// What an array takes on a GPU (codegen/passes/device_memory.cpp).
int64_t scratch_needed(int64_t bytes) {
  return NJ_SCRATCH_HEADER + ((bytes + NJ_SCRATCH_ALIGN - 1) & ~int64_t(NJ_SCRATCH_ALIGN - 1));
}

thread_local std::vector<nj_sim_race> last_races;

Thread &thread_of(void *pointer) {
  return *static_cast<Thread *>(static_cast<nj_sim_thread *>(pointer));
}

} // namespace

extern "C" {

int32_t nj_sim_run(nj_sim_launch *request) {
  Launch launch{*request, nullptr, {}};
  request->failed = 0;
  last_races.clear();
  const int64_t blocks = count_of(request->grid);
  if (request->race_check)
    launch.races = std::make_unique<RaceCheck>(*request);
  uint64_t slots[3] = {0, static_cast<uint64_t>(blocks), reinterpret_cast<uint64_t>(&launch)};
  int32_t status = 0;
  if (request->race_check || request->cooperative) {
    status = run_blocks(slots, nullptr);
  } else {
    constexpr int64_t kMostChunks = 256;
    void *result = nullptr;
    status = nj_parallel(reinterpret_cast<const void *>(&run_blocks), slots, 3, blocks, 0, nullptr,
                         0, kMostChunks, &result);
  }
  if (launch.races)
    last_races = launch.races->races();
  return status;
}

int32_t nj_sim_barrier(void *pointer, int64_t kind, int64_t predicate, int64_t place,
                       int64_t *result) {
  Thread &thread = thread_of(pointer);
  return gang->barrier(thread, kind, predicate != 0, static_cast<int32_t>(place), *result);
}

int32_t nj_sim_warp(void *pointer, int64_t operation, int64_t mask, int64_t value, int64_t argument,
                    int64_t place, int64_t *result) {
  return gang->warp(thread_of(pointer), operation, static_cast<uint32_t>(mask), value, argument,
                    static_cast<int32_t>(place), *result);
}

void nj_sim_access(void *pointer, void *address, int64_t bytes, int64_t how, int64_t place) {
  const Thread &thread = thread_of(pointer);
  const Launch &launch = *thread.launch;
  if (!launch.races || bytes <= 0)
    return;
  auto inside = [&](const char *begin, size_t size) {
    return address >= begin && address < begin + size;
  };
  // Local arrays are on its stack. What is known of memory that becomes an array is forgotten.
  if (inside(static_cast<const char *>(__builtin_frame_address(0)), kStack))
    return;
  const int64_t threads = count_of(launch.request.block);
  int64_t index = 0;
  for (int i = 2; i >= 0; --i)
    index = index * launch.request.block[i] + thread.thread[i];
  const RaceClock clock{thread.home->number * threads + index, thread.home->number,
                        static_cast<uint32_t>(index / NJ_SIM_WARP), thread.home->epoch,
                        thread.warp_epoch};
  const bool shared = inside(thread.shared, launch.shared_bytes());
  launch.races->access(clock, address, bytes, static_cast<int>(how), static_cast<int32_t>(place),
                       shared);
}

int32_t nj_sim_alloc(void *pointer, int64_t bytes, int64_t zeroed, void **result) {
  Thread &thread = thread_of(pointer);
  const int64_t needed = scratch_needed(bytes);
  *result = nullptr;
  if (thread.scratch_bytes > 0 && thread.scratch_used + needed > thread.scratch_bytes) {
    char text[200];
    std::snprintf(
        text, sizeof text,
        "the arrays of a thread need more than its %lld bytes of scratch memory, at least "
        "%lld: pass @cuda.jit(scratch=...)",
        static_cast<long long>(thread.scratch_bytes),
        static_cast<long long>(thread.scratch_used + needed));
    nj_set_simple_error("MemoryError", text);
    return 1;
  }
  nj_block *block = nullptr;
  if (nj_alloc(bytes, zeroed != 0, &block) != 0)
    return 1;
  thread.scratch_used += needed;
  block->extra = &thread;
  block->destroy = [](nj_block *gone) {
    static_cast<Thread *>(gone->extra)->scratch_used -= scratch_needed(gone->bytes);
  };
  if (thread.launch->races)
    thread.launch->races->forget(reinterpret_cast<char *>(block) + NJ_PAYLOAD_OFFSET, bytes);
  *result = block;
  return 0;
}

const nj_sim_race *nj_sim_races(int64_t *count) {
  *count = static_cast<int64_t>(last_races.size());
  return last_races.data();
}

void nj_on_thread_stack(void (*function)(void *), void *argument) {
  if (gang && gang->running())
    gang->on_thread_stack(function, argument);
  else
    function(argument);
}

int32_t nj_in_fiber(void) { return gang && gang->running(); }

int32_t nj_fiber_poll(void) { return gang->poll(); }

} // extern "C"
