// Sorting in three steps: a line of the array is read as unsigned keys that are in the same order,
// the keys are sorted (key_sort.h), and the result is written from them. So strides, types, NaN and
// -0.0 are dealt with in one place. Positions are sorted with their keys, both in one word. Complex
// numbers have no such keys and are compared.
//
// Long sorts do not ask for interrupts: 10^8 elements take a few seconds.
#include "runtime/sort.h"

#include "runtime/buffers.h"
#include "runtime/key_sort.h"
#include "runtime/runtime.h"

#include <algorithm>
#include <bit>
#include <complex>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>

namespace {

// --- keys: unsigned integers in the order of the elements ---

template <size_t bytes>
using Unsigned = std::conditional_t<
    bytes == 1, uint8_t,
    std::conditional_t<bytes == 2, uint16_t, std::conditional_t<bytes == 4, uint32_t, uint64_t>>>;
template <class T>
using KeyOf = Unsigned<sizeof(T)>;
template <class Key>
constexpr Key kTop = Key(Key(1) << (8 * sizeof(Key) - 1));

/// Negative floats have all bits inverted, so that their order is reversed; others the sign. NaN
/// loses its sign and comes behind infinity; -0.0 is in front of 0.0.
template <class T>
KeyOf<T> key_of(T x) {
  using Key = KeyOf<T>;
  auto bits = std::bit_cast<Key>(x);
  if constexpr (std::is_floating_point_v<T>) {
    bits = x != x ? Key(bits & ~kTop<Key>) : bits;
    return bits ^ (Key(std::make_signed_t<Key>(bits) >> (8 * sizeof(Key) - 1)) | kTop<Key>);
  } else if constexpr (std::is_signed_v<T>) {
    return bits ^ kTop<Key>;
  }
  return bits;
}

template <class T>
T value_of(KeyOf<T> key) {
  using Key = KeyOf<T>;
  if constexpr (std::is_floating_point_v<T>)
    key ^= Key(std::make_signed_t<Key>(~key) >> (8 * sizeof(Key) - 1)) | kTop<Key>; // no branch
  else if constexpr (std::is_signed_v<T>)
    key ^= kTop<Key>;
  return std::bit_cast<T>(key);
}

// --- lines of elements ---

/// Memory for `count` items, on the stack while they are few.
template <class Item>
class Scratch {
public:
  explicit Scratch(int64_t count) : bytes_(count * int64_t(sizeof(Item))) {
    memory_ = bytes_ <= int64_t(sizeof near_) ? near_ : numjit::take_buffer(bytes_, false);
  }
  Scratch(const Scratch &) = delete;
  ~Scratch() {
    if (memory_ != near_)
      numjit::give_buffer(memory_, bytes_);
  }
  explicit operator bool() const { return memory_ != nullptr; }
  Item *data() { return static_cast<Item *>(memory_); }

private:
  int64_t bytes_;
  void *memory_;
  alignas(64) char near_[4096];
};

struct Line {
  char *data;
  int64_t stride, count;
};
struct Wanted { // by a partition; ascending
  const int64_t *kth;
  int64_t count;
};

template <class T>
T element(const Line &line, int64_t i) {
  T x;
  std::memcpy(&x, line.data + i * line.stride, sizeof x);
  return x;
}
template <class T>
void set_element(const Line &line, int64_t i, T x) {
  std::memcpy(line.data + i * line.stride, &x, sizeof x);
}

/// f(line) with a stride that is known to be the size of an element, if it is: loops over it then
/// are vectorised.
template <class T, class F>
auto with_stride(const Line &line, F f) {
  if (line.stride == sizeof(T))
    return f(Line{line.data, sizeof(T), line.count});
  return f(line);
}

struct KeyRange {
  uint64_t low = UINT64_MAX, high = 0;
};

/// The elements' keys, as `key` returns them.
template <class T, class F>
KeyRange read_keys(const Line &line, uint64_t *keys, F key) {
  return with_stride<T>(line, [&](Line l) {
    KeyRange range;
    for (int64_t i = 0; i < l.count; ++i) {
      keys[i] = key(element<T>(l, i));
      range.low = std::min(range.low, keys[i]);
      range.high = std::max(range.high, keys[i]);
    }
    return range;
  });
}

/// For the values alone: the elements' keys to `keys`, which may be the line itself; the number of
/// those that are -0.0.
template <class T, class Key>
int64_t to_keys(const Line &line, Key *keys) {
  return with_stride<T>(line, [&](Line l) {
    int64_t negative_zeros = 0;
    for (int64_t i = 0; i < l.count; ++i) {
      keys[i] = key_of(element<T>(l, i));
      if constexpr (std::is_floating_point_v<T>)
        negative_zeros += keys[i] == key_of(T(-0.0));
    }
    return negative_zeros;
  });
}

template <class T, class Key>
void from_keys(const Line &line, const Key *keys) {
  with_stride<T>(line, [&](Line l) {
    for (int64_t i = 0; i < l.count; ++i)
      set_element(l, i, value_of<T>(KeyOf<T>(keys[i])));
  });
}

/// Whether there are so few different keys that counting them is the fastest. One count for each
/// fits into half of a line's keys.
bool is_short(const KeyRange &range, int64_t n) {
  return n > 1 && range.high - range.low < std::min<uint64_t>(n / 2, 1 << 16);
}

/// For each key the number of smaller ones.
void count_smaller(const uint64_t *keys, int64_t n, const KeyRange &range, uint64_t *counts) {
  const uint64_t values = range.high - range.low + 1;
  std::fill_n(counts, values, 0);
  for (int64_t i = 0; i < n; ++i)
    ++counts[keys[i] - range.low];
  std::exclusive_scan(counts, counts + values, counts, uint64_t(0));
}

/// For keys below `values`.
bool sort_by_counting(uint32_t *keys, int64_t n, uint32_t values) {
  Scratch<int64_t> counts(values);
  if (!counts)
    return false;
  std::fill_n(counts.data(), values, 0);
  for (int64_t i = 0; i < n; ++i)
    ++counts.data()[keys[i]];
  for (uint32_t value = 0; value < values; ++value)
    keys = std::fill_n(keys, counts.data()[value], value);
  return true;
}

constexpr int64_t kFew = 2048;

/// Sorts many contiguous numbers with the host's function; false if there are few, or there is
/// none.
template <class T>
bool sort_in_host(T *numbers, int64_t n) {
  nj_host_sort sort = nullptr;
  if constexpr (std::is_same_v<T, float>)
    sort = nj_host.sort_float32;
  else if constexpr (std::is_same_v<T, double>)
    sort = nj_host.sort_float64;
  else if constexpr (sizeof(T) == 4)
    sort = std::is_signed_v<T> ? nj_host.sort_int32 : nj_host.sort_uint32;
  else if constexpr (sizeof(T) == 8)
    sort = std::is_signed_v<T> ? nj_host.sort_int64 : nj_host.sort_uint64;
  return sort && n >= kFew && sort(numbers, n, nullptr) == 0;
}

template <class Key>
void sort_keys(Key *keys, int64_t n) {
  if (!sort_in_host(keys, n))
    numjit::sort_keys(keys, n);
}

/// Sorts keys of floats. 0.0 and -0.0 are equal, so they keep the order that they have.
template <class T, class Key>
bool sort_with_zeros(Key *keys, int64_t n) {
  const Key negative = key_of(T(-0.0)), positive = key_of(T(0.0));
  auto is_zero = [&](Key key) { return key == negative || key == positive; };
  Scratch<Key> zeros(std::count_if(keys, keys + n, is_zero));
  if (!zeros)
    return false;
  Key *end = std::copy_if(keys, keys + n, zeros.data(), is_zero);
  sort_keys(keys, n);
  std::copy(zeros.data(), end, std::lower_bound(keys, keys + n, negative));
  return true;
}

/// Whether a float is among some that is -0.0.
template <class T>
bool has_negative_zero(const T *first, const T *last) {
  if constexpr (std::is_floating_point_v<T>)
    return std::count_if(first, last,
                         [](T x) { return std::bit_cast<KeyOf<T>>(x) == kTop<KeyOf<T>>; }) > 0;
  return false;
}

/// Sorts a line to memory of its own type without keys, where the host can and no zero is negative.
template <class T>
bool sort_without_keys(const Line &line, T *out) {
  constexpr int64_t kNear = 2048; ///< so many are still in the cache
  if (line.count < kFew)
    return false;
  for (int64_t i = 0; i < line.count; i += kNear) {
    const int64_t end = std::min(i + kNear, line.count);
    with_stride<T>(line, [&](Line l) {
      for (int64_t k = i; k < end; ++k)
        out[k] = element<T>(l, k);
    });
    if (has_negative_zero(out + i, out + end))
      return false;
  }
  return std::ranges::is_sorted(out, out + line.count, {}, key_of<T>) ||
         sort_in_host(out, line.count);
}

/// The same key for elements that are equal or both NaN.
template <class T>
uint64_t shared_key(T x) {
  if constexpr (std::is_floating_point_v<T>)
    x = x != x ? std::numeric_limits<T>::quiet_NaN() : x + T(0);
  return key_of(x);
}

/// Keys with their positions, in words that are in their order. Where both don't fit, the low bits
/// of the keys are left out, and restore_ties makes up for it.
template <class T>
class Words {
public:
  /// Makes words from the keys.
  Words(const Line &line, uint64_t *keys, const KeyRange &range)
      : line_(line), position_bits_(int(std::bit_width(uint64_t(line.count - 1)))),
        left_out_(std::max(int(std::bit_width(range.high - range.low)) + position_bits_ - 64, 0)) {
    for (int64_t i = 0; i < line.count; ++i)
      keys[i] = ((keys[i] - range.low) >> left_out_) << position_bits_ | uint64_t(i);
  }

  int64_t position(uint64_t word) const { return word & ((uint64_t(1) << position_bits_) - 1); }

  void restore_ties(uint64_t *words) const {
    if (left_out_ == 0)
      return;
    for (int64_t i = 0, end; i < line_.count; i = end) {
      for (end = i + 1; end < line_.count && is_tie(words[end], words[i]);)
        ++end;
      if (end - i > 1)
        sort_ties(words + i, words + end);
    }
  }

  /// The words in front of and behind the selected one that tie with it.
  void restore_ties_with(uint64_t *selected, uint64_t *first, uint64_t *last) const {
    if (left_out_ == 0)
      return;
    auto ties = [this, word = *selected](uint64_t other) { return is_tie(other, word); };
    sort_ties(std::partition(first, selected, [&](uint64_t word) { return !ties(word); }),
              std::partition(selected + 1, last, ties));
  }

private:
  bool is_tie(uint64_t a, uint64_t b) const { return a >> position_bits_ == b >> position_bits_; }

  void sort_ties(uint64_t *first, uint64_t *last) const {
    std::sort(first, last, [this](uint64_t a, uint64_t b) {
      const auto x = shared_key(element<T>(line_, position(a)));
      const auto y = shared_key(element<T>(line_, position(b)));
      return x < y || (x == y && a < b);
    });
  }

  const Line &line_;
  int position_bits_, left_out_;
};

/// Complex numbers are in order of their real parts, then of their imaginary parts; in front those
/// without NaN, then those with NaN in the imaginary, the real, and both parts.
template <class T>
bool complex_less(const std::complex<T> &a, const std::complex<T> &b) {
  auto nans = [](const std::complex<T> &x) {
    return 2 * (x.real() != x.real()) + (x.imag() != x.imag());
  };
  const int kind = nans(a);
  if (int other = nans(b); kind != other)
    return kind < other;
  if (kind < 2 && a.real() != b.real())
    return a.real() < b.real();
  return kind % 2 == 0 && a.imag() < b.imag();
}

// --- what the interface needs of a dtype ---

/// One line; false: out of memory. `wanted` is null for a whole sort.
using SortLine = bool (*)(const Line &, const Line &out, const Wanted *);

/// f(first, k) for each wanted position; what is in front of `first` is in place.
template <class F>
void for_each_wanted(const Wanted &wanted, F f) {
  int64_t first = 0;
  for (int64_t i = 0; i < wanted.count; ++i)
    if (wanted.kth[i] >= first) {
      f(first, wanted.kth[i]);
      first = wanted.kth[i] + 1;
    }
}

template <class T>
bool sort_line(const Line &line, const Line &out, const Wanted *wanted) {
  using Key = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  const int64_t n = line.count;
  // The result holds its own keys, where it can.
  const bool in_place = sizeof(T) == sizeof(Key) && out.stride == sizeof(T) &&
                        reinterpret_cast<uintptr_t>(out.data) % sizeof(Key) == 0;
  Scratch<Key> scratch(in_place ? 0 : n);
  if (!scratch)
    return false;
  if constexpr (sizeof(T) == sizeof(Key))
    if (in_place && !wanted && sort_without_keys(line, reinterpret_cast<T *>(out.data)))
      return true;
  Key *keys = in_place ? reinterpret_cast<Key *>(out.data) : scratch.data();
  const int64_t negative_zeros = to_keys<T>(line, keys);
  constexpr int64_t kValues = int64_t(1) << (8 * std::min(sizeof(T), sizeof(int16_t)));
  bool done = true;
  if (wanted) {
    for_each_wanted(*wanted, [&](int64_t first, int64_t k) {
      numjit::select_key(keys + first, n - first, k - first);
    });
  } else if (negative_zeros > 0) {
    if constexpr (std::is_floating_point_v<T>)
      done = sort_with_zeros<T>(keys, n);
  } else if (sizeof(T) <= 2 && n > kValues / 2) {
    if constexpr (sizeof(T) <= 2)
      done = sort_by_counting(keys, n, kValues);
  } else if (!std::is_sorted(keys, keys + n)) {
    sort_keys(keys, n);
  }
  from_keys<T>(out, keys);
  return done;
}

template <class T>
bool argsort_line(const Line &line, const Line &out, const Wanted *wanted) {
  const int64_t n = line.count;
  if (n == 0)
    return true;
  Scratch<uint64_t> scratch(n + n / 2);
  if (!scratch)
    return false;
  uint64_t *keys = scratch.data(), *counts = keys + n;
  const KeyRange range = read_keys<T>(line, keys, shared_key<T>);
  if (!wanted && is_short(range, n)) {
    count_smaller(keys, n, range, counts);
    for (int64_t i = 0; i < n; ++i)
      set_element<int64_t>(out, counts[keys[i] - range.low]++, i);
    return true;
  }
  const Words<T> words(line, keys, range);
  if (wanted) {
    for_each_wanted(*wanted, [&](int64_t first, int64_t k) {
      numjit::select_key(keys + first, n - first, k - first);
      words.restore_ties_with(keys + k, keys + first, keys + n);
    });
  } else {
    if (!std::is_sorted(keys, keys + n))
      sort_keys(keys, n);
    words.restore_ties(keys);
  }
  for (int64_t i = 0; i < n; ++i)
    set_element(out, i, words.position(keys[i]));
  return true;
}

template <class Iterator, class Less>
void sort_or_select(Iterator first, int64_t n, const Wanted *wanted, Less less) {
  if (!wanted)
    return std::stable_sort(first, first + n, less);
  for_each_wanted(*wanted, [&](int64_t start, int64_t k) {
    std::nth_element(first + start, first + k, first + n, less);
  });
}

template <class T>
bool sort_complex_line(const Line &line, const Line &out, const Wanted *wanted) {
  using Number = std::complex<T>;
  Scratch<Number> scratch(line.count);
  if (!scratch)
    return false;
  Number *numbers = scratch.data();
  for (int64_t i = 0; i < line.count; ++i)
    numbers[i] = element<Number>(line, i);
  sort_or_select(numbers, line.count, wanted, complex_less<T>);
  for (int64_t i = 0; i < line.count; ++i)
    set_element(out, i, numbers[i]);
  return true;
}

template <class T>
bool argsort_complex_line(const Line &line, const Line &out, const Wanted *wanted) {
  Scratch<int64_t> scratch(line.count);
  if (!scratch)
    return false;
  int64_t *positions = scratch.data();
  std::iota(positions, positions + line.count, int64_t(0));
  sort_or_select(positions, line.count, wanted, [&](int64_t i, int64_t k) {
    return complex_less(element<std::complex<T>>(line, i), element<std::complex<T>>(line, k));
  });
  for (int64_t i = 0; i < line.count; ++i)
    set_element(out, i, positions[i]);
  return true;
}

/// float16 is sorted as float32: the numbers go to memory of their own, and come back if they are
/// what is sorted.
template <SortLine sort, bool comes_back>
bool sort_halves(const Line &line, const Line &out, const Wanted *wanted) {
  Scratch<float> scratch(line.count);
  if (!scratch)
    return false;
  for (int64_t i = 0; i < line.count; ++i)
    scratch.data()[i] = element<_Float16>(line, i);
  Line floats = line;
  floats.data = reinterpret_cast<char *>(scratch.data());
  floats.stride = sizeof(float);
  if (!sort(floats, comes_back ? floats : out, wanted))
    return false;
  for (int64_t i = 0; comes_back && i < line.count; ++i)
    set_element(out, i, static_cast<_Float16>(scratch.data()[i]));
  return true;
}

struct DtypeRow {
  char dtype;
  SortLine sort, argsort;
};
constexpr DtypeRow kDtypes[] = {
    {'?', sort_line<uint8_t>, argsort_line<uint8_t>},
    {'b', sort_line<int8_t>, argsort_line<int8_t>},
    {'h', sort_line<int16_t>, argsort_line<int16_t>},
    {'i', sort_line<int32_t>, argsort_line<int32_t>},
    {'l', sort_line<int64_t>, argsort_line<int64_t>},
    {'B', sort_line<uint8_t>, argsort_line<uint8_t>},
    {'H', sort_line<uint16_t>, argsort_line<uint16_t>},
    {'I', sort_line<uint32_t>, argsort_line<uint32_t>},
    {'L', sort_line<uint64_t>, argsort_line<uint64_t>},
    {'e', sort_halves<sort_line<float>, true>, sort_halves<argsort_line<float>, false>},
    {'f', sort_line<float>, argsort_line<float>},
    {'d', sort_line<double>, argsort_line<double>},
    {'F', sort_complex_line<float>, argsort_complex_line<float>},
    {'D', sort_complex_line<double>, argsort_complex_line<double>},
};

const DtypeRow &row_of(int64_t dtype) {
  const DtypeRow *row = kDtypes;
  while (row->dtype != dtype)
    ++row;
  return *row;
}

struct Strided {
  void *data;
  const int64_t *strides;
};

/// Sorts every line along `axis`. Nonzero: out of memory, and the error is set.
int32_t sort_lines(SortLine sort, Strided out, Strided in, const int64_t *shape, int64_t ndim,
                   int64_t axis, const Wanted *wanted) {
  constexpr int kMostDimensions = 32;
  int64_t index[kMostDimensions] = {};
  char *from = static_cast<char *>(in.data), *to = static_cast<char *>(out.data);
  if (std::find(shape, shape + ndim, 0) != shape + ndim)
    return 0;
  for (;;) {
    if (!sort({from, in.strides[axis], shape[axis]}, {to, out.strides[axis], shape[axis]},
              wanted)) {
      nj_set_simple_error("MemoryError", "unable to allocate memory for sorting");
      return 1;
    }
    int64_t i = ndim - 1;
    for (; i >= 0; --i) {
      if (i == axis)
        continue;
      from += in.strides[i];
      to += out.strides[i];
      if (++index[i] < shape[i])
        break;
      from -= in.strides[i] * shape[i];
      to -= out.strides[i] * shape[i];
      index[i] = 0;
    }
    if (i < 0)
      return 0;
  }
}

/// The wanted positions in ascending order.
class SortedWanted {
public:
  SortedWanted(const int64_t *kth, int64_t count) : scratch_(count), wanted_{kth, count} {
    if (!scratch_) {
      nj_set_simple_error("MemoryError", "unable to allocate memory for sorting");
      return;
    }
    std::copy(kth, kth + count, scratch_.data());
    std::sort(scratch_.data(), scratch_.data() + count);
    wanted_.kth = scratch_.data();
  }
  explicit operator bool() const { return bool(scratch_); }
  const Wanted *get() const { return &wanted_; }

private:
  Scratch<int64_t> scratch_;
  Wanted wanted_;
};

} // namespace

extern "C" {

int32_t nj_sort(void *out, const int64_t *out_strides, void *data, const int64_t *strides,
                const int64_t *shape, int64_t ndim, int64_t axis, int64_t dtype) {
  return sort_lines(row_of(dtype).sort, {out, out_strides}, {data, strides}, shape, ndim, axis,
                    nullptr);
}

int32_t nj_argsort(void *out, const int64_t *out_strides, void *data, const int64_t *strides,
                   const int64_t *shape, int64_t ndim, int64_t axis, int64_t dtype) {
  return sort_lines(row_of(dtype).argsort, {out, out_strides}, {data, strides}, shape, ndim, axis,
                    nullptr);
}

int32_t nj_partition(void *out, const int64_t *out_strides, void *data, const int64_t *strides,
                     const int64_t *shape, int64_t ndim, int64_t axis, int64_t dtype,
                     const int64_t *kth, int64_t kth_count) {
  SortedWanted wanted(kth, kth_count);
  return wanted ? sort_lines(row_of(dtype).sort, {out, out_strides}, {data, strides}, shape, ndim,
                             axis, wanted.get())
                : 1;
}

int32_t nj_argpartition(void *out, const int64_t *out_strides, void *data, const int64_t *strides,
                        const int64_t *shape, int64_t ndim, int64_t axis, int64_t dtype,
                        const int64_t *kth, int64_t kth_count) {
  SortedWanted wanted(kth, kth_count);
  return wanted ? sort_lines(row_of(dtype).argsort, {out, out_strides}, {data, strides}, shape,
                             ndim, axis, wanted.get())
                : 1;
}

} // extern "C"
