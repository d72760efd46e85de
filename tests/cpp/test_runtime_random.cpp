// The Mersenne twister in the runtime. That the distributions are NumPy's and CPython's is tested
// from Python (tests/numpy/test_random.py).
#include "runtime/random.h"
#include "runtime/runtime.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

int64_t distribution(const std::string &name) {
  int64_t count;
  const nj_distribution *rows = nj_distributions(&count);
  for (int64_t i = 0; i < count; ++i)
    if (rows[i].name == name)
      return i;
  ADD_FAILURE() << name;
  return 0;
}

TEST(RuntimeRandom, WordsAreThoseOfTheStandardLibrary) {
  nj_random *state = nj_random_state(0);
  nj_random_seed(state, 5489);
  std::mt19937 expected(5489);
  for (int i = 0; i < 2000; ++i)
    ASSERT_EQ(nj_random_bits(state, 32), expected());
}

TEST(RuntimeRandom, CPythonsSeedIsAnArrayOfWords) {
  nj_random *state = nj_random_state(1);
  nj_random_seed(state, 42);
  EXPECT_EQ(nj_random_double(state), 0.6394267984578837); // random.Random(42).random()
  nj_random_seed(state, uint64_t(1) << 40);
  EXPECT_EQ(nj_random_bits(state, 64), 6515814827016330625u); // seed(2**40), getrandbits(64)
}

TEST(RuntimeRandom, DoublesStraddleTheEndOfTheWords) {
  nj_random *state = nj_random_state(0);
  nj_random_seed(state, 1);
  std::mt19937 words(1);
  nj_random_bits(state, 32);
  words();
  for (int i = 0; i < 1000; ++i) {
    const uint32_t high = words() >> 5, low = words() >> 6;
    ASSERT_EQ(nj_random_double(state), (high * 67108864.0 + low) / 9007199254740992.0);
  }
}

TEST(RuntimeRandom, IntervalsIncludeTheirEnds) {
  nj_random *state = nj_random_state(0);
  nj_random_seed(state, 1);
  EXPECT_EQ(nj_random_interval(state, 0), 0u);
  for (uint64_t most : {uint64_t(1), uint64_t(5), uint64_t(1) << 33}) {
    uint64_t largest = 0;
    for (int i = 0; i < 200; ++i)
      largest = std::max(largest, nj_random_interval(state, most));
    EXPECT_LE(largest, most);
    EXPECT_GT(largest, most / 2);
  }
}

TEST(RuntimeRandom, SmallIntegersCoverTheirRange) {
  nj_random *state = nj_random_state(0);
  nj_random_seed(state, 1);
  std::vector<int8_t> small(500);
  nj_random_integers(state, small.data(), 500, -3, 6, 'b');
  EXPECT_EQ(*std::min_element(small.begin(), small.end()), -3);
  EXPECT_EQ(*std::max_element(small.begin(), small.end()), 3);
  std::vector<int64_t> one(3);
  nj_random_integers(state, one.data(), 3, 7, 0, 'l');
  EXPECT_EQ(one, (std::vector<int64_t>{7, 7, 7}));
}

TEST(RuntimeRandom, WrongParametersAreNamed) {
  nj_random *state = nj_random_state(0);
  double x;
  EXPECT_NE(nj_random_draw(state, distribution("normal"), 0, -1, 0, &x), 0);
  EXPECT_STREQ(nj_pending_error()->builtin, "ValueError");
  EXPECT_STREQ(nj_pending_error()->message, "scale < 0");
  int64_t n;
  EXPECT_NE(nj_random_draw_int(state, distribution("binomial"), 5, 1.5, 0, &n), 0);
  EXPECT_STREQ(nj_pending_error()->message, "p < 0, > 1 or is NaN");
  EXPECT_NE(nj_random_fill(state, distribution("zipf"), &n, 1, 1.0, 0, 0), 0);
  nj_clear_error();
}

TEST(RuntimeRandom, FillingIsDrawingOneByOne) {
  nj_random *state = nj_random_state(0);
  int64_t count;
  const nj_distribution *rows = nj_distributions(&count);
  for (int64_t i = 0; i < count; ++i) {
    double reals[9], real;
    int64_t integers[9], integer;
    nj_random_seed(state, 3);
    // 2, 0.5 and 1 are right for every distribution but two, which want a probability first.
    const double a =
        std::string(rows[i].name) == "geometric" || std::string(rows[i].name) == "logseries" ? 0.5
                                                                                             : 2;
    void *out = rows[i].is_integer ? static_cast<void *>(integers) : reals;
    ASSERT_EQ(nj_random_fill(state, i, out, 9, a, 0.5, 1), 0) << rows[i].name;
    nj_random_seed(state, 3);
    for (int k = 0; k < 9; ++k)
      if (rows[i].is_integer) {
        nj_random_draw_int(state, i, a, 0.5, 1, &integer);
        EXPECT_EQ(integer, integers[k]) << rows[i].name;
      } else {
        nj_random_draw(state, i, a, 0.5, 1, &real);
        EXPECT_EQ(real, reals[k]) << rows[i].name;
      }
  }
}

TEST(RuntimeRandom, EachThreadHasAStateOfItsOwn) {
  nj_random *mine = nj_random_state(0), *other = nullptr;
  EXPECT_EQ(nj_random_state(0), mine);
  EXPECT_NE(nj_random_state(1), mine);
  std::thread([&] { other = nj_random_state(0); }).join();
  EXPECT_NE(other, mine);
}

} // namespace
