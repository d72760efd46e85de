// Fibers and their turns, and barriers.
//
// The thread that arrives last at a barrier resumes the others. A thread that waits for something
// that cannot happen any more is an error, which names the line where it waits. Threads that have
// ended are not waited for, as on GPUs since Volta.
#include "runtime/gang.h"

#include "runtime/stack.h"

#include <algorithm>
#include <utility>

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

namespace numjit::simulator {
namespace {

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

thread_local Gang *gang = nullptr;

} // namespace

Gang *running_gang() { return gang; }

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

/// Where a new fiber begins, on its own stack. It never returns, so that the sanitizer must not
/// mark memory around its variables: the next fiber on this stack would find the marks.
[[gnu::no_sanitize_address]] void Gang::begin() {
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
    nj_pending_error()->object = nullptr;
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

/// Resumes the threads whose wait is over; false if there are none.
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

const char *const kWarpNames[] = {
    "syncwarp", "shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync",  "all_sync",
    "any_sync", "eq_sync",   "ballot_sync",  "match_any_sync", "match_all_sync", "activemask"};

namespace {

const char *const kBarrierNames[] = {"syncthreads", "syncthreads_count", "syncthreads_and",
                                     "syncthreads_or", "grid.sync"};

std::string where(const Launch &launch, const Thread &thread) {
  const char *name =
      thread.state == State::InWarp ? kWarpNames[thread.kind] : kBarrierNames[thread.kind];
  return "thread " + index_text(thread.thread) + " waits at " + name + "() in line " +
         std::to_string(launch.request.kernel->places[thread.site].line);
}

} // namespace

/// No thread can go on: reports which thread waits where.
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

// --- what runs elsewhere ---

void Gang::on_thread_stack(void (*function)(void *), void *argument) {
  Thread &thread = *current_;
  request_ = function;
  request_argument_ = argument;
  leave(thread);
}

/// A fiber that runs long gives the others a turn: one of them may do what it waits for.
int32_t Gang::poll() {
  if (failed_)
    return 1;
  int32_t status = 0;
  on_thread_stack([](void *result) { *static_cast<int32_t *>(result) = nj_poll(); }, &status);
  if (status == 0)
    leave(*current_); // still Ready
  return status || failed_;
}

} // namespace numjit::simulator
