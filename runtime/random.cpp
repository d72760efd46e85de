// The Mersenne twister (Matsumoto and Nishimura 1998), and the ways from its words to numbers that
// NumPy's RandomState and CPython's random module document: the same seed gives the same numbers,
// bit for bit. So no expression here may be rewritten into one that rounds differently.
#include "runtime/random.h"

#include "runtime/random_state.h"
#include "runtime/runtime.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <ctime>
#include <pthread.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <sys/random.h>

using namespace numjit::random;

namespace {

constexpr int kMiddle = 397;

inline uint32_t twisted(uint32_t high, uint32_t low, uint32_t other) {
  const uint32_t y = (high & 0x80000000) | (low & 0x7fffffff);
  return other ^ (y >> 1) ^ (-(y & 1) & 0x9908b0df);
}

} // namespace

void numjit::random::refill(Random &r) {
  if (r.may_stop && nj_poll_flag && nj_poll())
    throw Interrupted{};
  uint32_t *key = r.key;
  for (int i = 0; i < kWords - kMiddle; ++i)
    key[i] = twisted(key[i], key[i + 1], key[i + kMiddle]);
  for (int i = kWords - kMiddle; i < kWords - 1; ++i)
    key[i] = twisted(key[i], key[i + 1], key[i + kMiddle - kWords]);
  key[kWords - 1] = twisted(key[kWords - 1], key[0], key[kMiddle - 1]);
  for (int i = 0; i < kWords; ++i) {
    uint32_t y = key[i];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    r.words[i] = y ^ (y >> 18);
  }
  r.next = 0;
}

namespace {

void forget_pairs(Random &r) {
  r.next = kWords;
  r.is_seeded = true;
  r.has_normal = false;
}

void seed_with_word(Random &r, uint32_t seed) {
  for (int i = 0; i < kWords; ++i) {
    r.key[i] = seed;
    seed = 1812433253u * (seed ^ (seed >> 30)) + i + 1;
  }
  forget_pairs(r);
}

void seed_with_words(Random &r, const uint32_t *seed, int count) {
  seed_with_word(r, 19650218);
  uint32_t *key = r.key;
  int i = 1, k = 0;
  auto advance = [&] {
    if (++i >= kWords) {
      key[0] = key[kWords - 1];
      i = 1;
    }
  };
  for (int n = std::max(kWords, count); n > 0; --n) {
    key[i] = (key[i] ^ ((key[i - 1] ^ (key[i - 1] >> 30)) * 1664525u)) + seed[k] + k;
    advance();
    if (++k >= count)
      k = 0;
  }
  for (int n = kWords - 1; n > 0; --n) {
    key[i] = (key[i] ^ ((key[i - 1] ^ (key[i - 1] >> 30)) * 1566083941u)) - i;
    advance();
  }
  key[0] = 0x80000000;
}

void seed_by_system(Random &r) {
  uint32_t seed[8];
  if (getrandom(seed, sizeof seed, 0) != sizeof seed) {
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    seed[0] = now.tv_nsec, seed[1] = now.tv_sec, seed[2] = getpid();
  }
  seed_with_words(r, seed, 8);
}

/// The smallest mask that `most`, which is not 0, is under.
template <class Word>
Word mask_over(Word most) {
  return Word(~Word(0)) >> std::countl_zero(most);
}

/// In [0, most], by drawing under the smallest mask until it fits.
template <class Word, class Draw>
Word masked(Word most, Draw draw) {
  const Word mask = most ? mask_over(most) : 0;
  Word value;
  do
    value = draw() & mask;
  while (value > most);
  return value;
}

uint64_t interval(Random &r, uint64_t most) {
  if (most == 0)
    return 0;
  if (most <= 0xffffffff)
    return masked<uint32_t>(most, [&] { return word(r); });
  return masked<uint64_t>(most, [&] { return two_words(r); });
}

/// Numbers smaller than a word are taken from one word, the lowest first.
template <class T>
void fill_small(Random &r, void *out, int64_t n, int64_t low, uint64_t range, int bits) {
  uint32_t rest = 0;
  int left = 0;
  auto draw = [&] {
    if (left == 0) {
      rest = word(r);
      left = 32 / bits;
    } else {
      rest >>= bits;
    }
    --left;
    return T(rest & ((1u << bits) - 1));
  };
  for (int64_t i = 0; i < n; ++i)
    static_cast<T *>(out)[i] = T(low + (range ? masked<T>(T(range), draw) : 0));
}

/// One word for each number that is tried. A number that does not fit is stored, too: the next one
/// goes over it, which costs less than to foresee which fit.
template <class T>
void fill_from_words(Random &r, T *out, int64_t n, int64_t low, uint32_t range) {
  const uint32_t mask = mask_over(range);
  for (int64_t done = 0; done < n;) {
    if (r.next >= kWords)
      refill(r);
    const uint32_t *words = r.words + r.next;
    const int64_t tried = std::min<int64_t>(kWords - r.next, n - done);
    for (int64_t i = 0; i < tried; ++i) {
      const uint32_t value = words[i] & mask;
      out[done] = T(low + value);
      done += value <= range;
    }
    r.next += static_cast<int>(tried);
  }
}

template <class T>
void fill_large(Random &r, void *out, int64_t n, int64_t low, uint64_t range) {
  auto *numbers = static_cast<T *>(out);
  if (range > 0 && range <= 0xffffffff)
    return fill_from_words(r, numbers, n, low, static_cast<uint32_t>(range));
  for (int64_t i = 0; i < n; ++i)
    numbers[i] = T(low + interval(r, range));
}

// --- distributions ---

/// What is wrong with a parameter, in NumPy's words; null if nothing.
const char *fault_of(Check check, double x) {
  switch (check) {
  case Check::None: return nullptr;
  case Check::NonNegative: return !std::isnan(x) && std::signbit(x) ? "< 0" : nullptr;
  case Check::Positive: return x <= 0 ? "<= 0" : nullptr;
  case Check::Probability: return x >= 0 && x <= 1 ? nullptr : "< 0, > 1 or is NaN";
  case Check::BelowOne: return x >= 0 && x < 1 ? nullptr : "< 0, >= 1 or is NaN";
  case Check::Fraction: return x > 0 && x <= 1 ? nullptr : "<= 0, > 1 or is NaN";
  case Check::AtLeastOne: return x >= 1 ? nullptr : "< 1 or is NaN";
  case Check::AboveOne: return x > 1 ? nullptr : "<= 1 or is NaN";
  case Check::Rate: return x >= 0 && x <= 9.223372006484771e+18 ? nullptr : "< 0, too large or NaN";
  }
  return nullptr;
}

/// By the numbers that nj_distributions() counts them with.
const Distribution &distribution_row(int64_t number) {
  const auto first = numpy_distributions();
  const auto index = static_cast<size_t>(number);
  return index < first.size() ? first[index] : python_distributions()[index - first.size()];
}

int32_t check(const Distribution &distribution, std::initializer_list<double> values) {
  const Parameter *parameter = distribution.parameters;
  for (double value : values) {
    if (const char *fault = fault_of(parameter->check, value)) {
      char text[80];
      std::snprintf(text, sizeof text, "%s %s", parameter->name, fault);
      nj_set_simple_error("ValueError", text);
      return 1;
    }
    ++parameter;
  }
  return 0;
}

/// Runs what draws; 1 with an error set if the user interrupted it.
template <class Draw>
int32_t stopped(Random &r, Draw draw) {
  const bool could_stop = std::exchange(r.may_stop, true); // a signal handler may draw, too
  int32_t interrupted = 0;
  try {
    draw();
  } catch (const Interrupted &) {
    interrupted = 1;
  }
  r.may_stop = could_stop;
  return interrupted;
}

thread_local Random states[2];

/// The child of a fork draws other numbers than its parent, whatever the seed of that was, as under
/// Numba: a pool of processes would otherwise run the same simulation in each.
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] {
  for (Random &state : states)
    state.is_seeded = false;
});

} // namespace

extern "C" {

nj_random *nj_random_state(int64_t which) {
  Random *state = &states[which];
  if (!state->is_seeded) {
    state->is_python = which == 1;
    seed_by_system(*state);
  }
  return state;
}

void nj_random_seed(nj_random *state, uint64_t seed) {
  if (seed == NJ_RANDOM_SYSTEM_SEED)
    return seed_by_system(*state);
  if (!state->is_python)
    return seed_with_word(*state, static_cast<uint32_t>(seed));
  const uint32_t words[] = {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
  seed_with_words(*state, words, words[1] ? 2 : 1);
}

double nj_random_double(nj_random *state) {
  if (__builtin_expect(state->next + 2 > kWords, 0))
    return uniform(*state);
  const uint32_t a = state->words[state->next] >> 5, b = state->words[state->next + 1] >> 6;
  state->next += 2;
  return (a * 67108864.0 + b) / 9007199254740992.0;
}

uint64_t nj_random_interval(nj_random *state, uint64_t most) { return interval(*state, most); }

uint64_t nj_random_bits(nj_random *state, int64_t count) {
  if (count <= 0)
    return 0;
  if (count <= 32)
    return word(*state) >> (32 - count);
  const uint64_t low = word(*state);
  return static_cast<uint64_t>(word(*state) >> (64 - count)) << 32 | low;
}

uint64_t nj_random_below(nj_random *state, uint64_t end) {
  const int bits = std::bit_width(end);
  uint64_t value;
  do
    value = nj_random_bits(state, bits);
  while (value >= end);
  return value;
}

void nj_random_integers(nj_random *state, void *out, int64_t n, int64_t low, uint64_t range,
                        int64_t dtype) {
  switch (dtype) {
  case '?': return fill_small<uint8_t>(*state, out, n, low, range, 1);
  case 'b':
  case 'B': return fill_small<uint8_t>(*state, out, n, low, range, 8);
  case 'h':
  case 'H': return fill_small<uint16_t>(*state, out, n, low, range, 16);
  case 'i':
  case 'I': return fill_large<uint32_t>(*state, out, n, low, range);
  default: return fill_large<uint64_t>(*state, out, n, low, range);
  }
}

int32_t nj_random_draw(nj_random *state, int64_t distribution, double a, double b, double c,
                       double *result) {
  const Distribution &row = distribution_row(distribution);
  return check(row, {a, b, c}) || stopped(*state, [&] { *result = row.real(*state, a, b, c); });
}

int32_t nj_random_draw_int(nj_random *state, int64_t distribution, double a, double b, double c,
                           int64_t *result) {
  const Distribution &row = distribution_row(distribution);
  return check(row, {a, b, c}) || stopped(*state, [&] { *result = row.integer(*state, a, b, c); });
}

int32_t nj_random_fill(nj_random *state, int64_t distribution, void *out, int64_t n, double a,
                       double b, double c) {
  const Distribution &row = distribution_row(distribution);
  auto fill = [&] {
    for (int64_t i = 0; i < n; ++i)
      if (row.real)
        static_cast<double *>(out)[i] = row.real(*state, a, b, c);
      else
        static_cast<int64_t *>(out)[i] = row.integer(*state, a, b, c);
  };
  return check(row, {a, b, c}) || stopped(*state, fill);
}

const nj_distribution *nj_distributions(int64_t *count) {
  static const std::vector<nj_distribution> rows = [] {
    std::vector<nj_distribution> made;
    for (const auto part : {numpy_distributions(), python_distributions()})
      for (const Distribution &row : part)
        made.push_back({row.name, row.integer != nullptr});
    return made;
  }();
  *count = static_cast<int64_t>(rows.size());
  return rows.data();
}

} // extern "C"
