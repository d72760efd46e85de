// Parallel loops.
//
// A loop is a Region: a counter of chunks, from which the thread that runs the loop and its helpers
// take the next one until there is none left. Helpers are tasks in a pool's queue; one that comes
// too late finds nothing to do and goes. So a loop waits only for chunks that run, not for a thread
// to start (but for a moment in leave_to_others). Inside of a chunk a thread never turns to other
// work: what a thread has (a pending error, the loops it is in) is simply thread-local. A loop
// inside a chunk is a Region as well.
//
// The threads of an outermost loop and of all loops inside it are a Team: each has a number, and
// there are no more of them than set_num_threads() allows.
#include "runtime/parallel.h"

#include "runtime/pool.h"
#include "runtime/runtime.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <climits>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <sched.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pool = numjit::pool;

namespace {

using Entry = int32_t (*)(const uint64_t *arguments, uint64_t *results);

constexpr int kMostThreads = 256;
constexpr int64_t kMostChunks = 1 << 20;
constexpr int64_t kNone = INT64_MAX;

// --- how many threads ---

/// Processors that the quota of a control group allows, rounded up; 0: no quota.
int64_t quota_of(const std::string &folder, bool unified) {
  // The numbers that a file begins with; 0 for each that is missing.
  auto read = [&](const char *name, int64_t &first, int64_t *second) {
    char line[128] = "";
    if (FILE *file = std::fopen((folder + "/" + name).c_str(), "r")) {
      char *rest = std::fgets(line, sizeof line, file);
      first = rest ? std::strtoll(line, &rest, 10) : 0;
      if (second)
        *second = rest ? std::strtoll(rest, nullptr, 10) : 0;
      std::fclose(file);
    }
  };
  int64_t quota = 0, period = 0;
  if (unified) { // "max 100000" is no quota
    read("cpu.max", quota, &period);
  } else { // -1 is none
    read("cpu.cfs_quota_us", quota, nullptr);
    read("cpu.cfs_period_us", period, nullptr);
  }
  return quota > 0 && period > 0 ? 1 + (quota - 1) / period : 0;
}

/// The smallest quota of the control groups that this process is in.
int64_t container_quota() {
  int64_t least = 0;
  auto consider = [&](int64_t quota) {
    if (quota > 0 && (!least || quota < least))
      least = quota;
  };
  auto walk = [&](const std::string &root, std::string path, bool unified) {
    for (;; path.resize(path.rfind('/'))) {
      consider(quota_of(root + path, unified));
      if (path.empty() || path.rfind('/') == path.npos)
        return;
    }
  };
  if (FILE *file = std::fopen("/proc/self/cgroup", "r")) {
    char line[4096];
    while (std::fgets(line, sizeof line, file)) { // "0::/path" or "4:cpu,cpuacct:/path"
      std::string text = line;
      text.erase(text.find_last_not_of('\n') + 1);
      const size_t first = text.find(':'), second = text.find(':', first + 1);
      if (first == text.npos || second == text.npos)
        continue;
      const std::string controllers = "," + text.substr(first + 1, second - first - 1) + ",";
      std::string path = text.substr(second + 1);
      path = path == "/" ? "" : path;
      if (controllers == ",,")
        walk("/sys/fs/cgroup", path, true);
      else if (controllers.find(",cpu,") != controllers.npos)
        walk("/sys/fs/cgroup/cpu", path, false);
    }
    std::fclose(file);
  }
  return least;
}

int64_t find_thread_limit() {
  for (const char *name : {"NUMJIT_NUM_THREADS", "NUMBA_NUM_THREADS"})
    if (const char *text = std::getenv(name))
      if (const long wanted = std::strtol(text, nullptr, 10); wanted > 0)
        return std::min<int64_t>(wanted, kMostThreads);
  cpu_set_t processors;
  CPU_ZERO(&processors);
  int64_t count = 1;
  if (sched_getaffinity(0, sizeof processors, &processors) == 0)
    count = CPU_COUNT(&processors);
  if (const int64_t quota = container_quota())
    count = std::min(count, quota);
  return std::clamp<int64_t>(count, 1, kMostThreads);
}

thread_local int64_t num_threads = 0; // 0: nj_thread_limit()
thread_local int64_t chunk_size = 0;

// --- regions ---

/// Numbers of the threads that work for one outermost loop.
class Team {
public:
  explicit Team(int64_t threads) {
    for (auto &word : free_)
      word.store(0, std::memory_order_relaxed);
    for (int64_t i = 1; i < threads; ++i) // 0 is the thread that runs the loop
      free_[i / 64] |= uint64_t{1} << (i % 64);
  }
  /// A free number, or -1.
  int take() {
    for (size_t i = 0; i < std::size(free_); ++i)
      for (uint64_t bits = free_[i].load(); bits;) {
        const int bit = std::countr_zero(bits);
        if (free_[i].compare_exchange_weak(bits, bits & (bits - 1)))
          return static_cast<int>(i) * 64 + bit;
      }
    return -1;
  }
  void give(int number) { free_[number / 64] |= uint64_t{1} << (number % 64); }

private:
  std::atomic<uint64_t> free_[kMostThreads / 64];
};

struct Region;

/// What a thread is doing in a region.
struct Work {
  Region *region;
  const Work *outer; ///< the chunk in which the region was started
  int number;        ///< of the thread in its team
  int64_t chunk = kNone;
};
thread_local const Work *work = nullptr;

struct Region {
  Entry entry;
  const uint64_t *slots;
  int64_t slot_count, iterations, chunks;
  uint64_t *rows; ///< of results; null: chunks have none
  int64_t row_slots;
  int64_t threads;
  const Work *outer;
  std::shared_ptr<Team> team;
  std::atomic<int64_t> next{0};
  std::atomic<int64_t> inside{0};     ///< helpers that may be in a chunk
  std::atomic<int64_t> failed{kNone}; ///< lowest chunk that failed; -1: all are to stop
  nj_error error{};                   ///< of that chunk; guarded by `mutex`
  int32_t status = 1;                 ///< likewise
  std::mutex mutex;
  std::condition_variable helpers_left;

  /// One iteration for each thread: each is to run its own, so that their thread ids differ.
  bool is_one_each() const { return iterations == threads && chunks == threads; }
  bool is_exhausted() const { return next.load(std::memory_order_relaxed) >= chunks; }

  void run(Work &mine, std::vector<uint64_t> &copy, bool alone = false);
  void leave_to_others() const;
  void note_failure(int64_t chunk, int32_t status);
  void help();
  void wait_for_helpers();
};

/// Iteration at which a chunk begins: chunks differ in length by one at most.
int64_t begin_of(const Region &region, int64_t chunk) {
  const int64_t length = region.iterations / region.chunks,
                rest = region.iterations % region.chunks;
  return chunk * length + std::min(chunk, rest);
}

/// How long a thread that has run its own iteration leaves the others to other threads: as good as
/// until they come, if the program asks for a layer of Numba's in which they surely do.
std::chrono::microseconds patience() {
  static const bool is_asked_for = [] {
    const char *layer = std::getenv("NUMJIT_THREADING_LAYER");
    if (!layer)
      layer = std::getenv("NUMBA_THREADING_LAYER");
    return layer && (std::string_view(layer) == "omp" || std::string_view(layer) == "workqueue");
  }();
  return std::chrono::microseconds(is_asked_for ? 100'000 : 100);
}

void Region::leave_to_others() const {
  const auto end = std::chrono::steady_clock::now() + patience();
  for (int i = 0; !is_exhausted() && std::chrono::steady_clock::now() < end; ++i)
    if (i < 100)
      __builtin_ia32_pause();
    else
      sched_yield();
}

/// Works off chunks until there are none left. `copy`: memory for the slots, filled at the first.
void Region::run(Work &mine, std::vector<uint64_t> &copy, bool alone) {
  const Work *const before = work;
  work = &mine;
  bool leaves_rest = !alone && is_one_each();
  for (;;) {
    const int64_t chunk = next.fetch_add(1, std::memory_order_relaxed);
    if (chunk >= chunks)
      break;
    if (copy.empty())
      copy.assign(slots, slots + slot_count);
    copy[0] = static_cast<uint64_t>(begin_of(*this, chunk));
    copy[1] = static_cast<uint64_t>(begin_of(*this, chunk + 1));
    mine.chunk = chunk;
    uint64_t nothing;
    if (int32_t failure = entry(copy.data(), rows ? rows + chunk * row_slots : &nothing))
      note_failure(chunk, failure);
    if (leaves_rest)
      leave_to_others();
    leaves_rest = false;
  }
  work = before;
}

/// Keeps the error that is pending in this thread if no lower chunk has failed.
void Region::note_failure(int64_t chunk, int32_t how) {
  nj_error *pending = nj_pending_error();
  std::lock_guard lock(mutex);
  // What the host has raised is about the whole loop: KeyboardInterrupt above all.
  const int64_t place = pending->kind == 3 ? -1 : chunk;
  if (place < failed.load()) {
    std::swap(error, *pending);
    status = how;
    failed.store(place);
    next.store(chunks);
    // Chunks behind this one see at their next poll that they are not wanted any more.
    __atomic_store_n(const_cast<int32_t *>(&nj_poll_flag), 1, __ATOMIC_RELAXED);
  }
  nj_drop_error();
}

/// A helper's part.
void Region::help() {
  inside.fetch_add(1);
  if (!is_exhausted())
    if (const int number = team->take(); number > 0) {
      const int64_t own_threads = std::exchange(num_threads, threads);
      Work mine{this, outer, number};
      std::vector<uint64_t> copy;
      run(mine, copy);
      num_threads = own_threads;
      team->give(number);
    }
  if (inside.fetch_sub(1) == 1 && is_exhausted()) {
    std::lock_guard lock(mutex); // the waiting thread has seen the counter, or sees it now
    helpers_left.notify_all();
  }
}

/// Waits for helpers that are in a chunk; signal handlers run meanwhile.
void Region::wait_for_helpers() {
  for (int i = 0; i < 2000; ++i) {
    if (inside.load() == 0)
      return;
    __builtin_ia32_pause();
  }
  std::unique_lock lock(mutex);
  while (!helpers_left.wait_for(lock, std::chrono::milliseconds(5),
                                [&] { return inside.load() == 0; })) {
    lock.unlock();
    if (nj_poll_flag && failed.load() >= 0 && nj_poll()) {
      if (nj_pending_error()->kind != 0)
        note_failure(-1, 1);
      else // a loop around this one has failed
        failed.store(-1);
    }
    lock.lock();
  }
}

// --- threads ---

/// Helpers wake helpers: the first one comes at once, and the thread that runs the loop starts only
/// that one.
void call_helper(const std::shared_ptr<Region> &region, int64_t index, int64_t helpers) {
  if (index > helpers || region->is_exhausted())
    return;
  pool::enqueue([region, index, helpers] {
    call_helper(region, 2 * index, helpers);
    call_helper(region, 2 * index + 1, helpers);
    region->help();
  });
}

int64_t chunk_count(int64_t iterations, int64_t most, bool have_results) {
  const int64_t wanted =
      chunk_size > 0 ? (iterations + chunk_size - 1) / chunk_size : std::min(iterations, most);
  return std::min(wanted, have_results ? int64_t{NJ_MOST_RESULTS} : kMostChunks);
}

void release_rows(nj_block *block) {
  auto *chunks = reinterpret_cast<nj_chunks *>(reinterpret_cast<char *>(block) + NJ_PAYLOAD_OFFSET);
  auto *rows = reinterpret_cast<uint64_t *>(chunks + 1);
  for (int64_t row = 0; row < chunks->count; ++row)
    for (int64_t i = 0; i < chunks->owner_count; ++i)
      nj_release(reinterpret_cast<void *>(rows[row * chunks->slots + chunks->owners[i]]));
}

void run_region(const std::shared_ptr<Region> &region) {
  std::vector<uint64_t> copy;
  Work mine{region.get(), region->outer, region->outer ? region->outer->number : 0};
  // Inside a loop that still has chunks to give out, its own are work enough for all threads.
  const Work *outer = region->outer;
  const int64_t helpers = std::min(region->threads, region->chunks) - 1;
  const bool alone =
      helpers < 1 || (outer && !outer->region->is_exhausted()) || !pool::enter(nj_thread_limit());
  if (alone) {
    if (!region->rows)
      region->chunks = 1;
    region->run(mine, copy, true);
    return;
  }
  nj_expect_threads();
  void *lock = nj_host.begin_parallel ? nj_host.begin_parallel() : nullptr;
  call_helper(region, 1, helpers);
  region->run(mine, copy);
  region->wait_for_helpers();
  pool::leave();
  if (nj_host.end_parallel)
    nj_host.end_parallel(lock);
}

} // namespace

extern "C" {

int64_t nj_thread_limit(void) {
  static const int64_t limit = find_thread_limit();
  return limit;
}

int64_t nj_get_num_threads(void) { return num_threads ? num_threads : nj_thread_limit(); }

int32_t nj_set_num_threads(int64_t count) {
  if (count < 1 || count > nj_thread_limit()) {
    char text[96];
    std::snprintf(text, sizeof text, "The number of threads must be between 1 and %lld",
                  static_cast<long long>(nj_thread_limit()));
    nj_set_simple_error("ValueError", text);
    return 1;
  }
  num_threads = count;
  return 0;
}

int64_t nj_thread_id(void) { return work ? work->number : 0; }

int64_t nj_get_chunk_size(void) { return chunk_size; }

int32_t nj_set_chunk_size(int64_t size, int64_t *before) {
  if (size < 0) {
    nj_set_simple_error("ValueError", "chunksize must be greater than or equal to zero");
    return 1;
  }
  *before = std::exchange(chunk_size, size);
  return 0;
}

int32_t nj_chunk_cancelled(void) {
  for (const Work *each = work; each; each = each->outer)
    if (each->region->failed.load(std::memory_order_relaxed) < each->chunk)
      return 1;
  return 0;
}

int32_t do_scheduling_signed(const void *entry, const void *slots, int64_t slot_count, int64_t n,
                             int64_t result_slots, const void *owners, int64_t owner_count,
                             int64_t most, void **result) {
  // A loop around this one that does little else need not have an interrupt point of its own.
  if (nj_poll_flag && nj_poll())
    return 1;
  const int64_t chunks = n > 0 ? chunk_count(n, most, result_slots > 0) : 0;
  nj_block *block = nullptr;
  uint64_t *rows = nullptr;
  if (result_slots > 0) {
    const int64_t bytes =
        static_cast<int64_t>(sizeof(nj_chunks)) + 8 * result_slots * std::max<int64_t>(chunks, 1);
    if (nj_alloc(bytes, 1, &block) != 0)
      return 1;
    auto *head = reinterpret_cast<nj_chunks *>(reinterpret_cast<char *>(block) + NJ_PAYLOAD_OFFSET);
    *head = {chunks, result_slots, static_cast<const int64_t *>(owners), owner_count};
    rows = reinterpret_cast<uint64_t *>(head + 1);
    block->destroy = release_rows;
  }
  *result = block;
  if (chunks == 0)
    return 0;
  const int64_t threads = nj_get_num_threads();
  auto region = std::make_shared<Region>();
  region->entry = reinterpret_cast<Entry>(reinterpret_cast<uintptr_t>(entry));
  region->slots = static_cast<const uint64_t *>(slots);
  region->slot_count = slot_count;
  region->iterations = n;
  region->chunks = chunks;
  region->rows = rows;
  region->row_slots = result_slots;
  region->threads = threads;
  region->outer = work;
  region->team = work ? work->region->team : std::make_shared<Team>(threads);
  run_region(region);
  if (region->failed.load() == kNone)
    return 0;
  nj_clear_error();
  *nj_pending_error() = region->error; // kind 0 if a loop around this one ends it
  if (block)
    nj_release(block);
  *result = nullptr;
  return region->status;
}

} // extern "C"
