// What the files of random numbers share: the state of the twister, its words, and the rows of
// distributions.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>

namespace numjit::random {
constexpr int kWords = 624;
}

struct nj_random {
  uint32_t key[numjit::random::kWords];   ///< the state
  uint32_t words[numjit::random::kWords]; ///< what it returns, kWords at a time
  int next;                               ///< of `words`
  bool is_seeded, is_python;
  bool may_stop;   ///< the caller can report that the user interrupts
  bool has_normal; ///< normal numbers come in pairs
  double normal;
};

namespace numjit::random {

using Random = nj_random;
constexpr double kPi = std::numbers::pi, kTwoPi = 2 * std::numbers::pi;

/// Leaves a draw that the user interrupts. With odd parameters a rejection may never accept.
struct Interrupted {};

/// The next kWords words. Every loop that draws comes here: the interrupt point of them all.
void refill(Random &r);

inline uint32_t word(Random &r) {
  if (__builtin_expect(r.next >= kWords, 0))
    refill(r);
  return r.words[r.next++];
}

inline uint64_t two_words(Random &r) {
  const uint64_t high = word(r);
  return high << 32 | word(r);
}

/// 53 random bits as a number in [0, 1).
inline double uniform(Random &r) {
  const uint32_t a = word(r) >> 5, b = word(r) >> 6;
  return (a * 67108864.0 + b) / 9007199254740992.0;
}

/// What a parameter must satisfy.
enum class Check {
  None,
  NonNegative,
  Positive,
  Probability,
  BelowOne,
  Fraction,
  AtLeastOne,
  AboveOne,
  Rate
};
struct Parameter {
  Check check = Check::None;
  const char *name = "";
};

using DrawReal = double (*)(Random &, double, double, double);
using DrawInteger = int64_t (*)(Random &, double, double, double);
struct Distribution {
  const char *name;
  DrawReal real;
  DrawInteger integer;
  Parameter parameters[3] = {};
};

/// Of NumPy's RandomState, and of CPython's random module.
std::span<const Distribution> numpy_distributions();
std::span<const Distribution> python_distributions();

} // namespace numjit::random

/// A function of a row: of the generator and the parameters a, b, c.
#define NUMJIT_DRAW                                                                                \
  [](Random & r, [[maybe_unused]] double a, [[maybe_unused]] double b, [[maybe_unused]] double c)
