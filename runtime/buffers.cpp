#include "runtime/buffers.h"

#include <cstdlib>
#include <cstring>

namespace numjit {

namespace {

constexpr int64_t kClearedHere = 1 << 10; ///< calloc is slower than malloc for small ones
constexpr int64_t kSmallest = 64 << 10;   ///< malloc serves smaller ones from memory it keeps
constexpr int64_t kLargest = 16 << 20;    ///< of one buffer
constexpr int64_t kMostBytes = 32 << 20;  ///< of all buffers of a thread
constexpr int kMost = 4;

#ifdef __SANITIZE_ADDRESS__
constexpr bool kKeeps = false; // reused memory would hide what the sanitizer looks for
#else
constexpr bool kKeeps = true;
#endif

struct Kept {
  void *memory;
  int64_t bytes;
};

/// Oldest first.
class Cache {
public:
  ~Cache() {
    closed_ = true; // other objects of the thread may still be destroyed
    while (count_ > 0)
      std::free(remove(0).memory);
  }

  /// The smallest that fits without wasting more than a quarter.
  void *take(int64_t bytes) {
    int best = -1;
    for (int i = 0; i < count_; ++i)
      if (kept_[i].bytes >= bytes && kept_[i].bytes - bytes <= bytes / 4 &&
          (best < 0 || kept_[i].bytes < kept_[best].bytes))
        best = i;
    return best < 0 ? nullptr : remove(best).memory;
  }

  bool give(void *memory, int64_t bytes) {
    if (closed_)
      return false;
    while (count_ == kMost || (count_ > 0 && total_ + bytes > kMostBytes))
      std::free(remove(0).memory);
    kept_[count_++] = {memory, bytes};
    total_ += bytes;
    return true;
  }

private:
  Kept remove(int index) {
    Kept gone = kept_[index];
    for (int i = index + 1; i < count_; ++i)
      kept_[i - 1] = kept_[i];
    --count_;
    total_ -= gone.bytes;
    return gone;
  }

  Kept kept_[kMost];
  int count_ = 0;
  int64_t total_ = 0;
  bool closed_ = false;
};

thread_local Cache cache;

bool is_kept(int64_t bytes) { return kKeeps && bytes >= kSmallest && bytes <= kLargest; }

} // namespace

void *take_buffer(int64_t bytes, bool zeroed) {
  if (is_kept(bytes))
    if (void *memory = cache.take(bytes))
      return zeroed ? std::memset(memory, 0, bytes) : memory;
  if (!zeroed)
    return std::malloc(bytes);
  if (bytes > kClearedHere)
    return std::calloc(1, bytes);
  void *memory = std::malloc(bytes);
  return memory ? std::memset(memory, 0, bytes) : nullptr;
}

void give_buffer(void *memory, int64_t bytes) {
  if (!memory || !is_kept(bytes) || !cache.give(memory, bytes))
    std::free(memory);
}

} // namespace numjit
