// Quicksort from one buffer to another and back: pieces are read in order, nothing is moved twice
// and no branch depends on the keys. With AVX-512, up to 64 keys are sorted in registers, by a
// network over the columns of a matrix and bitonic merges (after Bramas, "A novel hybrid quicksort
// algorithm vectorized using AVX-512", 2017).
#include "runtime/key_sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#if defined(__x86_64__) && defined(__GNUC__)
#define NUMJIT_HAS_INTRINSICS 1
#include <immintrin.h>
#endif

namespace numjit {

namespace {

constexpr int kBlock = 64;  ///< so many keys are sorted at once
constexpr int kSample = 64; ///< to choose a pivot from
constexpr int kLargeSample = 1024;

/// Moves the smaller of two keys to `a`.
inline void order(uint64_t &a, uint64_t &b) {
  const uint64_t low = std::min(a, b), high = std::max(a, b);
  a = low;
  b = high;
}

/// The keys below `pivot` to the front of `out`, the others to its end; the number of the first.
/// `low` and `high` bound the room of `out` that is left.
inline int64_t split_one_by_one(const uint64_t *keys, const uint64_t *end, uint64_t *out,
                                int64_t low, int64_t high, uint64_t pivot) {
  for (; keys < end; ++keys) {
    const bool below = *keys < pivot;
    out[low] = out[high - 1] = *keys;
    low += below;
    high -= !below;
  }
  return low;
}

// --- scalar loops
// --------------------------------------------------------------------------------------

/// Merges two sorted runs of `width` keys each, from both ends at once.
void merge_runs(const uint64_t *from, int64_t width, uint64_t *to) {
  const uint64_t *left = from, *right = from + width;
  const uint64_t *left_end = right - 1, *right_end = right + width - 1;
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
  static int64_t split(const uint64_t *keys, int64_t n, uint64_t *out, uint64_t pivot) {
    return split_one_by_one(keys, keys + n, out, 0, n, pivot);
  }

  /// At most kBlock keys; `to` may be `from`.
  static void sort_block(const uint64_t *from, int64_t n, uint64_t *to) {
    uint64_t runs[2][kBlock];
    int64_t size = 4;
    while (size < n)
      size *= 2;
    std::fill(std::copy(from, from + n, runs[0]), runs[0] + size, UINT64_MAX);
    for (uint64_t *a = runs[0]; a < runs[0] + size; a += 4) {
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
    std::copy(runs[now], runs[now] + n, to);
  }

  /// The middle one of eight keys, about.
  static uint64_t middle(uint64_t *sample) {
    sort_block(sample, 8, sample);
    return sample[4];
  }
};

// --- loops with vectors
// --------------------------------------------------------------------------------------

#ifdef NUMJIT_HAS_INTRINSICS

// GCC 12 takes the "undefined" operands of the intrinsics for mistakes.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#define NUMJIT_AVX512 __attribute__((target("avx512f,popcnt")))
#define NUMJIT_AVX512_INLINE NUMJIT_AVX512 __attribute__((always_inline)) inline

using Vector = __m512i;
constexpr int kLanes = 8, kVectors = kBlock / kLanes;

NUMJIT_AVX512_INLINE void order(Vector &a, Vector &b) {
  Vector low = _mm512_min_epu64(a, b);
  b = _mm512_max_epu64(a, b);
  a = low;
}

/// Sorts each column of eight vectors, with the 19 comparisons that suffice.
NUMJIT_AVX512_INLINE void sort_columns(Vector (&v)[kVectors]) {
  static constexpr int pairs[][2] = {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6},
                                     {3, 7}, {0, 1}, {2, 3}, {4, 5}, {6, 7}, {2, 4}, {3, 5},
                                     {1, 4}, {3, 6}, {1, 2}, {3, 4}, {5, 6}};
#pragma GCC unroll 19
  for (int i = 0; i < 19; ++i)
    order(v[pairs[i][0]], v[pairs[i][1]]);
}

/// Columns become vectors; which column becomes which is of no matter.
NUMJIT_AVX512_INLINE void transpose(Vector (&v)[kVectors]) {
  Vector t[kVectors];
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
#pragma GCC unroll 4
  for (int i = 0; i < count / 2; ++i) {
    v[count - 1 - i] = _mm512_permutexvar_epi64(reversed, v[count - 1 - i]);
    order(v[i], v[count - 1 - i]);
  }
#pragma GCC unroll 3
  for (int distance = count / 4; distance > 0; distance /= 2)
#pragma GCC unroll 8
    for (int i = 0; i < count; ++i)
      if (!(i & distance))
        order(v[i], v[i + distance]);
#pragma GCC unroll 8
  for (int i = 0; i < count; ++i)
    v[i] = merge_lanes(v[i]);
}

/// The lanes of vector `i` that hold some of the first n keys.
NUMJIT_AVX512_INLINE __mmask8 lanes_of(int i, int64_t n) {
  const int64_t left = n - i * kLanes;
  return left >= kLanes ? 0xff : left <= 0 ? 0 : __mmask8((1 << left) - 1);
}

/// At most kBlock keys; `to` may be `from`.
NUMJIT_AVX512 void sort_block_with_vectors(const uint64_t *from, int64_t n, uint64_t *to) {
  const Vector top = _mm512_set1_epi64(-1);
  Vector v[kVectors];
#pragma GCC unroll 8
  for (int i = 0; i < kVectors; ++i)
    v[i] = _mm512_mask_loadu_epi64(top, lanes_of(i, n), from + i * kLanes);
  sort_columns(v);
  transpose(v);
#pragma GCC unroll 4
  for (int i = 0; i < kVectors; i += 2)
    merge_halves<2>(v + i);
  merge_halves<4>(v);
  merge_halves<4>(v + 4);
  merge_halves<8>(v);
#pragma GCC unroll 8
  for (int i = 0; i < kVectors; ++i)
    _mm512_mask_storeu_epi64(to + i * kLanes, lanes_of(i, n), v[i]);
}

/// For each mask of lanes the order that puts those lanes in front, one byte a lane.
constexpr std::array<uint64_t, 256> kToFront = [] {
  std::array<uint64_t, 256> table{};
  for (unsigned mask = 0; mask < 256; ++mask) {
    int place = 0;
    for (unsigned wanted : {1u, 0u})
      for (uint64_t lane = 0; lane < kLanes; ++lane)
        if ((mask >> lane & 1) == wanted)
          table[mask] |= lane << (8 * place++);
  }
  return table;
}();

NUMJIT_AVX512 int64_t split_with_vectors(const uint64_t *keys, int64_t n, uint64_t *out,
                                         uint64_t pivot) {
  const Vector pivots = _mm512_set1_epi64(static_cast<long long>(pivot));
  int64_t low = 0, high = n, i = 0;
  // The low ones in front, the others behind them: written to both ends of the room that is left,
  // where the next writes cover what does not belong there. The ends must not overlap.
  for (; i + 2 * kLanes <= n; i += kLanes) {
    Vector v = _mm512_loadu_si512(keys + i);
    const __mmask8 below = _mm512_cmplt_epu64_mask(v, pivots);
    const int count = std::popcount(static_cast<unsigned>(below));
    Vector lanes = _mm512_cvtepu8_epi64(_mm_cvtsi64_si128(static_cast<long long>(kToFront[below])));
    Vector sorted = _mm512_permutexvar_epi64(lanes, v);
    _mm512_storeu_si512(out + low, sorted);
    _mm512_storeu_si512(out + high - kLanes, sorted);
    low += count;
    high -= kLanes - count;
  }
  return split_one_by_one(keys + i, keys + n, out, low, high, pivot);
}

NUMJIT_AVX512 uint64_t middle_of_vector(const uint64_t *keys) {
  uint64_t sorted[kLanes];
  _mm512_storeu_si512(sorted, sort_lanes(_mm512_loadu_si512(keys)));
  return sorted[kLanes / 2];
}

struct VectorLoops {
  static int64_t split(const uint64_t *keys, int64_t n, uint64_t *out, uint64_t pivot) {
    return split_with_vectors(keys, n, out, pivot);
  }
  static void sort_block(const uint64_t *from, int64_t n, uint64_t *to) {
    sort_block_with_vectors(from, n, to);
  }
  static uint64_t middle(uint64_t *sample) { return middle_of_vector(sample); }
};

bool has_vectors() { return __builtin_cpu_supports("avx512f"); }

#else

using VectorLoops = ScalarLoops;
bool has_vectors() { return false; }

#endif

// --- sorting and selecting with either
// --------------------------------------------------------------------------------------

void take_sample(const uint64_t *keys, int64_t n, uint64_t *sample, int64_t size) {
  const int64_t step = n / size;
  for (int64_t i = 0; i < size; ++i)
    sample[i] = keys[i * step + step / 2];
}

template <class Loops>
uint64_t choose_pivot(const uint64_t *keys, int64_t n) {
  uint64_t sample[kSample];
  if (n < 3000) {
    take_sample(keys, n, sample, 8);
    return Loops::middle(sample);
  }
  take_sample(keys, n, sample, kSample);
  Loops::sort_block(sample, kSample, sample);
  return sample[kSample / 2];
}

/// Sorts `keys`, with the result in `other` if `to_other`; both have room for n.
template <class Loops>
void quicksort(uint64_t *keys, int64_t n, uint64_t *other, bool to_other, int depth) {
  while (n > kBlock) {
    if (depth-- == 0) { // unlucky pivots
      std::sort(keys, keys + n);
      if (to_other)
        std::copy(keys, keys + n, other);
      return;
    }
    const uint64_t pivot = choose_pivot<Loops>(keys, n);
    int64_t low = Loops::split(keys, n, other, pivot);
    if (low > 0) {
      quicksort<Loops>(other, low, keys, !to_other, depth);
    } else { // the pivot is the smallest key: those equal to it are in place
      low = pivot == UINT64_MAX ? n : Loops::split(keys, n, other, pivot + 1);
      std::fill_n(to_other ? other : keys, low, pivot);
    }
    keys += low;
    other += low;
    n -= low;
    std::swap(keys, other);
    to_other = !to_other;
  }
  Loops::sort_block(keys, n, to_other ? other : keys);
}

/// After Floyd and Rivest: the pivot is so far beside the wanted key that this is most likely in
/// the shorter part.
template <class Loops>
void select(uint64_t *keys, int64_t n, int64_t k, uint64_t *other, int rounds) {
  while (n > 4 * kBlock && rounds-- > 0) {
    uint64_t sample[kLargeSample];
    const int64_t size = n > 30 * kLargeSample ? kLargeSample : kSample;
    take_sample(keys, n, sample, size);
    quicksort<Loops>(sample, size, other, false, 40);
    // Two and a half standard deviations of a place in the sample, at most.
    const int64_t margin = size == kSample ? 10 : 40, place = k * size / n;
    const int64_t wanted = k < n / 2 ? place + margin : place - margin;
    const uint64_t pivot = sample[std::clamp<int64_t>(wanted, 0, size - 1)];
    int64_t low = Loops::split(keys, n, other, pivot);
    const bool smallest = low == 0;
    if (smallest) // or else no progress: those equal to the pivot are the low ones
      low = pivot == UINT64_MAX ? n : Loops::split(keys, n, other, pivot + 1);
    std::copy(other, other + n, keys);
    if (k >= low) {
      keys += low;
      k -= low;
      n -= low;
    } else if (smallest) {
      return;
    } else {
      n = low;
    }
  }
  std::nth_element(keys, keys + k, keys + n);
}

} // namespace

KeyLoops best_key_loops() {
  static const KeyLoops best = has_vectors() ? KeyLoops::Vector : KeyLoops::Scalar;
  return best;
}

void sort_keys(uint64_t *keys, int64_t n, uint64_t *other, KeyLoops loops) {
  const int depth = 2 * std::bit_width(static_cast<uint64_t>(n));
  if (loops == KeyLoops::Vector)
    quicksort<VectorLoops>(keys, n, other, false, depth);
  else
    quicksort<ScalarLoops>(keys, n, other, false, depth);
}

void select_key(uint64_t *keys, int64_t n, int64_t k, uint64_t *other, KeyLoops loops) {
  constexpr int kMostRounds = 24; // unlucky samples
  if (loops == KeyLoops::Vector)
    select<VectorLoops>(keys, n, k, other, kMostRounds);
  else
    select<ScalarLoops>(keys, n, k, other, kMostRounds);
}

} // namespace numjit
