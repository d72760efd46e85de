// The distributions of CPython's random module.
// The same seed gives the same numbers, bit for bit: no expression may become one that rounds
// differently.
#include "runtime/random_state.h"

#include <cmath>
#include <utility>

namespace numjit::random {
namespace {

using std::exp, std::log, std::pow, std::sqrt;

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

constexpr Check Positive = Check::Positive;

// clang-format off
const Distribution kDistributions[] = {
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

} // namespace

std::span<const Distribution> python_distributions() { return kDistributions; }

} // namespace numjit::random
