// Parallel loops: chunks, their results in order, errors, nesting, forks.
#include "runtime/parallel.h"
#include "runtime/runtime.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <thread>
#include <unistd.h>
#include <vector>

#include <sys/wait.h>

/// Tells LeakSanitizer of work that TBB's threads have not begun when the process ends. That
/// regions are released is what ResultsAreReleased is about.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" __attribute__((visibility("default"))) const char *__lsan_default_suppressions() {
  return "leak:do_scheduling_signed\n";
}

namespace {

// Before anybody asks for the number of threads.
const bool four_threads = setenv("NUMJIT_NUM_THREADS", "4", 1) == 0;

using Entry = int32_t (*)(const uint64_t *, uint64_t *);

int32_t run(Entry entry, std::vector<uint64_t> arguments, int64_t n, int64_t result_slots,
            nj_block **block, int64_t most = 128) {
  arguments.insert(arguments.begin(), {0, 0});
  void *result = nullptr;
  int32_t status = do_scheduling_signed(reinterpret_cast<void *>(entry), arguments.data(),
                                        static_cast<int64_t>(arguments.size()), n, result_slots,
                                        nullptr, 0, most, &result);
  if (block)
    *block = static_cast<nj_block *>(result);
  return status;
}

nj_chunks *chunks_of(nj_block *block) {
  return reinterpret_cast<nj_chunks *>(reinterpret_cast<char *>(block) + NJ_PAYLOAD_OFFSET);
}

int32_t mark(const uint64_t *arguments, uint64_t *) {
  auto *counts = reinterpret_cast<std::atomic<int> *>(arguments[2]);
  for (uint64_t i = arguments[0]; i < arguments[1]; ++i)
    ++counts[i];
  return 0;
}

int32_t sum(const uint64_t *arguments, uint64_t *results) {
  results[0] = 0;
  for (uint64_t i = arguments[0]; i < arguments[1]; ++i)
    results[0] += i;
  return 0;
}

uint64_t total(int64_t n) {
  nj_block *block;
  EXPECT_EQ(run(sum, {}, n, 1, &block), 0);
  nj_chunks *chunks = chunks_of(block);
  auto *rows = reinterpret_cast<uint64_t *>(chunks + 1);
  const uint64_t result = std::accumulate(rows, rows + chunks->count, uint64_t{0});
  nj_release(block);
  return result;
}

TEST(Parallel, EveryIterationRunsOnce) {
  for (int64_t n : {0, 1, 5, 127, 128, 129, 1000}) {
    std::vector<std::atomic<int>> counts(n + 1);
    EXPECT_EQ(run(mark, {reinterpret_cast<uint64_t>(counts.data())}, n, 0, nullptr), 0);
    for (int64_t i = 0; i < n; ++i)
      EXPECT_EQ(counts[i], 1) << n << " " << i;
    EXPECT_EQ(counts[n], 0);
  }
}

TEST(Parallel, ChunksHaveResults) {
  const int64_t before = nj_live_blocks();
  for (uint64_t n : {0, 1, 7, 1000})
    EXPECT_EQ(total(n), n ? n * (n - 1) / 2 : 0);
  EXPECT_EQ(nj_live_blocks(), before);
}

TEST(Parallel, ChunksDependOnIterationsOnly) {
  for (int64_t threads = 1; threads <= nj_thread_limit(); ++threads) {
    EXPECT_EQ(nj_set_num_threads(threads), 0);
    nj_block *block;
    EXPECT_EQ(run(sum, {}, 1000, 1, &block), 0);
    EXPECT_EQ(chunks_of(block)->count, 128);
    EXPECT_EQ(reinterpret_cast<uint64_t *>(chunks_of(block) + 1)[0],
              0u + 1 + 2 + 3 + 4 + 5 + 6 + 7);
    nj_release(block);
  }
  EXPECT_NE(nj_set_num_threads(nj_thread_limit() + 1), 0);
  EXPECT_NE(nj_set_num_threads(0), 0);
  nj_clear_error();
}

TEST(Parallel, ChunkSize) {
  int64_t before;
  EXPECT_EQ(nj_set_chunk_size(10, &before), 0);
  EXPECT_EQ(before, 0);
  nj_block *block;
  EXPECT_EQ(run(sum, {}, 1001, 1, &block), 0);
  EXPECT_EQ(chunks_of(block)->count, 101);
  nj_release(block);
  EXPECT_EQ(nj_set_chunk_size(0, &before), 0);
  EXPECT_EQ(before, 10);
}

int32_t fail_from_50(const uint64_t *arguments, uint64_t *) {
  if (arguments[0] < 50)
    return 0;
  char text[32];
  std::snprintf(text, sizeof text, "%d", static_cast<int>(arguments[0]));
  nj_set_simple_error("ValueError", text);
  return 1;
}

TEST(Parallel, TheLowestChunkThatFailsCounts) {
  for (int i = 0; i < 200; ++i) {
    EXPECT_NE(run(fail_from_50, {}, 100, 0, nullptr), 0);
    EXPECT_STREQ(nj_pending_error()->message, "50");
    nj_clear_error();
  }
}

int32_t fail_in_owner(const uint64_t *arguments, uint64_t *results) {
  nj_block *block = nullptr;
  EXPECT_EQ(nj_alloc(8, 0, &block), 0);
  results[0] = reinterpret_cast<uint64_t>(block);
  if (arguments[0] < 90)
    return 0;
  results[0] = 0;
  nj_release(block);
  nj_set_simple_error("ValueError", "");
  return 1;
}

TEST(Parallel, ResultsAreReleased) {
  const int64_t before = nj_live_blocks();
  static const int64_t owners[] = {0};
  for (int64_t n : {50, 100}) {
    uint64_t slots[2];
    void *result;
    const int32_t status = do_scheduling_signed(reinterpret_cast<void *>(fail_in_owner), slots, 2,
                                                n, 1, owners, 1, 128, &result);
    EXPECT_EQ(status != 0, n == 100);
    if (result)
      nj_release(result);
    nj_clear_error();
  }
  EXPECT_EQ(nj_live_blocks(), before);
}

int32_t outer(const uint64_t *arguments, uint64_t *) {
  EXPECT_LT(nj_thread_id(), nj_get_num_threads());
  auto *count = reinterpret_cast<std::atomic<uint64_t> *>(arguments[2]);
  for (uint64_t i = arguments[0]; i < arguments[1]; ++i)
    *count += total(100);
  return 0;
}

TEST(Parallel, Nested) {
  std::atomic<uint64_t> count = 0;
  EXPECT_EQ(run(outer, {reinterpret_cast<uint64_t>(&count)}, 300, 0, nullptr), 0);
  EXPECT_EQ(count, 300u * 4950);
}

TEST(Parallel, SeveralThreadsAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      for (int k = 0; k < 200; ++k)
        EXPECT_EQ(total(1000), 499500u);
    });
  for (std::thread &thread : threads)
    thread.join();
}

int32_t wait_for_end(const uint64_t *, uint64_t *) {
  for (;;) {
    if (nj_poll_flag && nj_poll())
      return 1;
    std::this_thread::yield();
  }
}
int32_t fail_first(const uint64_t *arguments, uint64_t *results) {
  if (arguments[0] > 0)
    return wait_for_end(arguments, results);
  nj_set_simple_error("ValueError", "first");
  return 1;
}

TEST(Parallel, OtherChunksEndWhenOneHasFailed) {
  EXPECT_NE(run(fail_first, {}, 1000, 0, nullptr), 0);
  EXPECT_STREQ(nj_pending_error()->message, "first");
  nj_clear_error();
}

TEST(Parallel, Fork) {
  EXPECT_EQ(total(1000), 499500u);
  for (int i = 0; i < 3; ++i) {
    const pid_t child = fork();
    if (child == 0)
      _exit(total(1000) == 499500 && total(10) == 45 ? 0 : 1);
    EXPECT_EQ(total(1000), 499500u);
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

} // namespace
