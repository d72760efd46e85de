// The Mersenne twister (Matsumoto and Nishimura 1998), and the ways from its words to numbers that
// NumPy's RandomState and CPython's random module document: the same seed gives the same numbers,
// bit for bit. So no expression here may be rewritten into one that rounds differently.
#include "runtime/random.h"

#include "runtime/runtime.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <iterator>
#include <limits>
#include <numbers>
#include <unistd.h>
#include <utility>

#include <sys/random.h>

namespace {

constexpr int kWords = 624, kMiddle = 397;

} // namespace

struct nj_random {
  uint32_t key[kWords];   ///< the state
  uint32_t words[kWords]; ///< what it gives, kWords at a time
  int next;               ///< of `words`
  bool is_seeded, is_python;
  bool may_stop;   ///< whoever draws can report that the user interrupts
  bool has_normal; ///< normal numbers come in pairs
  double normal;
};

namespace {

using Random = nj_random;
using std::exp, std::floor, std::log, std::pow, std::sqrt;
constexpr double kPi = std::numbers::pi, kTwoPi = 2 * std::numbers::pi;

// --- words ---

/// Leaves a draw that the user interrupts. With odd parameters a rejection may never accept.
struct Interrupted {};

inline uint32_t twisted(uint32_t high, uint32_t low, uint32_t other) {
  const uint32_t y = (high & 0x80000000) | (low & 0x7fffffff);
  return other ^ (y >> 1) ^ (-(y & 1) & 0x9908b0df);
}

/// The next kWords words. Every loop that draws comes here: the interrupt point of them all.
void refill(Random &r) {
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

// --- distributions of NumPy's RandomState ---

/// Marsaglia's polar method.
double normal(Random &r) {
  if (r.has_normal) {
    r.has_normal = false;
    return r.normal;
  }
  double x, y, square;
  do {
    x = 2.0 * uniform(r) - 1.0;
    y = 2.0 * uniform(r) - 1.0;
    square = x * x + y * y;
  } while (square >= 1.0 || square == 0.0);
  const double factor = sqrt(-2.0 * log(square) / square);
  r.normal = factor * x;
  r.has_normal = true;
  return factor * y;
}

double exponential(Random &r) { return -log(1.0 - uniform(r)); }

/// Marsaglia and Tsang (2000); below shape 1 by rejection from two pieces.
double gamma(Random &r, double shape) {
  if (shape == 1.0)
    return exponential(r);
  if (shape == 0.0)
    return 0.0;
  if (shape < 1.0) {
    for (;;) {
      const double u = uniform(r), v = exponential(r);
      if (u <= 1.0 - shape) {
        const double x = pow(u, 1. / shape);
        if (x <= v)
          return x;
      } else {
        const double y = -log((1 - u) / shape);
        const double x = pow(1.0 - shape + shape * y, 1. / shape);
        if (x <= v + y)
          return x;
      }
    }
  }
  const double b = shape - 1. / 3., c = 1. / sqrt(9 * b);
  for (;;) {
    double x, v;
    do {
      x = normal(r);
      v = 1.0 + c * x;
    } while (v <= 0.0);
    v = v * v * v;
    const double u = uniform(r);
    if (u < 1.0 - 0.0331 * (x * x) * (x * x))
      return b * v;
    if (log(u) < 0.5 * x * x + b * (1. - v + log(v)))
      return b * v;
  }
}

double chisquare(Random &r, double df) { return 2.0 * gamma(r, df / 2.0); }

double beta(Random &r, double a, double b) {
  if (a <= 1.0 && b <= 1.0) { // Jöhnk
    for (;;) {
      const double u = uniform(r), v = uniform(r);
      const double x = pow(u, 1.0 / a), y = pow(v, 1.0 / b);
      if (x + y <= 1.0 && u + v > 0.0) {
        if (x + y > 0)
          return x / (x + y);
        double log_x = log(u) / a, log_y = log(v) / b;
        const double larger = std::max(log_x, log_y);
        log_x -= larger;
        log_y -= larger;
        return exp(log_x - log(exp(log_x) + exp(log_y)));
      }
    }
  }
  const double x = gamma(r, a), y = gamma(r, b);
  return x / (x + y);
}

/// ln(gamma(x)) by Stirling's series, as the rejection tests below want it.
double log_gamma(double x) {
  static constexpr double terms[] = {
      8.333333333333333e-02, -2.777777777777778e-03, 7.936507936507937e-04, -5.952380952380952e-04,
      8.417508417508418e-04, -1.917526917526918e-03, 6.410256410256410e-03, -2.955065359477124e-02,
      1.796443723688307e-01, -1.39243221690590e+00};
  if (x == 1.0 || x == 2.0)
    return 0.0;
  const int steps = x < 7.0 ? static_cast<int>(7 - x) : 0;
  double far = x + steps;
  const double square = (1.0 / far) * (1.0 / far);
  double sum = terms[9];
  for (int i = 8; i >= 0; --i) {
    sum *= square;
    sum += terms[i];
  }
  double result = sum / far + 0.5 * 1.8378770664093453 + (far - 0.5) * log(far) - far;
  for (int i = 0; i < steps; ++i) {
    result -= log(far - 1.0);
    far -= 1.0;
  }
  return result;
}

/// Below 10 by products of uniform numbers; else transformed rejection (Hörmann 1993).
int64_t poisson(Random &r, double lambda) {
  if (lambda == 0)
    return 0;
  if (!(lambda >= 10)) { // NaN gives 0
    const double least = exp(-lambda);
    double product = 1.0;
    for (int64_t k = 0;; ++k) {
      product *= uniform(r);
      if (!(product > least))
        return k;
    }
  }
  const double root = sqrt(lambda), log_lambda = log(lambda);
  const double b = 0.931 + 2.53 * root, a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), vr = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = uniform(r) - 0.5, v = uniform(r), us = 0.5 - std::fabs(u);
    const auto k = static_cast<int64_t>(floor((2 * a / us + b) * u + lambda + 0.43));
    if (us >= 0.07 && v <= vr)
      return k;
    if (k < 0 || (us < 0.013 && v > us))
      continue;
    if (log(v) + log(inverse_alpha) - log(a / (us * us) + b) <=
        -lambda + k * log_lambda - log_gamma(k + 1))
      return k;
  }
}

double noncentral_chisquare(Random &r, double df, double noncentrality) {
  if (noncentrality == 0)
    return chisquare(r, df);
  if (1 < df) {
    const double chi = chisquare(r, df - 1), n = normal(r) + sqrt(noncentrality);
    return chi + n * n;
  }
  const int64_t i = poisson(r, noncentrality / 2.0);
  const double x = chisquare(r, df + 2 * i); // drawn for NaN, too: the stream goes on as NumPy's
  return std::isnan(noncentrality) ? noncentrality : x;
}

double wald(Random &r, double mean, double scale) {
  const double half = mean / (2 * scale);
  double y = normal(r);
  y = mean * y * y;
  const double x = mean + half * (y - sqrt(4 * scale * y + y * y));
  return uniform(r) <= mean / (mean + x) ? x : mean * mean / x;
}

/// Best and Fisher (1979).
double vonmises(Random &r, double mu, double kappa) {
  if (std::isnan(kappa))
    return kappa;
  if (kappa < 1e-8)
    return kPi * (2 * uniform(r) - 1);
  double s;
  if (kappa < 1e-5) {
    s = 1. / kappa + kappa;
  } else {
    const double t = 1 + sqrt(1 + 4 * kappa * kappa), rho = (t - sqrt(2 * t)) / (2 * kappa);
    s = (1 + rho * rho) / (2 * rho);
  }
  double w;
  for (;;) {
    const double u = uniform(r), z = std::cos(kPi * u);
    w = (1 + s * z) / (s + z);
    const double y = kappa * (s - w), v = uniform(r);
    if (y * (2 - y) - v >= 0 || log(y / v) + 1 - y >= 0)
      break;
  }
  const double u = uniform(r);
  double angle = std::acos(w);
  if (u < 0.5)
    angle = -angle;
  angle += mu;
  const double inside = std::fmod(std::fabs(angle) + kPi, kTwoPi) - kPi;
  return angle < 0 ? -inside : inside;
}

double triangular(Random &r, double left, double mode, double right) {
  const double base = right - left, left_base = mode - left;
  const double u = uniform(r);
  if (u <= left_base / base)
    return left + sqrt(u * (left_base * base));
  return right - sqrt((1.0 - u) * ((right - mode) * base));
}

/// Draws again while f gives nothing; f gets a number in [0, 1).
template <class F>
double of_uniform(Random &r, F f) {
  for (;;)
    if (double x; f(uniform(r), x))
      return x;
}

double laplace(Random &r, double loc, double scale) {
  return of_uniform(r, [=](double u, double &x) {
    x = u >= 0.5 ? loc - scale * log(2.0 - u - u) : loc + scale * log(u + u);
    return u > 0.0;
  });
}

double gumbel(Random &r, double loc, double scale) {
  return of_uniform(r, [=](double v, double &x) {
    const double u = 1.0 - v;
    x = loc - scale * log(-log(u));
    return u < 1.0;
  });
}

double logistic(Random &r, double loc, double scale) {
  return of_uniform(r, [=](double u, double &x) {
    x = loc + scale * log(u / (1.0 - u));
    return u > 0.0;
  });
}

/// Few successes: by going up the distribution function.
int64_t binomial_by_inversion(Random &r, int64_t n, double p) {
  const double q = 1.0 - p, none = exp(n * log(q)), mean = n * p;
  const auto most = static_cast<int64_t>(std::min<double>(n, mean + 10.0 * sqrt(mean * q + 1)));
  int64_t x = 0;
  double probability = none, u = uniform(r);
  while (u > probability) {
    ++x;
    if (x > most) {
      x = 0;
      probability = none;
      u = uniform(r);
    } else {
      u -= probability;
      probability = ((n - x + 1) * p * probability) / (x * q);
    }
  }
  return x;
}

double stirling_tail(double x) {
  const double square = x * x;
  return (13680. - (462. - (132. - (99. - 140. / square) / square) / square) / square) / x /
         166320.;
}

/// Kachitvichyanukul and Schmeiser (1988): rejection from a triangle, a parallelogram and two
/// exponential tails.
int64_t binomial_by_rejection(Random &r, int64_t n, double p) {
  const double rr = std::min(p, 1.0 - p), q = 1.0 - rr, fm = n * rr + rr;
  const auto m = static_cast<int64_t>(floor(fm));
  const double p1 = floor(2.195 * sqrt(n * rr * q) - 4.6 * q) + 0.5;
  const double xm = m + 0.5, xl = xm - p1, xr = xm + p1;
  const double c = 0.134 + 20.5 / (15.3 + m);
  double a = (fm - xl) / (fm - xl * rr);
  const double left = a * (1.0 + a / 2.0);
  a = (xr - fm) / (xr * q);
  const double right = a * (1.0 + a / 2.0);
  const double p2 = p1 * (1.0 + 2.0 * c), p3 = p2 + c / left, p4 = p3 + c / right;
  const double variance = n * rr * q;
  int64_t y;
  for (;;) {
    const double u = uniform(r) * p4;
    double v = uniform(r);
    if (u <= p1) {
      y = static_cast<int64_t>(floor(xm - p1 * v + u));
      break;
    }
    if (u <= p2) {
      const double x = xl + (u - p1) / c;
      v = v * c + 1.0 - std::fabs(m - x + 0.5) / p1;
      if (v > 1.0)
        continue;
      y = static_cast<int64_t>(floor(x));
    } else if (u <= p3) {
      y = static_cast<int64_t>(floor(xl + log(v) / left));
      if (y < 0 || v == 0.0)
        continue;
      v = v * (u - p2) * left;
    } else {
      y = static_cast<int64_t>(floor(xr - log(v) / right));
      if (y > n || v == 0.0)
        continue;
      v = v * (u - p3) * right;
    }
    const int64_t k = std::abs(y - m);
    if (k <= 20 || k >= variance / 2.0 - 1) {
      const double s = rr / q, t = s * (n + 1);
      double f = 1.0;
      for (int64_t i = m + 1; i <= y; ++i)
        f *= t / i - s;
      for (int64_t i = y + 1; i <= m; ++i)
        f /= t / i - s;
      if (v <= f)
        break;
      continue;
    }
    const double rho =
        (k / variance) * ((k * (k / 3.0 + 0.625) + 0.16666666666666666) / variance + 0.5);
    const double t = -static_cast<double>(k * k) / (2 * variance), log_v = log(v);
    if (log_v < t - rho)
      break;
    if (log_v > t + rho)
      continue;
    const double x1 = y + 1, f1 = m + 1, z = n + 1 - m, w = n - y + 1;
    if (log_v <= xm * log(f1 / x1) + (n - m + 0.5) * log(z / w) + (y - m) * log(w * rr / (x1 * q)) +
                     stirling_tail(f1) + stirling_tail(z) + stirling_tail(x1) + stirling_tail(w))
      break;
  }
  return p > 0.5 ? n - y : y;
}

/// Parameters arrive as numbers that have rounded the largest integer up.
int64_t whole(double x) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  return x < static_cast<double>(most) ? static_cast<int64_t>(x) : most;
}

int64_t binomial(Random &r, double trials, double p) {
  const int64_t n = whole(trials);
  const double rare = p <= 0.5 ? p : 1.0 - p;
  const int64_t count =
      rare * n <= 30.0 ? binomial_by_inversion(r, n, rare) : binomial_by_rejection(r, n, rare);
  return p <= 0.5 ? count : n - count;
}

int64_t geometric(Random &r, double p) {
  if (p < 0.333333333333333333333333)
    return static_cast<int64_t>(std::ceil(log(1.0 - uniform(r)) / log(1.0 - p)));
  const double q = 1.0 - p, u = uniform(r);
  double sum = p, product = p;
  int64_t x = 1;
  for (; u > sum; ++x) {
    product *= q;
    sum += product;
  }
  return x;
}

/// Devroye (1986).
int64_t zipf(Random &r, double a) {
  const double power = a - 1.0, b = pow(2.0, power);
  for (;;) {
    const double u = 1.0 - uniform(r), v = uniform(r), x = floor(pow(u, -1.0 / power));
    if (x > static_cast<double>(std::numeric_limits<int64_t>::max()) || x < 1.0)
      continue;
    const double t = pow(1.0 + 1.0 / x, power);
    if (v * x * (t - 1.0) / (b - 1.0) <= t / b)
      return static_cast<int64_t>(x);
  }
}

/// Kemp (1981).
int64_t logseries(Random &r, double p) {
  const double t = log(1.0 - p);
  for (;;) {
    const double v = uniform(r);
    if (v >= p)
      return 1;
    const double u = uniform(r), q = 1.0 - exp(t * u);
    if (v <= q * q) {
      const auto x = static_cast<int64_t>(floor(1 + log(v) / log(q)));
      if (x < 1 || v == 0.0)
        continue;
      return x;
    }
    return v >= q ? 1 : 2;
  }
}

/// Small samples one by one; else rejection from a ratio of uniforms (Stadlober 1989).
int64_t hypergeometric(Random &r, double good_count, double bad_count, double sample_count) {
  const int64_t good = whole(good_count), bad = whole(bad_count), sample = whole(sample_count);
  const int64_t fewer = std::min(good, bad), more = std::max(good, bad), all = good + bad;
  if (sample <= 0)
    return 0;
  if (sample <= 10) {
    const double others = static_cast<double>(bad + good - sample), fewer_count = fewer;
    double y = fewer_count;
    for (int64_t k = sample; y > 0.0 && k > 0; --k)
      y -= static_cast<int64_t>(floor(uniform(r) + y / (others + k)));
    const auto z = static_cast<int64_t>(fewer_count - y);
    return good > bad ? sample - z : z;
  }
  const int64_t m = std::min(sample, all - sample);
  const double d4 = static_cast<double>(fewer) / all, d5 = 1.0 - d4, d6 = m * d4 + 0.5;
  const double d7 = sqrt(static_cast<double>(all - m) * sample * d4 * d5 / (all - 1) + 0.5);
  const double d8 = 1.7155277699214135 * d7 + 0.8989161620588988;
  const auto d9 = static_cast<int64_t>(floor(static_cast<double>(m + 1) * (fewer + 1) / (all + 2)));
  auto log_weight = [&](int64_t z) {
    return log_gamma(z + 1) + log_gamma(fewer - z + 1) + log_gamma(m - z + 1) +
           log_gamma(more - m + z + 1);
  };
  const double d10 = log_weight(d9);
  const double d11 = std::min(std::min(m, fewer) + 1.0, floor(d6 + 16 * d7));
  int64_t z;
  for (;;) {
    const double x = uniform(r), y = uniform(r), w = d6 + d8 * (y - 0.5) / x;
    if (w < 0.0 || w >= d11)
      continue;
    z = static_cast<int64_t>(floor(w));
    const double t = d10 - log_weight(z);
    if (x * (4.0 - x) - 3.0 <= t)
      break;
    if (x * (x - t) >= 1)
      continue;
    if (2.0 * log(x) <= t)
      break;
  }
  if (good > bad)
    z = m - z;
  return m < sample ? good - z : z;
}

// --- distributions of CPython's random module ---

double py_gauss(Random &r, double mu, double sigma) {
  if (r.has_normal) {
    r.has_normal = false;
    return mu + r.normal * sigma;
  }
  const double angle = uniform(r) * kTwoPi, radius = sqrt(-2.0 * log(1.0 - uniform(r)));
  r.normal = std::sin(angle) * radius;
  r.has_normal = true;
  return mu + std::cos(angle) * radius * sigma;
}

/// Kinderman and Monahan (1977).
double py_normal(Random &r, double mu, double sigma) {
  static const double magic = 4 * exp(-0.5) / sqrt(2.0);
  for (;;) {
    const double u = uniform(r), v = 1.0 - uniform(r), z = magic * (u - 0.5) / v;
    if (z * z / 4.0 <= -log(v))
      return mu + z * sigma;
  }
}

/// Cheng (1977) above shape 1, Ahrens and Dieter (1974) below.
double py_gamma(Random &r, double alpha, double beta) {
  if (alpha > 1.0) {
    static const double log4 = log(4.0), magic = 1.0 + log(4.5);
    const double root = sqrt(2.0 * alpha - 1.0), b = alpha - log4, c = alpha + root;
    for (;;) {
      const double u = uniform(r);
      if (!(1e-7 < u && u < 0.9999999))
        continue;
      const double u2 = 1.0 - uniform(r), v = log(u / (1.0 - u)) / root, x = alpha * exp(v);
      const double z = u * u * u2, t = b + c * v - x;
      if (t + magic - 4.5 * z >= 0.0 || t >= log(z))
        return x * beta;
    }
  }
  if (alpha == 1.0)
    return -log(1.0 - uniform(r)) * beta;
  for (;;) {
    const double u = uniform(r), b = (std::numbers::e + alpha) / std::numbers::e, p = b * u;
    const double x = p <= 1.0 ? pow(p, 1.0 / alpha) : -log((b - p) / alpha);
    const double v = uniform(r);
    if (p > 1.0 ? v <= pow(x, alpha - 1.0) : v <= exp(-x))
      return x * beta;
  }
}

double py_beta(Random &r, double alpha, double beta) {
  const double y = py_gamma(r, alpha, 1.0);
  return y != 0 ? y / (y + py_gamma(r, beta, 1.0)) : 0.0;
}

double py_modulo(double x, double y) {
  const double rest = std::fmod(x, y);
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

double py_vonmises(Random &r, double mu, double kappa) {
  if (kappa <= 1e-6)
    return kTwoPi * uniform(r);
  const double s = 0.5 / kappa, t = s + sqrt(1.0 + s * s);
  double z;
  for (;;) {
    z = std::cos(kPi * uniform(r));
    const double d = z / (t + z), u = uniform(r);
    if (u < 1.0 - d * d || u <= (1.0 - d) * exp(d))
      break;
  }
  const double q = 1.0 / t, f = (q + z) / (1.0 + q * z), angle = std::acos(f);
  return py_modulo(uniform(r) > 0.5 ? mu + angle : mu - angle, kTwoPi);
}

double py_triangular(Random &r, double low, double high, double mode) {
  double u = uniform(r);
  if (high == low)
    return low;
  double c = (mode - low) / (high - low);
  if (u > c) {
    u = 1.0 - u;
    c = 1.0 - c;
    std::swap(low, high);
  }
  return low + (high - low) * sqrt(u * c);
}

// --- the table ---

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

using DrawReal = double (*)(Random &, double, double, double);
using DrawInteger = int64_t (*)(Random &, double, double, double);
struct Distribution {
  const char *name;
  DrawReal real;
  DrawInteger integer;
  Parameter parameters[3];
};

#define NUMJIT_DRAW                                                                                \
  [](Random & r, [[maybe_unused]] double a, [[maybe_unused]] double b, [[maybe_unused]] double c)
constexpr Check Any = Check::None, NonNegative = Check::NonNegative, Positive = Check::Positive;

// clang-format off
const Distribution kDistributions[] = {
    {"random", NUMJIT_DRAW { return uniform(r); }, nullptr, {}},
    {"uniform", NUMJIT_DRAW { return a + (b - a) * uniform(r); }, nullptr, {}},
    {"normal", NUMJIT_DRAW { return a + b * normal(r); }, nullptr, {{}, {NonNegative, "scale"}}},
    {"standard_normal", NUMJIT_DRAW { return normal(r); }, nullptr, {}},
    {"lognormal", NUMJIT_DRAW { return exp(a + b * normal(r)); }, nullptr, {{}, {NonNegative, "sigma"}}},
    {"exponential", NUMJIT_DRAW { return a * exponential(r); }, nullptr, {{NonNegative, "scale"}}},
    {"standard_exponential", NUMJIT_DRAW { return exponential(r); }, nullptr, {}},
    {"gamma", NUMJIT_DRAW { return b * gamma(r, a); }, nullptr, {{NonNegative, "shape"}, {NonNegative, "scale"}}},
    {"standard_gamma", NUMJIT_DRAW { return gamma(r, a); }, nullptr, {{NonNegative, "shape"}}},
    {"beta", NUMJIT_DRAW { return beta(r, a, b); }, nullptr, {{Positive, "a"}, {Positive, "b"}}},
    {"chisquare", NUMJIT_DRAW { return chisquare(r, a); }, nullptr, {{Positive, "df"}}},
    {"noncentral_chisquare", NUMJIT_DRAW { return noncentral_chisquare(r, a, b); }, nullptr, {{Positive, "df"}, {NonNegative, "nonc"}}},
    {"f", NUMJIT_DRAW { const double x = chisquare(r, a) * b; return x / (chisquare(r, b) * a); }, nullptr, {{Positive, "dfnum"}, {Positive, "dfden"}}},
    {"noncentral_f", NUMJIT_DRAW { const double x = noncentral_chisquare(r, a, c) * b; return x / (chisquare(r, b) * a); }, nullptr, {{Positive, "dfnum"}, {Positive, "dfden"}, {NonNegative, "nonc"}}},
    {"standard_t", NUMJIT_DRAW { const double x = normal(r), y = gamma(r, a / 2); return sqrt(a / 2) * x / sqrt(y); }, nullptr, {{Positive, "df"}}},
    {"standard_cauchy", NUMJIT_DRAW { const double x = normal(r); return x / normal(r); }, nullptr, {}},
    {"laplace", NUMJIT_DRAW { return laplace(r, a, b); }, nullptr, {{}, {NonNegative, "scale"}}},
    {"logistic", NUMJIT_DRAW { return logistic(r, a, b); }, nullptr, {{}, {NonNegative, "scale"}}},
    {"gumbel", NUMJIT_DRAW { return gumbel(r, a, b); }, nullptr, {{}, {NonNegative, "scale"}}},
    {"pareto", NUMJIT_DRAW { return exp(exponential(r) / a) - 1; }, nullptr, {{Positive, "a"}}},
    {"power", NUMJIT_DRAW { return pow(1 - exp(-exponential(r)), 1. / a); }, nullptr, {{Positive, "a"}}},
    {"rayleigh", NUMJIT_DRAW { return a * sqrt(-2.0 * std::log1p(-uniform(r))); }, nullptr, {{NonNegative, "scale"}}},
    {"weibull", NUMJIT_DRAW { return a == 0.0 ? 0.0 : pow(exponential(r), 1. / a); }, nullptr, {{NonNegative, "a"}}},
    {"triangular", NUMJIT_DRAW { return triangular(r, a, b, c); }, nullptr, {}},
    {"vonmises", NUMJIT_DRAW { return vonmises(r, a, b); }, nullptr, {{}, {NonNegative, "kappa"}}},
    {"wald", NUMJIT_DRAW { return wald(r, a, b); }, nullptr, {{Positive, "mean"}, {Positive, "scale"}}},

    {"binomial", nullptr, NUMJIT_DRAW { return binomial(r, a, b); }, {{NonNegative, "n"}, {Check::Probability, "p"}}},
    {"geometric", nullptr, NUMJIT_DRAW { return geometric(r, a); }, {{Check::Fraction, "p"}}},
    {"hypergeometric", nullptr, NUMJIT_DRAW { return hypergeometric(r, a, b, c); }, {{NonNegative, "ngood"}, {NonNegative, "nbad"}, {Check::AtLeastOne, "nsample"}}},
    {"logseries", nullptr, NUMJIT_DRAW { return logseries(r, a); }, {{Check::BelowOne, "p"}}},
    {"negative_binomial", nullptr, NUMJIT_DRAW { return poisson(r, (1 - b) / b * gamma(r, a)); }, {{Positive, "n"}, {Check::Probability, "p"}}},
    {"poisson", nullptr, NUMJIT_DRAW { return poisson(r, a); }, {{Check::Rate, "lam"}}},
    {"zipf", nullptr, NUMJIT_DRAW { return zipf(r, a); }, {{Check::AboveOne, "a"}}},

    {"random.gauss", NUMJIT_DRAW { return py_gauss(r, a, b); }, nullptr, {}},
    {"random.normalvariate", NUMJIT_DRAW { return py_normal(r, a, b); }, nullptr, {}},
    {"random.lognormvariate", NUMJIT_DRAW { return exp(py_normal(r, a, b)); }, nullptr, {}},
    {"random.expovariate", NUMJIT_DRAW { return -log(1.0 - uniform(r)) / a; }, nullptr, {}},
    {"random.gammavariate", NUMJIT_DRAW { return py_gamma(r, a, b); }, nullptr, {{Positive, "alpha"}, {Positive, "beta"}}},
    {"random.betavariate", NUMJIT_DRAW { return py_beta(r, a, b); }, nullptr, {{Positive, "alpha"}, {Positive, "beta"}}},
    {"random.paretovariate", NUMJIT_DRAW { return pow(1.0 - uniform(r), -1.0 / a); }, nullptr, {}},
    {"random.weibullvariate", NUMJIT_DRAW { return a * pow(-log(1.0 - uniform(r)), 1.0 / b); }, nullptr, {}},
    {"random.vonmisesvariate", NUMJIT_DRAW { return py_vonmises(r, a, b); }, nullptr, {}},
    {"random.triangular", NUMJIT_DRAW { return py_triangular(r, a, b, c); }, nullptr, {}},
};
// clang-format on
#undef NUMJIT_DRAW

constexpr int64_t kCount = std::size(kDistributions);

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
  const Distribution &row = kDistributions[distribution];
  return check(row, {a, b, c}) || stopped(*state, [&] { *result = row.real(*state, a, b, c); });
}

int32_t nj_random_draw_int(nj_random *state, int64_t distribution, double a, double b, double c,
                           int64_t *result) {
  const Distribution &row = kDistributions[distribution];
  return check(row, {a, b, c}) || stopped(*state, [&] { *result = row.integer(*state, a, b, c); });
}

int32_t nj_random_fill(nj_random *state, int64_t distribution, void *out, int64_t n, double a,
                       double b, double c) {
  const Distribution &row = kDistributions[distribution];
  return check(row, {a, b, c}) || stopped(*state, [&] {
           for (int64_t i = 0; i < n; ++i)
             if (row.real)
               static_cast<double *>(out)[i] = row.real(*state, a, b, c);
             else
               static_cast<int64_t *>(out)[i] = row.integer(*state, a, b, c);
         });
}

const nj_distribution *nj_distributions(int64_t *count) {
  static nj_distribution rows[kCount];
  static const bool made = [] {
    for (int64_t i = 0; i < kCount; ++i)
      rows[i] = {kDistributions[i].name, kDistributions[i].integer != nullptr};
    return true;
  }();
  *count = made ? kCount : 0;
  return rows;
}

} // extern "C"
