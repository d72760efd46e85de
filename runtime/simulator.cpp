// Kernels on the CPU (simulator.h): launches, and what machine code calls.
//
// A launch is a loop over blocks, on the threads of parallel.cpp. A kernel whose threads never wait
// for each other is machine code that loops over the threads of a block itself. In others every
// thread of a block is a fiber (gang.h); the blocks of a cooperative launch are one Gang.
#include "runtime/simulator.h"

#include "runtime/gang.h"
#include "runtime/parallel.h"
#include "runtime/race_check.h"
#include "runtime/runtime.h"

#include <memory>
#include <string>
#include <vector>

using namespace numjit::simulator;
using numjit::RaceCheck;
using numjit::RaceClock;

namespace {

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

/// An Entry as do_scheduling_signed calls it: slots are the first block, the one behind the last,
/// the launch.
int32_t run_blocks(const uint64_t *slots, uint64_t *) {
  auto &launch = *reinterpret_cast<Launch *>(slots[2]);
  const auto first = static_cast<int64_t>(slots[0]), end = static_cast<int64_t>(slots[1]);
  return launch.request.kernel->whole_block ? run_loops(launch, first, end)
                                            : run_fibers(launch, first, end);
}

/// What an array of `bytes`, any number from 0, takes on a GPU (codegen/passes/device_memory.cpp).
uint64_t scratch_needed(int64_t bytes) {
  constexpr uint64_t align = NJ_SCRATCH_ALIGN;
  return NJ_SCRATCH_HEADER + ((static_cast<uint64_t>(bytes) + align - 1) & ~(align - 1));
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
    status = do_scheduling_signed(reinterpret_cast<const void *>(&run_blocks), slots, 3, blocks, 0,
                                  nullptr, 0, kMostChunks, &result);
  }
  if (launch.races)
    last_races = launch.races->races();
  return status;
}

int32_t nj_sim_barrier(void *pointer, int64_t kind, int64_t predicate, int64_t place,
                       int64_t *result) {
  Thread &thread = thread_of(pointer);
  return running_gang()->barrier(thread, kind, predicate != 0, static_cast<int32_t>(place),
                                 *result);
}

int32_t nj_sim_warp(void *pointer, int64_t operation, int64_t mask, int64_t value, int64_t argument,
                    int64_t place, int64_t *result) {
  return running_gang()->warp(thread_of(pointer), operation, static_cast<uint32_t>(mask), value,
                              argument, static_cast<int32_t>(place), *result);
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
  const uint64_t needed = static_cast<uint64_t>(thread.scratch_used) + scratch_needed(bytes);
  *result = nullptr;
  if (thread.scratch_bytes > 0 && bytes >= 0 &&
      needed > static_cast<uint64_t>(thread.scratch_bytes)) {
    const std::string text = "the arrays of a thread need more than its " +
                             std::to_string(thread.scratch_bytes) +
                             " bytes of scratch memory, at least " + std::to_string(needed) +
                             ": pass @cuda.jit(scratch=...)";
    nj_set_simple_error("MemoryError", text.c_str());
    return 1;
  }
  nj_block *block = nullptr;
  if (nj_alloc(bytes, zeroed != 0, &block) != 0)
    return 1;
  thread.scratch_used = static_cast<int64_t>(needed);
  block->extra = &thread;
  block->destroy = [](nj_block *gone) {
    static_cast<Thread *>(gone->extra)->scratch_used -=
        static_cast<int64_t>(scratch_needed(gone->bytes));
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

} // extern "C"
