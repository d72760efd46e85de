// Counted memory: one malloc holds the header and, 64-byte aligned behind it, the payload.
#include "runtime/buffers.h"
#include "runtime/runtime.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>

#include <sys/mman.h>

namespace {

constexpr int64_t kAlignment = 64;
/// malloc aligns to 16 bytes; the rest of the way to 64 is ours.
constexpr int64_t kOverhead = NJ_PAYLOAD_OFFSET + kAlignment - 16;
static_assert(sizeof(nj_block) + sizeof(void *) <= NJ_PAYLOAD_OFFSET);

// The address malloc gave, in the last word in front of the payload.
void *&allocation_of(nj_block *block) {
  return *reinterpret_cast<void **>(reinterpret_cast<char *>(block) + NJ_PAYLOAD_OFFSET -
                                    sizeof(void *));
}

// -- The number of live blocks: one plain counter a thread, so that counting costs no atomic
// read-modify-write; the sum is taken only when asked for.

struct ThreadCount;
struct Counters {
  std::mutex mutex;
  std::set<ThreadCount *> threads;
  int64_t of_ended_threads = 0;
};
Counters &counters() {
  static auto *all = new Counters; // never destroyed: threads end after main returns
  return *all;
}
struct ThreadCount {
  int64_t value = 0;
  ThreadCount() {
    std::lock_guard lock(counters().mutex);
    counters().threads.insert(this);
  }
  ~ThreadCount() {
    std::lock_guard lock(counters().mutex);
    counters().threads.erase(this);
    counters().of_ended_threads += value;
  }
};
thread_local ThreadCount live_in_thread;

void count_live(int64_t change) {
  __atomic_store_n(&live_in_thread.value, live_in_thread.value + change, __ATOMIC_RELAXED);
}

int32_t out_of_memory(int64_t bytes) {
  char text[96];
  std::snprintf(text, sizeof text, "unable to allocate %lld bytes", static_cast<long long>(bytes));
  nj_set_simple_error("MemoryError", text);
  return 1;
}

// What NumPy does for its arrays: large pages save most of the page faults of a first pass.
void ask_for_large_pages(void *memory, int64_t bytes) {
  constexpr int64_t kWorthwhile = 4 << 20, kPage = 4096;
  if (bytes < kWorthwhile)
    return;
  auto start = (reinterpret_cast<uintptr_t>(memory) + kPage - 1) & ~uintptr_t(kPage - 1);
  auto end = (reinterpret_cast<uintptr_t>(memory) + bytes) & ~uintptr_t(kPage - 1);
  madvise(reinterpret_cast<void *>(start), end - start, MADV_HUGEPAGE);
}

void destroy_block(nj_block *block) {
  if (block->destroy)
    block->destroy(block);
  numjit::give_buffer(allocation_of(block), block->bytes + kOverhead);
  count_live(-1);
}

} // namespace

extern "C" {

int32_t nj_alloc(int64_t bytes, int32_t zeroed, nj_block **result) {
  *result = nullptr;
  if (__builtin_expect(bytes < 0, 0)) {
    nj_set_simple_error("ValueError", "negative dimensions are not allowed");
    return 1;
  }
  int64_t total;
  if (__builtin_add_overflow(bytes, kOverhead, &total))
    return out_of_memory(bytes);
  void *memory = numjit::take_buffer(total, zeroed != 0);
  if (__builtin_expect(!memory, 0))
    return out_of_memory(bytes);
  ask_for_large_pages(memory, total);
  auto address = (reinterpret_cast<uintptr_t>(memory) + kAlignment - 1) & ~(kAlignment - 1);
  auto *block = reinterpret_cast<nj_block *>(address);
  *block = {1, nullptr, nullptr, bytes};
  allocation_of(block) = memory;
  count_live(+1);
  *result = block;
  return 0;
}

void nj_retain(void *owner) {
  auto bits = reinterpret_cast<uintptr_t>(owner);
  if (!bits)
    return;
  if (bits & NJ_FOREIGN_BIT) {
    nj_host.retain_foreign(reinterpret_cast<void *>(bits - NJ_FOREIGN_BIT));
    return;
  }
  __atomic_fetch_add(&static_cast<nj_block *>(owner)->count, 1, __ATOMIC_RELAXED);
}

void nj_release(void *owner) {
  auto bits = reinterpret_cast<uintptr_t>(owner);
  if (!bits)
    return;
  if (bits & NJ_FOREIGN_BIT) {
    nj_host.release_foreign(reinterpret_cast<void *>(bits - NJ_FOREIGN_BIT));
    return;
  }
  auto *block = static_cast<nj_block *>(owner);
  // The only reference needs no atomic write: nobody else can take another one.
  if (__atomic_load_n(&block->count, __ATOMIC_ACQUIRE) == 1 ||
      __atomic_fetch_sub(&block->count, 1, __ATOMIC_ACQ_REL) == 1)
    destroy_block(block);
}

int64_t nj_live_blocks(void) {
  Counters &all = counters();
  std::lock_guard lock(all.mutex);
  int64_t sum = all.of_ended_threads;
  for (ThreadCount *thread : all.threads)
    sum += __atomic_load_n(&thread->value, __ATOMIC_RELAXED);
  return sum;
}

} // extern "C"
