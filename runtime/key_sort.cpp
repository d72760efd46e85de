// Quicksort and quickselect in place; no branch depends on the keys. With AVX-512 a piece is split
// vector by vector, and up to 128 keys are sorted in registers, by a network over the columns of a
// matrix and bitonic merges (after Bramas, "A novel hybrid quicksort algorithm vectorized using
// AVX-512", 2017).
#include "runtime/key_sort.h"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__x86_64__) && defined(__GNUC__)
#define NUMJIT_HAS_INTRINSICS 1
#include <immintrin.h>
#endif

namespace numjit {

namespace {

constexpr int kBlock = 128; ///< so many keys are sorted at once
constexpr int kSample = 64; ///< to choose a pivot from
constexpr int kLargeSample = 1024;

/// Moves the smaller of two keys to `a`.
template <class Key>
inline void order(Key &a, Key &b) {
  const Key low = std::min(a, b), high = std::max(a, b);
  a = low;
  b = high;
}

// --- scalar loops ---

/// Merges two sorted runs of `width` keys each, from both ends at once.
template <class Key>
void merge_runs(const Key *from, int64_t width, Key *to) {
  const Key *left = from, *right = from + width;
  const Key *left_end = right - 1, *right_end = right + width - 1;
  for (int64_t i = 0; i < width; ++i) { // within its half, no side can run out
    const bool take_right = *right < *left, take_left = *right_end < *left_end;
    to[i] = take_right ? *right : *left;
    right += take_right;
    left += !take_right;
    to[2 * width - 1 - i] = take_left ? *left_end : *right_end;
    left_end -= take_left;
    right_end -= !take_left;
  }
}

struct ScalarLoops {
  /// The keys below `pivot` to the front, the others behind them; the number of the first.
  template <class Key>
  static int64_t split(Key *keys, int64_t n, Key pivot) {
    int64_t low = 0;
    for (int64_t i = 0; i < n; ++i) {
      const Key key = keys[i];
      keys[i] = keys[low];
      keys[low] = key;
      low += key < pivot;
    }
    return low;
  }

  /// At most kBlock keys.
  template <class Key>
  static void sort_block(Key *keys, int64_t n) {
    Key runs[2][kBlock];
    int64_t size = 4;
    while (size < n)
      size *= 2;
    std::fill(std::copy(keys, keys + n, runs[0]), runs[0] + size, Key(-1));
    for (Key *a = runs[0]; a < runs[0] + size; a += 4) {
      order(a[0], a[1]);
      order(a[2], a[3]);
      order(a[0], a[2]);
      order(a[1], a[3]);
      order(a[1], a[2]);
    }
    int now = 0;
    for (int64_t width = 4; width < size; width *= 2, now ^= 1)
      for (int64_t i = 0; i < size; i += 2 * width)
        merge_runs(runs[now] + i, width, runs[now ^ 1] + i);
    std::copy(runs[now], runs[now] + n, keys);
  }

  /// The middle one of eight keys, about.
  static uint64_t middle(uint64_t *sample) {
    sort_block(sample, 8);
    return sample[4];
  }
};

// --- loops with vectors ---

#ifdef NUMJIT_HAS_INTRINSICS

// GCC 12 takes the "undefined" operands of the intrinsics for mistakes.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#define NUMJIT_AVX512 __attribute__((target("avx512f,popcnt")))
#define NUMJIT_AVX512_INLINE NUMJIT_AVX512 __attribute__((always_inline)) inline

using Vector = __m512i;
constexpr int kAtOnce = 8; ///< vectors that a split reads before it writes
constexpr int kLanes = 8, kVectors = kBlock / kLanes; // sorted in halves

NUMJIT_AVX512_INLINE void order(Vector &a, Vector &b) {
  Vector low = _mm512_min_epu64(a, b);
  b = _mm512_max_epu64(a, b);
  a = low;
}

/// Sorts each column of eight vectors, with the 19 comparisons that suffice.
NUMJIT_AVX512_INLINE void sort_columns(Vector *v) {
  static constexpr int pairs[][2] = {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6},
                                     {3, 7}, {0, 1}, {2, 3}, {4, 5}, {6, 7}, {2, 4}, {3, 5},
                                     {1, 4}, {3, 6}, {1, 2}, {3, 4}, {5, 6}};
#pragma GCC unroll 19
  for (int i = 0; i < 19; ++i)
    order(v[pairs[i][0]], v[pairs[i][1]]);
}

/// Columns become vectors; which column becomes which is of no matter.
NUMJIT_AVX512_INLINE void transpose(Vector *v) {
  Vector t[8];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    t[i] = _mm512_unpacklo_epi64(v[2 * i], v[2 * i + 1]);
    t[4 + i] = _mm512_unpackhi_epi64(v[2 * i], v[2 * i + 1]);
  }
#pragma GCC unroll 2
  for (int half = 0; half < 2; ++half) {
    Vector *from = t + 4 * half, *to = v + 4 * half;
    Vector even_low = _mm512_shuffle_i64x2(from[0], from[1], 0x88);
    Vector even_high = _mm512_shuffle_i64x2(from[2], from[3], 0x88);
    Vector odd_low = _mm512_shuffle_i64x2(from[0], from[1], 0xdd);
    Vector odd_high = _mm512_shuffle_i64x2(from[2], from[3], 0xdd);
    to[0] = _mm512_shuffle_i64x2(even_low, even_high, 0x88);
    to[1] = _mm512_shuffle_i64x2(even_low, even_high, 0xdd);
    to[2] = _mm512_shuffle_i64x2(odd_low, odd_high, 0x88);
    to[3] = _mm512_shuffle_i64x2(odd_low, odd_high, 0xdd);
  }
}

/// One step of a bitonic merge within a vector: lanes in `high` take the larger of them and theirs.
NUMJIT_AVX512_INLINE Vector order_lanes(Vector v, Vector partner, __mmask8 high) {
  return _mm512_mask_max_epu64(_mm512_min_epu64(v, partner), high, v, partner);
}

NUMJIT_AVX512_INLINE Vector merge_lanes(Vector v) {
  v = order_lanes(v, _mm512_shuffle_i64x2(v, v, 0x4e), 0xf0);
  v = order_lanes(v, _mm512_permutex_epi64(v, 0x4e), 0xcc);
  return order_lanes(v, _mm512_permutex_epi64(v, 0xb1), 0xaa);
}

NUMJIT_AVX512_INLINE Vector sort_lanes(Vector v) {
  v = order_lanes(v, _mm512_permutex_epi64(v, 0xb1), 0x66);
  v = order_lanes(v, _mm512_permutex_epi64(v, 0x4e), 0x3c);
  v = order_lanes(v, _mm512_permutex_epi64(v, 0xb1), 0x5a);
  return merge_lanes(v);
}

/// Sorts the keys of `count` vectors whose two halves are sorted.
template <int count>
NUMJIT_AVX512_INLINE void merge_halves(Vector *v) {
  const Vector reversed = _mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7);
#pragma GCC unroll 8
  for (int i = 0; i < count / 2; ++i) {
    v[count - 1 - i] = _mm512_permutexvar_epi64(reversed, v[count - 1 - i]);
    order(v[i], v[count - 1 - i]);
  }
#pragma GCC unroll 4
  for (int distance = count / 4; distance > 0; distance /= 2)
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i)
      if (!(i & distance))
        order(v[i], v[i + distance]);
#pragma GCC unroll 16
  for (int i = 0; i < count; ++i)
    v[i] = merge_lanes(v[i]);
}

/// A mask of the first n lanes; of all if n is larger.
template <class Mask>
NUMJIT_AVX512_INLINE Mask first_lanes(int64_t n) {
  return Mask((1u << std::clamp<int64_t>(n, 0, 8 * sizeof(Mask))) - 1);
}

/// Sorts the keys of eight vectors.
NUMJIT_AVX512_INLINE void sort_half(Vector *v) {
  sort_columns(v);
  transpose(v);
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2)
    merge_halves<2>(v + i);
  merge_halves<4>(v);
  merge_halves<4>(v + 4);
  merge_halves<8>(v);
}

/// Sorts kBlock keys, of which n are not just the largest.
NUMJIT_AVX512_INLINE void sort_vectors(Vector (&v)[kVectors], int64_t n) {
  sort_half(v);
  if (n > kBlock / 2) {
    sort_half(v + kVectors / 2);
    merge_halves<kVectors>(v);
  }
}

/// Writes the first n keys of some vectors. Masked stores would hold up the loads of what follows.
template <class Key, int count>
NUMJIT_AVX512_INLINE void store_keys(Key *keys, int64_t n, const Vector (&v)[count]) {
  constexpr int64_t each = sizeof(Vector) / sizeof(Key);
  alignas(Vector) Key sorted[count * each];
#pragma GCC unroll 16
  for (int i = 0; i < count; ++i)
    _mm512_store_si512(sorted + i * each, v[i]);
  std::memcpy(keys, sorted, n * sizeof(Key));
}

NUMJIT_AVX512 void sort_block_with_vectors(uint64_t *keys, int64_t n) {
  const Vector top = _mm512_set1_epi64(-1);
  Vector v[kVectors];
#pragma GCC unroll 16
  for (int i = 0; i < kVectors; ++i)
    v[i] = i * kLanes < n ? _mm512_mask_loadu_epi64(top, first_lanes<__mmask8>(n - i * kLanes),
                                                    keys + i * kLanes)
                          : top;
  sort_vectors(v, n);
  store_keys(keys, n, v);
}

NUMJIT_AVX512 void sort_block_with_vectors(uint32_t *keys, int64_t n) {
  const Vector top = _mm512_set1_epi64(-1);
  Vector v[kVectors];
#pragma GCC unroll 8
  for (int i = 0; i < kVectors; i += 2) {
    const Vector both = i * kLanes < n
                            ? _mm512_mask_loadu_epi32(top, first_lanes<__mmask16>(n - i * kLanes),
                                                      keys + i * kLanes)
                            : top;
    v[i] = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(both));
    v[i + 1] = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(both, 1));
  }
  sort_vectors(v, n);
  Vector packed[kVectors / 2];
#pragma GCC unroll 8
  for (int i = 0; i < kVectors / 2; ++i)
    packed[i] = _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(v[2 * i])),
                                   _mm512_cvtepi64_epi32(v[2 * i + 1]), 1);
  store_keys(keys, n, packed);
}

/// For each mask of eight lanes, where the lanes of a vector come from whose first ones are those
/// of the mask, and whose last ones the others.
struct Orders {
  constexpr Orders() {
    for (int mask = 0; mask < 256; ++mask) {
      int first = 0, others = std::popcount(static_cast<unsigned>(mask));
      for (int lane = 0; lane < kLanes; ++lane)
        from[mask][mask >> lane & 1 ? first++ : others++] = static_cast<uint8_t>(lane);
    }
  }
  uint8_t from[256][kLanes] = {};
};
constexpr Orders kOrders;

/// A vector of keys of one width.
template <class Key>
struct Lanes;

template <>
struct Lanes<uint64_t> {
  using Mask = __mmask8;
  NUMJIT_AVX512_INLINE static Vector all(uint64_t key) { return _mm512_set1_epi64(int64_t(key)); }
  NUMJIT_AVX512_INLINE static Mask below(Vector v, Vector pivots) {
    return _mm512_cmplt_epu64_mask(v, pivots);
  }
  NUMJIT_AVX512_INLINE static Vector to_front(Mask mask, Vector v) {
    return _mm512_maskz_compress_epi64(mask, v);
  }
  NUMJIT_AVX512_INLINE static Vector to_back(Vector front, Mask mask, Vector back) {
    return _mm512_mask_expand_epi64(front, mask, back);
  }
  /// The `count` lanes of the mask in front of the others. For eight lanes there is a table: one
  /// permutation instead of three.
  NUMJIT_AVX512_INLINE static Vector apart(Vector v, Mask mask, int /*count*/) {
    const __m128i from = _mm_loadl_epi64(reinterpret_cast<const __m128i *>(kOrders.from[mask]));
    return _mm512_permutexvar_epi64(_mm512_cvtepu8_epi64(from), v);
  }
  NUMJIT_AVX512_INLINE static Vector load(const uint64_t *keys, Mask mask) {
    return _mm512_maskz_loadu_epi64(mask, keys);
  }
};

template <>
struct Lanes<uint32_t> {
  using Mask = __mmask16;
  NUMJIT_AVX512_INLINE static Vector all(uint32_t key) { return _mm512_set1_epi32(int32_t(key)); }
  NUMJIT_AVX512_INLINE static Mask below(Vector v, Vector pivots) {
    return _mm512_cmplt_epu32_mask(v, pivots);
  }
  NUMJIT_AVX512_INLINE static Vector to_front(Mask mask, Vector v) {
    return _mm512_maskz_compress_epi32(mask, v);
  }
  NUMJIT_AVX512_INLINE static Vector to_back(Vector front, Mask mask, Vector back) {
    return _mm512_mask_expand_epi32(front, mask, back);
  }
  NUMJIT_AVX512_INLINE static Vector apart(Vector v, Mask mask, int count) {
    return to_back(to_front(mask, v), Mask(~0u << count), to_front(Mask(~mask), v));
  }
  NUMJIT_AVX512_INLINE static Vector load(const uint32_t *keys, Mask mask) {
    return _mm512_maskz_loadu_epi32(mask, keys);
  }
};

/// Room in an array for keys, from both of its ends.
template <class Key>
struct Room {
  using L = Lanes<Key>;
  using Mask = typename L::Mask;
  static constexpr int kCount = sizeof(Vector) / sizeof(Key);

  /// Puts the keys of `v` to the ends. There is room for a whole vector at each end, or only for
  /// this one; what is too much is covered by later stores.
  NUMJIT_AVX512_INLINE void take(Vector v, Vector pivots) {
    const Mask below = L::below(v, pivots);
    const int count = std::popcount(static_cast<unsigned>(below));
    put(L::apart(v, below, count), count, kCount - count);
  }

  /// The same for the keys of `v` that are in `lanes`.
  NUMJIT_AVX512_INLINE void take(Vector v, Vector pivots, Mask lanes) {
    const Mask below = L::below(v, pivots) & lanes, others = ~below & lanes;
    const int other_count = std::popcount(static_cast<unsigned>(others));
    const Vector apart = L::to_back(L::to_front(below, v), Mask(~0u << (kCount - other_count)),
                                    L::to_front(others, v));
    put(apart, std::popcount(static_cast<unsigned>(below)), other_count);
  }

  /// The first keys of a vector to the one end, the last ones to the other.
  NUMJIT_AVX512_INLINE void put(Vector apart, int count, int other_count) {
    _mm512_storeu_si512(low, apart);
    _mm512_storeu_si512(high - kCount, apart);
    low += count;
    high -= other_count;
  }

  Key *low, *high;
};

/// Several vectors are read at a time, at the end where there is less room between what is read and
/// what is written, so that afterwards there is enough at both. Which end that is cannot be
/// predicted, so it is asked seldom. The first ones, and the last ones that are fewer, wait in
/// registers.
template <class Key>
NUMJIT_AVX512 int64_t split_with_vectors(Key *keys, int64_t n, Key pivot) {
  constexpr int kCount = Room<Key>::kCount, kStep = kAtOnce * kCount;
  using Mask = typename Lanes<Key>::Mask;
  static_assert(kBlock >= 2 * kCount);
  const Vector pivots = Lanes<Key>::all(pivot);
  const int64_t rest_size = n < 2 * kStep ? n : n % kStep, full = rest_size / kCount;
  Room<Key> room{keys, keys + n};
  Key *left = keys, *right = keys + n - rest_size;
  Vector first[kAtOnce], last[kAtOnce], v[2 * kAtOnce];
  const Mask partial_lanes = first_lanes<Mask>(rest_size % kCount);
  const Vector partial = Lanes<Key>::load(right + full * kCount, partial_lanes);
#pragma GCC unroll 16
  for (int i = 0; i < 2 * kAtOnce; ++i)
    if (i < full)
      v[i] = _mm512_loadu_si512(right + i * kCount);
  const bool is_long = left < right;
  if (is_long) {
    right -= kStep;
#pragma GCC unroll 8
    for (int i = 0; i < kAtOnce; ++i) {
      first[i] = _mm512_loadu_si512(left + i * kCount);
      last[i] = _mm512_loadu_si512(right + i * kCount);
    }
    left += kStep;
  }
  if (partial_lanes)
    room.take(partial, pivots, partial_lanes);
#pragma GCC unroll 16
  for (int i = 0; i < 2 * kAtOnce; ++i)
    if (i < full)
      room.take(v[i], pivots);
  if (!is_long)
    return room.low - keys;
  while (left < right) {
    const bool from_left = left - room.low <= room.high - right;
    const Key *next = from_left ? left : right - kStep;
    left += from_left ? kStep : 0;
    right -= from_left ? 0 : kStep;
    Vector read[kAtOnce];
#pragma GCC unroll 8
    for (int i = 0; i < kAtOnce; ++i)
      read[i] = _mm512_loadu_si512(next + i * kCount);
#pragma GCC unroll 8
    for (int i = 0; i < kAtOnce; ++i)
      room.take(read[i], pivots);
  }
#pragma GCC unroll 8
  for (int i = 0; i < kAtOnce; ++i)
    room.take(first[i], pivots);
#pragma GCC unroll 8
  for (int i = 0; i < kAtOnce; ++i)
    room.take(last[i], pivots);
  return room.low - keys;
}

NUMJIT_AVX512 uint64_t middle_of_vector(const uint64_t *keys) {
  uint64_t sorted[kLanes];
  _mm512_storeu_si512(sorted, sort_lanes(_mm512_loadu_si512(keys)));
  return sorted[kLanes / 2];
}

struct VectorLoops {
  template <class Key>
  static int64_t split(Key *keys, int64_t n, Key pivot) {
    return split_with_vectors(keys, n, pivot);
  }
  template <class Key>
  static void sort_block(Key *keys, int64_t n) {
    sort_block_with_vectors(keys, n);
  }
  static uint64_t middle(uint64_t *sample) { return middle_of_vector(sample); }
};

bool has_vectors() { return __builtin_cpu_supports("avx512f"); }

#else

using VectorLoops = ScalarLoops;
bool has_vectors() { return false; }

#endif

// --- sorting and selecting with either ---

template <class Key>
void take_sample(const Key *keys, int64_t n, uint64_t *sample, int64_t size) {
  const int64_t step = n / size;
  for (int64_t i = 0; i < size; ++i)
    sample[i] = keys[i * step + step / 2];
}

template <class Loops, class Key>
Key choose_pivot(const Key *keys, int64_t n) {
  uint64_t sample[kSample];
  if (n < 3000) {
    take_sample(keys, n, sample, 8);
    return Key(Loops::middle(sample));
  }
  take_sample(keys, n, sample, kSample);
  Loops::sort_block(sample, kSample);
  return Key(sample[kSample / 2]);
}

/// A split that makes progress: where no key is below the pivot, those equal to it are in front.
struct Split {
  int64_t low;
  bool equal; ///< the low keys are equal
};
template <class Loops, class Key>
Split split(Key *keys, int64_t n, Key pivot) {
  if (const int64_t low = Loops::split(keys, n, pivot))
    return {low, false};
  return {pivot == Key(-1) ? n : Loops::split(keys, n, Key(pivot + 1)), true};
}

template <class Loops, class Key>
void quicksort(Key *keys, int64_t n, int depth) {
  while (n > kBlock) {
    if (depth-- == 0) // unlucky pivots
      return std::sort(keys, keys + n);
    const auto [low, equal] = split<Loops>(keys, n, choose_pivot<Loops>(keys, n));
    if (!equal)
      quicksort<Loops>(keys, low, depth);
    keys += low;
    n -= low;
  }
  Loops::sort_block(keys, n);
}

/// After Floyd and Rivest: the pivot is so far beside the wanted key that this is most likely in
/// the shorter part.
template <class Loops, class Key>
void select(Key *keys, int64_t n, int64_t k) {
  constexpr int kMostRounds = 24; // unlucky samples
  for (int round = 0; n > kBlock; ++round) {
    if (round == kMostRounds)
      return std::nth_element(keys, keys + k, keys + n);
    uint64_t sample[kLargeSample];
    const int64_t size = n > 30 * kLargeSample ? kLargeSample : n > 4 * kSample ? kSample : 8;
    take_sample(keys, n, sample, size);
    quicksort<Loops>(sample, size, 40);
    // Two and a half standard deviations of a place in the sample, at most.
    const int64_t margin = size == 8 ? 1 : size == kSample ? 10 : 40, place = k * size / n;
    const int64_t wanted = k < n / 2 ? place + margin : place - margin;
    const Key pivot = Key(sample[std::clamp<int64_t>(wanted, 0, size - 1)]);
    const auto [low, equal] = split<Loops>(keys, n, pivot);
    if (k >= low) {
      keys += low;
      k -= low;
      n -= low;
    } else if (equal) {
      return;
    } else {
      n = low;
    }
  }
  Loops::sort_block(keys, n);
}

} // namespace

KeyLoops best_key_loops() {
  static const KeyLoops best = has_vectors() ? KeyLoops::Vector : KeyLoops::Scalar;
  return best;
}

template <class Key>
void sort_keys(Key *keys, int64_t n, KeyLoops loops) {
  if (n < 2)
    return;
  const int depth = 2 * std::bit_width(static_cast<uint64_t>(n));
  if (loops == KeyLoops::Vector)
    quicksort<VectorLoops>(keys, n, depth);
  else
    quicksort<ScalarLoops>(keys, n, depth);
}

template <class Key>
void select_key(Key *keys, int64_t n, int64_t k, KeyLoops loops) {
  if (loops == KeyLoops::Vector)
    select<VectorLoops>(keys, n, k);
  else
    select<ScalarLoops>(keys, n, k);
}

template void sort_keys(uint32_t *, int64_t, KeyLoops);
template void sort_keys(uint64_t *, int64_t, KeyLoops);
template void select_key(uint32_t *, int64_t, int64_t, KeyLoops);
template void select_key(uint64_t *, int64_t, int64_t, KeyLoops);

} // namespace numjit
