// The simulator of kernels: fibers, barriers, warps, errors, races.
#include "runtime/runtime.h"
#include "runtime/simulator.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <string>
#include <vector>

namespace {

using Entry = int32_t (*)(const uint64_t *, uint64_t *);

const nj_sim_place places[] = {{"k.py", "k", 1}, {"k.py", "k", 10}, {"k.py", "k", 20}};

/// A launch of machine code that runs one thread.
struct Launch {
  nj_sim_kernel kernel{};
  nj_sim_launch request{};
  std::vector<uint64_t> slots{0};

  Launch(Entry entry, int32_t blocks, int32_t threads, std::vector<uint64_t> arguments) {
    slots.insert(slots.end(), arguments.begin(), arguments.end());
    kernel.entry = reinterpret_cast<const void *>(entry);
    kernel.places = places;
    request.grid[0] = blocks;
    request.block[0] = threads;
    for (int i : {1, 2})
      request.grid[i] = request.block[i] = 1;
  }
  int32_t run() {
    request.kernel = &kernel;
    request.arguments = slots.data();
    request.argument_count = static_cast<int64_t>(slots.size());
    return nj_sim_run(&request);
  }
  std::string error() {
    std::string text = nj_pending_error()->kind ? nj_pending_error()->message : "";
    nj_clear_error();
    return text;
  }
};

nj_sim_thread &self(const uint64_t *slots) { return *reinterpret_cast<nj_sim_thread *>(slots[0]); }
template <class T>
T *pointer(uint64_t slot) {
  return reinterpret_cast<T *>(slot);
}
template <class T>
uint64_t slot_of(T *memory) {
  return reinterpret_cast<uint64_t>(memory);
}
int32_t sync(nj_sim_thread &thread, int64_t place = 1) {
  int64_t result;
  return nj_sim_barrier(&thread, NJ_SIM_SYNC, 0, place, &result);
}

/// out[block] = sum of the threads' numbers, through shared memory.
int32_t sum_of_block(const uint64_t *slots, uint64_t *) {
  nj_sim_thread &thread = self(slots);
  auto *cache = reinterpret_cast<int64_t *>(thread.shared);
  const int n = thread.block_dim[0], t = thread.thread[0];
  cache[t] = t;
  for (int step = n / 2; step > 0; step /= 2) {
    if (sync(thread))
      return 1;
    if (t < step)
      cache[t] += cache[t + step];
  }
  if (sync(thread))
    return 1;
  pointer<int64_t>(slots[1])[thread.block[0]] = cache[0];
  return 0;
}

TEST(Simulator, SumsThroughSharedMemory) {
  std::vector<int64_t> out(100, -1);
  Launch launch(sum_of_block, 100, 128, {slot_of(out.data())});
  launch.request.dynamic_shared = 128 * 8;
  ASSERT_EQ(launch.run(), 0);
  for (int64_t each : out)
    EXPECT_EQ(each, 127 * 128 / 2);
}

int32_t two_barriers(const uint64_t *slots, uint64_t *) {
  return sync(self(slots), self(slots).thread[0] < 3 ? 1 : 2);
}

TEST(Simulator, NamesBothBarriersThatThreadsWaitAt) {
  Launch launch(two_barriers, 1, 4, {});
  EXPECT_EQ(launch.run(), 1);
  const std::string text = launch.error();
  EXPECT_NE(text.find("line 10"), text.npos) << text;
  EXPECT_NE(text.find("thread (3, 0, 0) waits at syncthreads() in line 20"), text.npos) << text;
}

int32_t fails_while_others_wait(const uint64_t *slots, uint64_t *) {
  nj_sim_thread &thread = self(slots);
  if (thread.thread[0] == 5) {
    nj_set_simple_error("ValueError", "five");
    return 1;
  }
  const int32_t status = sync(thread);
  *pointer<std::atomic<int>>(slots[1]) += status;
  return status;
}

TEST(Simulator, EndsThreadsThatWaitWhenOneFails) {
  std::atomic<int> ended = 0;
  Launch launch(fails_while_others_wait, 1, 8, {slot_of(&ended)});
  EXPECT_EQ(launch.run(), 1);
  EXPECT_EQ(launch.error(), "five");
  EXPECT_EQ(launch.request.failed_thread[0], 5);
  EXPECT_EQ(ended, 5); // threads 0 to 4 waited; 6 and 7 never began
}

int32_t rotate(const uint64_t *slots, uint64_t *) {
  nj_sim_thread &thread = self(slots);
  return nj_sim_warp(&thread, NJ_SIM_WARP_SHUFFLE, 0xffffffff, thread.thread[0],
                     (thread.lane + 1) % 32, 1, pointer<int64_t>(slots[1]) + thread.thread[0]);
}

TEST(Simulator, ShufflesLanes) {
  std::vector<int64_t> out(64);
  Launch launch(rotate, 1, 64, {slot_of(out.data())});
  ASSERT_EQ(launch.run(), 0);
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(out[i], i / 32 * 32 + (i + 1) % 32);
}

int32_t wait_for_grid(const uint64_t *slots, uint64_t *) {
  nj_sim_thread &thread = self(slots);
  auto *counts = pointer<int64_t>(slots[1]);
  const int b = thread.block[0], n = thread.grid_dim[0];
  for (int round = 0; round < 5; ++round) {
    counts[(round + 1) * n + b] = counts[round * n + (b + 1) % n] + 1;
    int64_t result;
    if (nj_sim_barrier(&thread, NJ_SIM_SYNC_GRID, 0, 1, &result))
      return 1;
  }
  return 0;
}

TEST(Simulator, SynchronisesTheGrid) {
  std::vector<int64_t> counts(6 * 40, 0);
  Launch launch(wait_for_grid, 40, 1, {slot_of(counts.data())});
  launch.request.cooperative = 1;
  ASSERT_EQ(launch.run(), 0);
  EXPECT_EQ(std::accumulate(counts.end() - 40, counts.end(), int64_t{0}), 40 * 5);
}

int32_t spin(const uint64_t *slots, uint64_t *) {
  auto &flag = *pointer<std::atomic<int>>(slots[1]);
  if (self(slots).thread[0] == 1)
    flag = 1;
  while (flag == 0)
    if (nj_poll_flag && nj_poll())
      return 1;
  return 0;
}

TEST(Simulator, ThreadsOfABlockTakeTurns) {
  std::atomic<int> flag = 0;
  Launch launch(spin, 1, 2, {slot_of(&flag)});
  EXPECT_EQ(launch.run(), 0);
}

int32_t read_after_write(const uint64_t *slots, uint64_t *) {
  nj_sim_thread &thread = self(slots);
  char *memory = pointer<char>(slots[1]);
  const int t = thread.thread[0], n = thread.block_dim[0];
  nj_sim_access(&thread, memory + 8 * t, 8, NJ_SIM_WRITES, 1);
  if (slots[2] && sync(thread))
    return 1;
  nj_sim_access(&thread, memory + 8 * ((t + 1) % n), 8, 0, 2);
  return 0;
}

TEST(Simulator, FindsRacesThatNoBarrierOrders) {
  char memory[64 * 8];
  for (bool synchronise : {false, true}) {
    Launch launch(read_after_write, 1, 64, {slot_of(memory), synchronise});
    launch.request.race_check = 1;
    ASSERT_EQ(launch.run(), 0);
    int64_t count = 0;
    const nj_sim_race *races = nj_sim_races(&count);
    if (synchronise) {
      EXPECT_EQ(count, 0);
      continue;
    }
    ASSERT_GE(count, 1);
    EXPECT_EQ(races[0].first.place.line + races[0].second.place.line, 30);
  }
}

int32_t allocate(const uint64_t *slots, uint64_t *) {
  void *block;
  for (int i = 0; i < 100; ++i) {
    if (nj_sim_alloc(&self(slots), static_cast<int64_t>(slots[1]), 0, &block))
      return 1;
    nj_release(block);
  }
  return 0;
}

TEST(Simulator, LimitsScratchMemory) {
  const int64_t before = nj_live_blocks();
  for (int64_t bytes : {int64_t{512}, int64_t{2048}, INT64_MAX - 64, INT64_MAX}) {
    Launch launch(allocate, 2, 3, {static_cast<uint64_t>(bytes)});
    launch.request.scratch_bytes = 1024;
    EXPECT_EQ(launch.run(), bytes > 1024);
    EXPECT_EQ(launch.error().find("scratch memory") != std::string::npos, bytes > 1024);
  }
  Launch launch(allocate, 2, 3, {static_cast<uint64_t>(-8)});
  launch.request.scratch_bytes = 1024;
  EXPECT_EQ(launch.run(), 1);
  EXPECT_EQ(launch.error(), "negative dimensions are not allowed");
  EXPECT_EQ(nj_live_blocks(), before);
}

/// Stacks are used again, for kernels with other numbers of arguments.
TEST(Simulator, StacksAreAsNew) {
  for (const size_t count : {1, 8, 9, 7, 30, 9}) {
    std::vector<int64_t> sums(2);
    std::vector<uint64_t> arguments(count);
    arguments[0] = slot_of(sums.data());
    Launch launch(sum_of_block, 2, 4, arguments);
    launch.request.dynamic_shared = 4 * sizeof(int64_t);
    EXPECT_EQ(launch.run(), 0);
    EXPECT_EQ(sums, std::vector<int64_t>({6, 6}));
  }
}

} // namespace
