// Counted memory: one malloc holds the header and, 64-byte aligned behind it, the payload. Small
// blocks are kept when they are freed: loops make and free them in each iteration. Payloads that
// are fields and not items of arrays are aligned to words, and the allocation begins where the
// header has its first field: a node of a linked list takes 80 bytes of the heap instead of 160.
#include "runtime/buffers.h"
#include "runtime/runtime.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>

#include <sys/mman.h>

namespace {

constexpr int64_t kAlignment = 64;
/// malloc aligns to 16 bytes; the rest of the way to 64 is ours.
constexpr int64_t kOverhead = NJ_PAYLOAD_OFFSET + kAlignment - 16;
static_assert(sizeof(nj_block) == NJ_PAYLOAD_OFFSET);
constexpr int64_t kPadding = offsetof(nj_block, count);

// What a thread has: the number of live blocks, a plain counter so that counting costs no atomic
// read-modify-write (the sum is taken only when asked for), and small blocks that were freed.

constexpr int64_t kSmall = 1024, kStep = 32; ///< of payloads; sizes of small ones are multiples
constexpr int64_t kSizes = kSmall / kStep + 1;
enum Alignment : uint8_t { Wide, Plain, kAlignments };
constexpr int64_t kMostKept = 64 << 10; ///< bytes of one size, headers aside

#ifdef __SANITIZE_ADDRESS__
constexpr bool kKeeps = false; // reused memory would hide what the sanitizer looks for
#else
constexpr bool kKeeps = true;
#endif

constexpr int64_t size_of_small(int64_t bytes) { return (bytes + kStep - 1) / kStep; }

struct ThreadMemory {
  int64_t live = 0;
  struct Kept { ///< blocks of one size, linked by `extra`
    nj_block *first = nullptr;
    int32_t count = 0;
  };
  Kept kept[kAlignments][kSizes];
};

struct Threads {
  std::mutex mutex;
  std::set<ThreadMemory *> running;
  int64_t live_of_ended = 0;
};
Threads &threads() {
  static auto *all = new Threads; // never destroyed: threads end after main returns
  return *all;
}

// A block may hold the last reference to another one, and that to the next: the nodes of a list.
// From some depth on they wait for those around them, so that no list is too long for the stack.
constexpr int32_t kDeepest = 50;
struct Destruction {
  int32_t depth = 0;
  nj_block *waiting = nullptr; ///< linked by `count`
};

/// One variable, whose address is asked for once: that is a call in a shared library.
struct Thread {
  /// Null before the thread has made or freed a block, and when it has ended.
  ThreadMemory *memory = nullptr;
  bool ended = false;
  Destruction destruction;
};
thread_local Thread thread_variables;

struct ThreadEnd {
  ThreadMemory memory;
  ThreadEnd() {
    std::lock_guard lock(threads().mutex);
    threads().running.insert(&memory);
    thread_variables.memory = &memory;
  }
  ~ThreadEnd() {
    thread_variables.memory = nullptr;
    thread_variables.ended = true;
    for (auto &sizes : memory.kept)
      for (const ThreadMemory::Kept &kept : sizes)
        for (nj_block *block = kept.first; block;)
          std::free(std::exchange(block, static_cast<nj_block *>(block->extra))->allocation);
    std::lock_guard lock(threads().mutex);
    threads().running.erase(&memory);
    threads().live_of_ended += memory.live;
  }
};

void count_live_slowly(const Thread &thread, int64_t change) {
  if (!thread.ended) { // of this thread it is the first block
    static thread_local ThreadEnd end;
    __atomic_store_n(&end.memory.live, end.memory.live + change, __ATOMIC_RELAXED);
    return;
  }
  std::lock_guard lock(threads().mutex);
  threads().live_of_ended += change;
}

void count_live(const Thread &thread, int64_t change) {
  if (ThreadMemory *memory = thread.memory; __builtin_expect(memory != nullptr, 1))
    __atomic_store_n(&memory->live, memory->live + change, __ATOMIC_RELAXED);
  else
    count_live_slowly(thread, change);
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

/// A small block that was freed; null if none of that size is there.
nj_block *take_kept(ThreadMemory *memory, int64_t bytes, Alignment alignment) {
  if (!memory)
    return nullptr;
  ThreadMemory::Kept &kept = memory->kept[alignment][size_of_small(bytes)];
  nj_block *block = kept.first;
  if (block) {
    kept.first = static_cast<nj_block *>(block->extra);
    --kept.count;
  }
  return block;
}

bool keep(ThreadMemory *memory, nj_block *block) {
  if (!kKeeps || !memory)
    return false;
  const int64_t size = size_of_small(block->bytes);
  const Alignment alignment = block->allocation == &block->count ? Plain : Wide;
  ThreadMemory::Kept &kept = memory->kept[alignment][size];
  if (kept.count * (size + 1) * kStep >= kMostKept)
    return false;
  block->extra = kept.first;
  kept.first = block;
  ++kept.count;
  return true;
}

void free_block(const Thread &thread, nj_block *block) {
  count_live(thread, -1);
  if (block->bytes > kSmall)
    numjit::give_buffer(block->allocation, block->bytes + kOverhead);
  else if (!keep(thread.memory, block))
    std::free(block->allocation);
}

void destroy_contents(Thread &thread, nj_block *block) {
  ++thread.destruction.depth;
  block->destroy(block);
  --thread.destruction.depth;
  free_block(thread, block);
}

void destroy_block(nj_block *block) {
  Thread &thread = thread_variables;
  if (!block->destroy) {
    free_block(thread, block);
    return;
  }
  Destruction &destruction = thread.destruction;
  if (__builtin_expect(destruction.depth >= kDeepest, 0)) {
    block->count = reinterpret_cast<int64_t>(std::exchange(destruction.waiting, block));
    return;
  }
  destroy_contents(thread, block);
  while (__builtin_expect(destruction.depth == 0 && destruction.waiting, 0)) {
    nj_block *next = destruction.waiting;
    destruction.waiting = reinterpret_cast<nj_block *>(next->count);
    destroy_contents(thread, next);
  }
}

/// Memory for a block and `bytes` behind it; null if there is none.
nj_block *new_memory(int64_t bytes, bool zeroed) {
  void *memory = numjit::take_buffer(bytes + kOverhead, zeroed);
  if (__builtin_expect(!memory, 0))
    return nullptr;
  ask_for_large_pages(memory, bytes + kOverhead);
  auto address = (reinterpret_cast<uintptr_t>(memory) + kAlignment - 1) & ~(kAlignment - 1);
  auto *block = reinterpret_cast<nj_block *>(address);
  block->allocation = memory;
  return block;
}

nj_block *new_plain_memory(int64_t bytes) {
  void *memory = std::malloc(NJ_PAYLOAD_OFFSET - kPadding + bytes);
  if (!memory)
    return nullptr;
  auto *block = reinterpret_cast<nj_block *>(static_cast<char *>(memory) - kPadding);
  block->allocation = memory;
  return block;
}

nj_block *new_small_memory(ThreadMemory *memory, int64_t bytes, bool zeroed, Alignment alignment) {
  const int64_t room = size_of_small(bytes) * kStep;
  nj_block *block = take_kept(memory, bytes, alignment);
  if (!block)
    block = alignment == Plain ? new_plain_memory(room) : new_memory(room, false);
  if (block && zeroed) { // step by step: for as few bytes as most have, a general memset is slow
    char *payload = reinterpret_cast<char *>(block) + NJ_PAYLOAD_OFFSET;
    for (char *step = payload; step != payload + room; step += kStep)
      std::memset(step, 0, kStep);
  }
  return block;
}

int32_t allocate(int64_t bytes, bool zeroed, Alignment alignment, nj_block **result) {
  *result = nullptr;
  if (__builtin_expect(bytes < 0, 0)) {
    nj_set_simple_error("ValueError", "negative dimensions are not allowed");
    return 1;
  }
  int64_t total;
  if (__builtin_add_overflow(bytes, kOverhead, &total))
    return out_of_memory(bytes);
  Thread &thread = thread_variables;
  nj_block *block = bytes <= kSmall ? new_small_memory(thread.memory, bytes, zeroed, alignment)
                                    : new_memory(bytes, zeroed);
  if (__builtin_expect(!block, 0))
    return out_of_memory(bytes);
  block->count = 1;
  block->destroy = nullptr;
  block->extra = nullptr;
  block->bytes = bytes;
  count_live(thread, +1);
  *result = block;
  return 0;
}

} // namespace

int32_t numjit::new_fields(int64_t bytes, nj_block **result) {
  return allocate(bytes, true, Plain, result);
}

extern "C" {

int32_t nj_alloc(int64_t bytes, int32_t zeroed, nj_block **result) {
  return allocate(bytes, zeroed != 0, Wide, result);
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
  // The only reference needs no atomic write: no other thread can take another one.
  if (__atomic_load_n(&block->count, __ATOMIC_ACQUIRE) == 1 ||
      __atomic_fetch_sub(&block->count, 1, __ATOMIC_ACQ_REL) == 1)
    destroy_block(block);
}

int64_t nj_live_blocks(void) {
  Threads &all = threads();
  std::lock_guard lock(all.mutex);
  int64_t sum = all.live_of_ended;
  for (ThreadMemory *thread : all.running)
    sum += __atomic_load_n(&thread->live, __ATOMIC_RELAXED);
  return sum;
}

} // extern "C"
