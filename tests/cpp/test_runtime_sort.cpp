// Sorting in the runtime: keys in both kinds of loops, and lines of arrays.
#include "runtime/key_sort.h"
#include "runtime/sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <vector>

using namespace numjit;

namespace {

std::vector<KeyLoops> all_loops() {
  std::vector<KeyLoops> loops{KeyLoops::Scalar};
  if (best_key_loops() == KeyLoops::Vector)
    loops.push_back(KeyLoops::Vector);
  return loops;
}

/// Keys of a length in which few or many are equal, in many kinds of order.
template <class Key>
std::vector<std::vector<Key>> key_samples(int64_t n) {
  std::mt19937_64 random(n);
  std::vector<std::vector<Key>> samples;
  for (Key mask : {Key(-1), Key(0), Key(1), Key(15)}) {
    std::vector<Key> keys(n);
    for (Key &key : keys)
      key = Key(random()) & mask;
    samples.push_back(keys);
    for (Key &key : keys)
      key = ~key; // many of the largest key
    samples.push_back(keys);
    std::sort(keys.begin(), keys.end());
    samples.push_back(keys);
    std::reverse(keys.begin(), keys.end());
    samples.push_back(keys);
    std::rotate(keys.begin(), keys.begin() + n / 3, keys.end());
    samples.push_back(keys);
  }
  return samples;
}

template <class Key>
class RuntimeSortKeys : public testing::Test {};
using KeyWidths = testing::Types<uint32_t, uint64_t>;
TYPED_TEST_SUITE(RuntimeSortKeys, KeyWidths);

TYPED_TEST(RuntimeSortKeys, AnyNumberIsSorted) {
  std::vector<int64_t> lengths{200, 300, 1000, 2999, 5000, 40000};
  for (int64_t n = 0; n < 150; ++n)
    lengths.push_back(n);
  for (KeyLoops loops : all_loops())
    for (int64_t n : lengths)
      for (std::vector<TypeParam> keys : key_samples<TypeParam>(n)) {
        std::vector<TypeParam> expected = keys;
        std::sort(expected.begin(), expected.end());
        sort_keys(keys.data(), n, loops);
        ASSERT_EQ(keys, expected) << n;
      }
}

TYPED_TEST(RuntimeSortKeys, ASelectedOneStandsBetweenSmallerAndLargerOnes) {
  for (KeyLoops loops : all_loops())
    for (int64_t n : {1, 5, 63, 64, 65, 130, 300, 1000, 50000})
      for (const std::vector<TypeParam> &keys : key_samples<TypeParam>(n))
        for (int64_t k : {int64_t(0), n / 3, n / 2, n - 1}) {
          std::vector<TypeParam> sorted = keys, selected = keys;
          std::sort(sorted.begin(), sorted.end());
          select_key(selected.data(), n, k, loops);
          ASSERT_EQ(selected[k], sorted[k]);
          for (int64_t i = 0; i < n; ++i)
            ASSERT_TRUE(i < k ? selected[i] <= selected[k] : selected[i] >= selected[k]);
          std::sort(selected.begin(), selected.end());
          ASSERT_EQ(selected, sorted);
        }
}

/// One line of an array; elements lie `step` apart.
template <class T>
struct Line {
  std::vector<T> memory;
  int64_t count, step;
  int64_t strides[1] = {int64_t(sizeof(T)) * step}, shape[1] = {count};
};

template <class T>
std::vector<int64_t> argsorted(std::vector<T> values, char dtype, int64_t step = 1) {
  const auto n = static_cast<int64_t>(values.size());
  Line<T> line{std::vector<T>(n * step), n, step};
  for (int64_t i = 0; i < n; ++i)
    line.memory[i * step] = values[i];
  std::vector<int64_t> positions(n);
  const int64_t out_strides[1] = {8};
  EXPECT_EQ(nj_argsort(positions.data(), out_strides, line.memory.data(), line.strides, line.shape,
                       1, 0, dtype),
            0);
  return positions;
}

using Positions = std::vector<int64_t>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(RuntimeSort, NanIsLastWhateverItsSign) {
  EXPECT_EQ(argsorted<double>({kNan, 1, -kNan, kInf, -kInf}, 'd'), (Positions{4, 1, 3, 0, 2}));
  EXPECT_EQ(argsorted<float>({float(-kNan), 1, float(kNan), -1}, 'f', 3), (Positions{3, 1, 0, 2}));
}

TEST(RuntimeSort, EqualElementsKeepTheirOrder) {
  EXPECT_EQ(argsorted<double>({1, 0.0, -0.0, 0.0, -1}, 'd'), (Positions{4, 1, 2, 3, 0}));
  std::vector<double> zeros{1, 0.0, -0.0, 0.0, -1};
  const int64_t strides[1] = {8}, shape[1] = {5};
  nj_sort(zeros.data(), strides, zeros.data(), strides, shape, 1, 0, 'd');
  EXPECT_EQ(zeros, (std::vector<double>{-1, 0, 0, 0, 1}));
  EXPECT_FALSE(std::signbit(zeros[1]));
  EXPECT_TRUE(std::signbit(zeros[2]));
  EXPECT_FALSE(std::signbit(zeros[3]));
}

TEST(RuntimeSort, KeysThatDontFitBesideTheirPositionsAreToldApart) {
  // 63 bits of difference, and two that differ in their last bits.
  const int64_t far = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(argsorted<int64_t>({far, 7, 5, 6, -far, 5}, 'l'), (Positions{4, 2, 5, 3, 1, 0}));
}

TEST(RuntimeSort, SelectionTellsThemApartToo) {
  std::mt19937_64 random(5);
  std::vector<int64_t> values(3000);
  for (int64_t &x : values)
    x = static_cast<int64_t>(random() % 8);
  values[0] = std::numeric_limits<int64_t>::max();
  values[1] = std::numeric_limits<int64_t>::min();
  std::vector<int64_t> sorted = values, positions(values.size());
  std::sort(sorted.begin(), sorted.end());
  const int64_t strides[1] = {8}, shape[1] = {3000}, kth[] = {1500, 10, 0};
  ASSERT_EQ(
      nj_argpartition(positions.data(), strides, values.data(), strides, shape, 1, 0, 'l', kth, 3),
      0);
  for (int64_t k : kth) {
    EXPECT_EQ(values[positions[k]], sorted[k]);
    for (int64_t i = 0; i < 3000; ++i)
      ASSERT_TRUE(i < k ? values[positions[i]] <= sorted[k] : values[positions[i]] >= sorted[k]);
  }
  std::sort(positions.begin(), positions.end());
  for (int64_t i = 0; i < 3000; ++i)
    ASSERT_EQ(positions[i], i);
}

TEST(RuntimeSort, ComplexNumbersWithNanComeLast) {
  using C = std::complex<double>;
  EXPECT_EQ(
      argsorted<C>({C(kNan, kNan), C(kNan, 1), C(2, kNan), C(1, kNan), C(3, 0), C(1, 2), C(1, -2)},
                   'D'),
      (Positions{6, 5, 4, 3, 2, 1, 0}));
}

TEST(RuntimeSort, EveryIntegerWidthIsInOrder) {
  EXPECT_EQ(argsorted<int8_t>({1, -128, 127, 0}, 'b'), (Positions{1, 3, 0, 2}));
  EXPECT_EQ(argsorted<uint8_t>({1, 128, 127, 0}, 'B'), (Positions{3, 0, 2, 1}));
  EXPECT_EQ(argsorted<int16_t>({1, -32768, 32767, 0}, 'h'), (Positions{1, 3, 0, 2}));
  EXPECT_EQ(argsorted<uint32_t>({1, 1u << 31, 0}, 'I'), (Positions{2, 0, 1}));
  EXPECT_EQ(argsorted<uint64_t>({1, uint64_t(1) << 63, 0}, 'L'), (Positions{2, 0, 1}));
}

TEST(RuntimeSort, CountingSortsLongLinesOfSmallIntegers) {
  std::mt19937 random(1);
  std::vector<int16_t> values(50000);
  for (int16_t &x : values)
    x = static_cast<int16_t>(random());
  std::vector<int16_t> expected = values;
  std::sort(expected.begin(), expected.end());
  const int64_t strides[1] = {2}, shape[1] = {50000};
  nj_sort(values.data(), strides, values.data(), strides, shape, 1, 0, 'h');
  EXPECT_EQ(values, expected);
}

TEST(RuntimeSort, EveryLineAlongAnAxisIsSorted) {
  // Shape (2, 3, 2), sorted along axis 1 into a Fortran-ordered result.
  const std::vector<int64_t> data{5, 4, 3, 9, 1, 0, 2, 8, 7, 6, 1, 1};
  const int64_t shape[] = {2, 3, 2}, strides[] = {48, 16, 8}, out_strides[] = {8, 16, 48};
  std::vector<int64_t> out(12);
  auto *memory = const_cast<int64_t *>(data.data());
  nj_sort(out.data(), out_strides, memory, strides, shape, 3, 1, 'l');
  EXPECT_EQ(out, (std::vector<int64_t>{1, 1, 3, 2, 5, 7, 0, 1, 4, 6, 9, 8}));
}

} // namespace
