// The distributions of NumPy's RandomState.
// The same seed gives the same numbers, bit for bit: no expression may become one that rounds
// differently.
#include "runtime/random_state.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace numjit::random {
namespace {

using std::exp, std::floor, std::log, std::pow, std::sqrt;

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

constexpr Check NonNegative = Check::NonNegative, Positive = Check::Positive;

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
};
// clang-format on

} // namespace

std::span<const Distribution> numpy_distributions() { return kDistributions; }

} // namespace numjit::random
