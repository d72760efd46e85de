// How far the vector forms of libm's functions are from the exact results, in units of the last
// place (ULP). The reference is the C library's long double form, whose own error is a thousandth
// of that. With NUMJIT_ULP_TABLE set the test prints the table of docs/vector-math.md.
#include "codegen/passes/vector_math.h"
#include "codegen/target.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace {

using namespace numjit::codegen;

#pragma GCC diagnostic ignored "-Wpsabi"
using Double4 [[gnu::vector_size(32)]] = double;
using Float8 [[gnu::vector_size(32)]] = float;

template <class T>
struct Vector;
template <>
struct Vector<double> {
  using Type = Double4;
  static constexpr const char *kind = "d4";
};
template <>
struct Vector<float> {
  using Type = Float8;
  static constexpr const char *kind = "f8";
};

/// A row of vector_math.def for one or two operands.
template <class... L>
struct Function {
  const char *name;
  const char *accuracy;
  long double (*exact)(L...);
};

/// Applies SLEEF's function for vectors of 256 bits to all elements.
template <class T>
[[gnu::target("avx2,fma")]] void apply(void *address, const std::vector<T> &x,
                                       std::vector<T> &out) {
  using V = typename Vector<T>::Type;
  auto *function = reinterpret_cast<V (*)(V)>(address);
  constexpr size_t kLanes = sizeof(V) / sizeof(T);
  for (size_t i = 0; i + kLanes <= x.size(); i += kLanes) {
    V v;
    std::memcpy(&v, &x[i], sizeof v);
    v = function(v);
    std::memcpy(&out[i], &v, sizeof v);
  }
}
template <class T>
[[gnu::target("avx2,fma")]] void apply(void *address, const std::vector<T> &x,
                                       const std::vector<T> &y, std::vector<T> &out) {
  using V = typename Vector<T>::Type;
  auto *function = reinterpret_cast<V (*)(V, V)>(address);
  constexpr size_t kLanes = sizeof(V) / sizeof(T);
  for (size_t i = 0; i + kLanes <= x.size(); i += kLanes) {
    V v, w;
    std::memcpy(&v, &x[i], sizeof v);
    std::memcpy(&w, &y[i], sizeof w);
    v = function(v, w);
    std::memcpy(&out[i], &v, sizeof v);
  }
}

template <class T>
std::vector<T> samples(uint64_t seed) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> x{0,
                   1,
                   2,
                   0.5,
                   1.5,
                   3,
                   10,
                   100,
                   Limits::min(),
                   Limits::denorm_min(),
                   Limits::max(),
                   Limits::epsilon(),
                   Limits::infinity(),
                   T(0.9999999),
                   T(1.0000001),
                   T(3.14159265358979)};
  for (size_t i = 0, n = x.size(); i < n; ++i)
    x.push_back(-x[i]);
  x.push_back(Limits::quiet_NaN());
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<T> unit(-1, 1);
  std::uniform_int_distribution<uint64_t> bits;
  for (int i = 0; i < 40000; ++i) {
    for (T scale : {T(1), T(10), T(100), T(800)})
      x.push_back(scale * unit(random));
    x.push_back(1 + unit(random) / 1000);
    const uint64_t pattern = bits(random); // every exponent
    T any;
    std::memcpy(&any, &pattern, sizeof any);
    x.push_back(any);
  }
  x.resize(x.size() / 8 * 8);
  std::shuffle(x.begin(), x.end(), random);
  return x;
}

struct Worst {
  double ulp = 0, x = 0, y = 0, result = 0;
  size_t wrong_kind = 0; ///< NaN or infinity, or the sign of a zero
  double wrong_x = 0;
};

template <class T>
void judge(Worst &worst, long double exact, T result, T x, T y = 0) {
  const T rounded = static_cast<T>(exact);
  if (std::isnan(rounded) || std::isinf(rounded) || !std::isfinite(result)) {
    const bool same = std::isnan(rounded) ? std::isnan(result) : rounded == result;
    // At the very end of the range the next number is infinity.
    const bool at_end = std::fabs(exact) > 0.9999999L * std::numeric_limits<T>::max() &&
                        std::fabs(exact) < 1.0000001L * std::numeric_limits<T>::max();
    if (!same && !at_end) {
      if (!worst.wrong_kind++)
        worst.wrong_x = x;
    }
    return;
  }
  if (rounded == 0 && result == 0) {
    if (std::signbit(rounded) != std::signbit(result) && !worst.wrong_kind++)
      worst.wrong_x = x;
    return;
  }
  const T magnitude = std::max(std::fabs(rounded), std::numeric_limits<T>::min());
  const long double unit =
      static_cast<long double>(magnitude) -
      std::nextafter(magnitude, T(0)); // of the binade below at a power of two: the strict reading
  const double ulp = static_cast<double>(std::fabs(exact - result) / unit);
  if (ulp > worst.ulp)
    worst = {ulp, double(x), double(y), double(result), worst.wrong_kind, worst.wrong_x};
}

template <class T>
void *address(const char *name, const char *accuracy) {
  const std::string full = std::string("Sleef_") + name + Vector<T>::kind + "_" + accuracy + "avx2";
  return vector_math_address(full.c_str());
}

/// Beyond these magnitudes SLEEF may give infinity; the lowerings do not let such operands through.
template <class T>
T limit_of(const std::string &name) {
  const bool single = sizeof(T) == 4;
  if (name == "log1p")
    return static_cast<T>(std::ldexp(1.0, single ? 100 : 1000));
  if (name == "sinh" || name == "cosh")
    return single ? 88 : 709;
  if (name == "asinh" || name == "acosh")
    return static_cast<T>(std::ldexp(1.0, single ? 60 : 500));
  return std::numeric_limits<T>::infinity();
}

template <class T>
Worst measure(const Function<long double> &function) {
  std::vector<T> x = samples<T>(1), out(x.size());
  apply<T>(address<T>(function.name, function.accuracy), x, out);
  Worst worst;
  for (size_t i = 0; i < x.size(); ++i)
    if (!(std::fabs(x[i]) > limit_of<T>(function.name)) || std::isinf(x[i]))
      judge<T>(worst, function.exact(x[i]), out[i], x[i]);
  return worst;
}

template <class T>
Worst measure(const Function<long double, long double> &function) {
  std::vector<T> x = samples<T>(1), y = samples<T>(2), out(x.size());
  apply<T>(address<T>(function.name, function.accuracy), x, y, out);
  Worst worst;
  for (size_t i = 0; i < x.size(); ++i)
    judge<T>(worst, function.exact(x[i], y[i]), out[i], x[i], y[i]);
  return worst;
}

template <class T, class... L>
void check(const Function<L...> &function, bool fast) {
  SCOPED_TRACE(std::string(function.name) + Vector<T>::kind + "_" + function.accuracy);
  ASSERT_NE(address<T>(function.name, function.accuracy), nullptr);
  const Worst worst = measure<T>(function);
  if (std::getenv("NUMJIT_ULP_TABLE"))
    std::printf("| %s | %s | %s | %.2f | at %g %g gives %g; wrong kind %zu at %g |\n",
                function.name, Vector<T>::kind, function.accuracy, worst.ulp, worst.x, worst.y,
                worst.result, worst.wrong_kind, worst.wrong_x);
  else {
    EXPECT_LE(worst.ulp, fast ? 3.5 : 1.2) << worst.x << ", " << worst.y << ": " << worst.result;
    EXPECT_EQ(worst.wrong_kind, 0u) << worst.wrong_x;
  }
}

template <class... L>
void check_all(const char *name, const char *accuracy, long double (*exact)(L...), bool fast) {
  const Function<L...> function{name, accuracy, exact};
  check<double>(function, fast);
  check<float>(function, fast);
}

TEST(VectorMath, ErrorsAreWithinTheBounds) {
  if (!has_feature(host_target(), "avx2"))
    GTEST_SKIP() << "measures the functions for AVX2, which this processor lacks";
#define NUMJIT_VECTOR_MATH(name, accuracy, fast_accuracy)                                          \
  check_all(#name, accuracy, &name##l, false);                                                     \
  if (std::string(accuracy) != fast_accuracy)                                                      \
    check_all(#name, fast_accuracy, &name##l, true);
#include "codegen/passes/vector_math.def"
#undef NUMJIT_VECTOR_MATH
}

} // namespace
