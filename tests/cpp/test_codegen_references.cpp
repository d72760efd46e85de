// The plain C++ that scalar operations are compared with.
#include "tests/cpp/scalar_references.h"

namespace numjit {

template <class T>
References<T>::References() {
  if constexpr (is_complex_number<T>)
    add_complex();
  else if constexpr (std::is_floating_point_v<T>)
    add_reals();
  else if constexpr (std::is_same_v<T, bool>)
    add_bools();
  else
    add_integers();
}

template <class T>
void References<T>::add_comparisons() {
  if constexpr (!is_complex_number<T>) {
    add("lt", [](T x, T y) { return x < y; });
    add("le", [](T x, T y) { return x <= y; });
    add("gt", [](T x, T y) { return x > y; });
    add("ge", [](T x, T y) { return x >= y; });
    add("eq", [](T x, T y) { return x == y; });
    add("ne", [](T x, T y) { return x != y; });
  }
}

template <class T>
void References<T>::add_bools() {
  if constexpr (std::is_same_v<T, bool>) {
    add_comparisons();
    for (const char *name : {"add", "add_any_order", "or", "logical_or", "max", "maximum", "fmax"})
      add(name, [](T x, T y) -> bool { return x || y; });
    for (const char *name : {"mul", "and", "logical_and", "min", "minimum", "fmin"})
      add(name, [](T x, T y) -> bool { return x && y; });
    for (const char *name : {"xor", "logical_xor"})
      add(name, [](T x, T y) -> bool { return x != y; });
    for (const char *name : {"not", "invert"})
      add(name, [](T x) -> bool { return !x; });
    for (const char *name : {"abs", "truth", "floor", "ceil", "trunc", "real", "same"})
      add(name, [](T x) -> bool { return x; });
    for (const char *name : {"isnan", "isinf", "isposinf", "isneginf", "iscomplex", "imag"})
      add(name, [](T) { return false; });
    for (const char *name : {"isfinite", "isreal"})
      add(name, [](T) { return true; });
    add("select", [](T x, T y, T z) -> bool { return x ? y : z; });
  }
}

template <class T>
void References<T>::add_integers() {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    using U = std::make_unsigned_t<T>;
    constexpr int bits = sizeof(T) * 8;
    constexpr bool is_signed = std::is_signed_v<T>;
    auto wrap = [](auto x) { return static_cast<T>(x); };
    auto magnitude = [](T x) { return static_cast<U>(is_signed && x < 0 ? U(0) - U(x) : U(x)); };
    auto truncated = [](T x, T y) -> T {
      if (y == 0)
        return 0;
      return is_signed && y == T(-1) ? T(U(0) - U(x)) : T(x / y);
    };
    auto rest = [=](T x, T y) -> T {
      return y == 0 ? T(0) : T(U(x) - U(uint64_t(U(truncated(x, y))) * U(y)));
    };
    auto adjust = [=](T x, T y) {
      return is_signed && rest(x, y) != 0 && (rest(x, y) < 0) != (y < 0);
    };
    add_comparisons();
    for (const char *name : {"add", "add_any_order"})
      add(name, [=](T x, T y) { return wrap(U(x) + U(y)); });
    add("sub", [=](T x, T y) { return wrap(U(x) - U(y)); });
    add("mul", [=](T x, T y) { return wrap(uint64_t(x) * uint64_t(y)); });
    add("floordiv", [=](T x, T y) { return wrap(truncated(x, y) - (adjust(x, y) ? 1 : 0)); });
    add("mod", [=](T x, T y) { return wrap(rest(x, y) + (adjust(x, y) ? y : 0)); });
    add("fmod", rest);
    add("pow", [=](T x, T y) -> T {
      if (is_signed && y < 0)
        return x == 1 ? T(1) : x == T(-1) ? (y & 1 ? T(-1) : T(1)) : T(0);
      uint64_t result = 1, base = U(x);
      for (uint64_t n = U(y); n; n >>= 1, base *= base)
        result *= n & 1 ? base : 1;
      return T(result);
    });
    add("neg", [=](T x) { return wrap(U(0) - U(x)); });
    for (const char *name : {"pos", "floor", "ceil", "trunc", "real", "conj", "round", "math_floor",
                             "math_ceil", "math_trunc"})
      add(name, [](T x) { return x; });
    add("abs", [=](T x) { return wrap(magnitude(x)); });
    add("add_overflows", [](T x, T y) {
      T wrapped;
      return __builtin_add_overflow(x, y, &wrapped);
    });
    add("sub_overflows", [](T x, T y) {
      T wrapped;
      return __builtin_sub_overflow(x, y, &wrapped);
    });
    add("mul_overflows", [](T x, T y) {
      T wrapped;
      return __builtin_mul_overflow(x, y, &wrapped);
    });
    add("square", [=](T x) { return wrap(uint64_t(x) * uint64_t(x)); });
    add("reciprocal", [=](T x) { return x == 0 ? T(0) : truncated(T(1), x); });
    add("sign", [](T x) { return T((x > 0) - (is_signed && x < 0)); });
    add("gcd",
        [=](T x, T y) { return wrap(std::gcd(uint64_t(magnitude(x)), uint64_t(magnitude(y)))); });
    add("lcm", [=](T x, T y) {
      const uint64_t a = magnitude(x), b = magnitude(y);
      return a == 0 || b == 0 ? T(0) : wrap(a / std::gcd(a, b) * b);
    });
    add("and", [=](T x, T y) { return wrap(x & y); });
    add("or", [=](T x, T y) { return wrap(x | y); });
    add("xor", [=](T x, T y) { return wrap(x ^ y); });
    add("invert", [=](T x) { return wrap(~x); });
    add("lshift", [=](T x, T y) { return U(y) < bits ? wrap(U(x) << y) : T(0); });
    add("rshift",
        [=](T x, T y) { return U(y) < bits ? wrap(x >> y) : wrap(is_signed && x < 0 ? -1 : 0); });
    add("bit_count", [=](T x) { return uint8_t(std::popcount(magnitude(x))); });
    add("leading_zeros", [](T x) { return uint8_t(std::countl_zero(U(x))); });
    add("trailing_zeros", [](T x) { return uint8_t(std::countr_zero(U(x))); });
    add("bit_reverse", [](T x) {
      U result = 0;
      for (int i = 0; i < bits; ++i)
        result = U(result | (U((U(x) >> i) & 1) << (bits - 1 - i)));
      return T(result);
    });
    for (const char *name : {"min", "minimum", "fmin"})
      add(name, [](T x, T y) { return std::min(x, y); });
    for (const char *name : {"max", "maximum", "fmax"})
      add(name, [](T x, T y) { return std::max(x, y); });
    for (const char *name : {"isnan", "isinf", "isposinf", "isneginf", "iscomplex"})
      add(name, [](T) { return false; });
    for (const char *name : {"isfinite", "isreal"})
      add(name, [](T) { return true; });
    add("same", [](T x) { return x; });
    add("imag", [](T) { return T(0); });
  }
}

template <class T>
void References<T>::add_reals() {
  if constexpr (std::is_floating_point_v<T>) {
    using Limits = std::numeric_limits<T>;
    const T pi = std::acos(T(-1));
    add_comparisons();
    for (const char *name : {"add", "add_any_order"})
      add(name, [](T x, T y) { return x + y; });
    add("replace_nan", [](T x, T y) { return std::isnan(x) ? y : x; });
    add("sub", [](T x, T y) { return x - y; });
    add("mul", [](T x, T y) { return x * y; });
    add("truediv", [](T x, T y) { return x / y; });
    auto mod = [](T x, T y) -> T {
      const T rest = std::fmod(x, y);
      if (std::isnan(rest))
        return rest;
      if (rest == 0)
        return std::copysign(T(0), y);
      return (rest < 0) != (y < 0) ? rest + y : rest;
    };
    add("mod", mod);
    add("floordiv", [mod](T x, T y) -> T { // float_divmod of CPython
      if (y == 0)
        return x / y;
      const T rest = std::fmod(x, y);
      T quotient = (x - rest) / y;
      if (rest != 0 && (rest < 0) != (y < 0))
        quotient -= 1;
      if (quotient == 0)
        return std::copysign(T(0), x / y);
      const T down = std::floor(quotient);
      return quotient - down > T(0.5) ? down + 1 : down;
    });
    for (const char *name : {"fmod", "math_fmod"})
      add(name, [](T x, T y) { return std::fmod(x, y); });
    add("ieee_remainder", [](T x, T y) { return std::remainder(x, y); });
    for (const char *name : {"pow", "math_pow", "float_power"})
      add(name, [](T x, T y) { return std::pow(x, y); });
    add("fma", [](T x, T y, T z) { return std::fma(x, y, z); });
    add("neg", [](T x) { return -x; });
    for (const char *name : {"pos", "real", "conj"})
      add(name, [](T x) { return x; });
    for (const char *name : {"abs", "fabs"})
      add(name, [](T x) { return std::abs(x); });
    add("square", [](T x) { return x * x; });
    add("reciprocal", [](T x) { return 1 / x; });
    add("sign", [](T x) { return std::isnan(x) ? x : T((x > 0) - (x < 0)); });
    add("min", [](T x, T y) { return y < x ? y : x; });
    add("max", [](T x, T y) { return y > x ? y : x; });
    add("minimum", [](T x, T y) { return std::isnan(x) || x <= y ? x : y; });
    add("maximum", [](T x, T y) { return std::isnan(x) || x >= y ? x : y; });
    add("fmin", [](T x, T y) { return std::fmin(x, y); });
    add("fmax", [](T x, T y) { return std::fmax(x, y); });
    // Out of range, x86 gives the smallest integer.
    auto to_int = [](T x) {
      const bool fits = x >= T(-0x1p63) && x < T(0x1p63);
      return fits ? static_cast<int64_t>(x) : INT64_MIN;
    };
    add("round", [=](T x) { return to_int(std::nearbyint(x)); });
    add("math_floor", [=](T x) { return to_int(std::floor(x)); });
    add("math_ceil", [=](T x) { return to_int(std::ceil(x)); });
    add("math_trunc", [=](T x) { return to_int(std::trunc(x)); });
    add("floor", [](T x) { return std::floor(x); });
    add("ceil", [](T x) { return std::ceil(x); });
    for (const char *name : {"trunc", "modf_integer"})
      add(name, [](T x) { return std::trunc(x); });
    add("rint", [](T x) { return std::nearbyint(x); });
    add("sqrt", [](T x) { return std::sqrt(x); });
    add("cbrt", [](T x) { return std::cbrt(x); });
    add("exp", [](T x) { return std::exp(x); });
    add("exp2", [](T x) { return std::exp2(x); });
    add("expm1", [](T x) { return std::expm1(x); });
    add("log", [](T x) { return std::log(x); });
    add("log2", [](T x) { return std::log2(x); });
    add("log10", [](T x) { return std::log10(x); });
    add("log1p", [](T x) { return std::log1p(x); });
    add("logaddexp", [](T x, T y) -> T {
      if (x == y)
        return x + std::log(T(2));
      return std::max(x, y) + std::log1p(std::exp(-std::abs(x - y)));
    });
    add("logaddexp2", [](T x, T y) -> T {
      if (x == y)
        return x + 1;
      return std::max(x, y) + std::log1p(std::exp2(-std::abs(x - y))) / std::log(T(2));
    });
    add("sin", [](T x) { return std::sin(x); });
    add("cos", [](T x) { return std::cos(x); });
    add("tan", [](T x) { return std::tan(x); });
    add("asin", [](T x) { return std::asin(x); });
    add("acos", [](T x) { return std::acos(x); });
    add("atan", [](T x) { return std::atan(x); });
    add("sinh", [](T x) { return std::sinh(x); });
    add("cosh", [](T x) { return std::cosh(x); });
    add("tanh", [](T x) { return std::tanh(x); });
    add("asinh", [](T x) { return std::asinh(x); });
    add("acosh", [](T x) { return std::acosh(x); });
    add("atanh", [](T x) { return std::atanh(x); });
    add("atan2", [](T x, T y) { return std::atan2(x, y); });
    add("hypot", [](T x, T y) { return std::hypot(x, y); });
    add("radians", [=](T x) { return x * (pi / 180); });
    add("degrees", [=](T x) { return x * (180 / pi); });
    add("erf", [](T x) { return std::erf(x); });
    add("erfc", [](T x) { return std::erfc(x); });
    add("gamma", [](T x) { return std::tgamma(x); });
    add("lgamma", [](T x) { return T(std::lgamma(static_cast<double>(x))); });
    add("copysign", [](T x, T y) { return std::copysign(x, y); });
    add("nextafter", [](T x, T y) { return std::nextafter(x, y); });
    auto gap = [](T x) -> T {
      x = std::abs(x);
      const T up = std::nextafter(x, Limits::infinity());
      return std::isinf(up) ? x - std::nextafter(x, T(0)) : up - x;
    };
    add("spacing",
        [=](T x) { return std::isfinite(x) ? (x < 0 ? -gap(x) : gap(x)) : Limits::quiet_NaN(); });
    add("ulp", [=](T x) { return std::isfinite(x) ? gap(x) : std::abs(x); });
    add("heaviside", [](T x, T y) -> T { return std::isnan(x) ? x : x == 0 ? y : T(x > 0); });
    add("ldexp", [](T x, T y) {
      const int64_t n = y >= T(-0x1p63) && y < T(0x1p63) ? static_cast<int64_t>(y) : INT64_MIN;
      return std::ldexp(x, static_cast<int>(std::clamp<int64_t>(n, INT32_MIN, INT32_MAX)));
    });
    add("frexp_mantissa", [](T x) {
      int n;
      return std::frexp(x, &n);
    });
    add("frexp_exponent", [](T x) -> int64_t {
      int n = 0;
      (void)std::frexp(x, &n);
      return std::isfinite(x) ? n : 0;
    });
    add("modf_fraction", [](T x) {
      T whole;
      return std::modf(x, &whole);
    });
    add("isnan", [](T x) -> bool { return std::isnan(x); });
    add("isinf", [](T x) -> bool { return std::isinf(x); });
    add("isfinite", [](T x) -> bool { return std::isfinite(x); });
    add("isposinf", [](T x) -> bool { return std::isinf(x) && x > 0; });
    add("isneginf", [](T x) -> bool { return std::isinf(x) && x < 0; });
    add("isreal", [](T) { return true; });
    add("iscomplex", [](T) { return false; });
    add("same", [](T x) { return x; });
    add("sinc", [=](T x) { return x == 0 ? T(1) : std::sin(pi * x) / (pi * x); });
    add("signbit", [](T x) -> bool { return std::signbit(x); });
    add("complex", [](T x, T y) { return std::complex<T>(x, y); });
    add("imag", [](T) { return T(0); });
    add("angle", [](T x) { return std::atan2(T(0), x); });
  }
}

template <class T>
void References<T>::add_complex() {
  if constexpr (is_complex_number<T>) {
    using R = typename T::value_type;
    auto less = [](T x, T y) {
      return x.real() < y.real() || (x.real() == y.real() && x.imag() < y.imag());
    };
    auto divide = [](T x, T y) -> T { // Smith's algorithm, as NumPy for a zero divisor too
      if (y == T(0))
        return {x.real() / R(0), x.imag() / R(0)};
      return x / y;
    };
    add("lt", less);
    add("le", [=](T x, T y) { return !less(y, x); });
    add("gt", [=](T x, T y) { return less(y, x); });
    add("ge", [=](T x, T y) { return !less(x, y); });
    add("eq", [](T x, T y) { return x == y; });
    add("ne", [](T x, T y) { return x != y; });
    for (const char *name : {"add", "add_any_order"})
      add(name, [](T x, T y) { return x + y; });
    add("replace_nan",
        [](T x, T y) { return std::isnan(x.real()) || std::isnan(x.imag()) ? y : x; });
    add("sub", [](T x, T y) { return x - y; });
    add("mul", [](T x, T y) { return x * y; });
    add("truediv", divide);
    add("neg", [](T x) { return -x; });
    add("pos", [](T x) { return x; });
    add("conj", [](T x) { return std::conj(x); });
    add("abs", [](T x) { return std::abs(x); });
    add("square", [](T x) { return x * x; });
    add("reciprocal", [](T x) -> T { // Smith's algorithm, as NumPy: 0 gives NaN
      const bool swapped = std::abs(x.real()) < std::abs(x.imag());
      const R large = swapped ? x.imag() : x.real(), small = swapped ? x.real() : x.imag();
      const R ratio = small / large, divisor = large + small * ratio;
      return {(swapped ? ratio : 1) / divisor, (swapped ? R(-1) : -ratio) / divisor};
    });
    add("sign", [](T x) { return x == T(0) ? x : x / std::abs(x); });
    // x ** n as NumPy multiplies it out, with what overflows on the way.
    auto multiplied = [](T x, unsigned n) {
      auto product = [](T a, T b) {
        return T(a.real() * b.real() - a.imag() * b.imag(),
                 a.real() * b.imag() + a.imag() * b.real());
      };
      std::optional<T> result;
      for (; n; n >>= 1, x = product(x, x))
        if (n & 1)
          result = result ? product(*result, x) : x;
      return *result;
    };
    // Smith's algorithm, where infinities give what they give.
    auto inverse = [](T x) -> T {
      const bool swapped = std::abs(x.real()) < std::abs(x.imag());
      const R large = swapped ? x.imag() : x.real(), small = swapped ? x.real() : x.imag();
      const R ratio = small / large, scale = 1 / (large + small * ratio);
      return swapped ? T(ratio * scale, -scale) : T(scale, -ratio * scale);
    };
    for (const char *name : {"pow", "float_power"})
      add(name, [=](T x, T y) -> T {
        if (y == T(0))
          return 1;
        const R nan = std::numeric_limits<R>::quiet_NaN();
        if (x == T(0))
          return y.real() > 0 ? T(0) : T(nan, nan);
        const R magnitude = std::abs(y.real());
        if (y.imag() != 0 || magnitude > 100 || magnitude != std::floor(magnitude))
          return std::pow(x, y);
        const T power = multiplied(x, static_cast<unsigned>(magnitude));
        return y.real() > 0 ? power : inverse(power);
      });
    for (const char *name : {"minimum", "fmin"})
      add(name, [=](T x, T y) { return less(y, x) ? y : x; });
    for (const char *name : {"maximum", "fmax"})
      add(name, [=](T x, T y) { return less(x, y) ? y : x; });
    add("isnan", [](T x) -> bool { return std::isnan(x.real()) || std::isnan(x.imag()); });
    add("isinf", [](T x) -> bool { return std::isinf(x.real()) || std::isinf(x.imag()); });
    add("isfinite", [](T x) -> bool { return std::isfinite(x.real()) && std::isfinite(x.imag()); });
    add("isreal", [](T x) -> bool { return x.imag() == 0; });
    add("iscomplex", [](T x) -> bool { return x.imag() != 0; });
    add("same", [](T x) { return x; });
    add("real", [](T x) { return x.real(); });
    add("imag", [](T x) { return x.imag(); });
    add("angle", [](T x) { return std::arg(x); });
    add("sinc", [](T x) {
      const T y = x * std::numbers::pi_v<R>;
      return x == T(0) ? T(1) : std::sin(y) / y;
    });
    add("rint", [](T x) { return T(std::nearbyint(x.real()), std::nearbyint(x.imag())); });
    add("exp2", [](T x) { return std::exp(x * std::log(R(2))); });
    add("log2", [](T x) { return std::log(x) / std::log(R(2)); });
    add("log1p", [](T x) { return std::log(x + R(1)); });
    add("expm1", [](T x) { return T(std::exp(std::complex<long double>(x)) - 1.0L); });
    auto both = [&](const std::string &name, auto function) {
      add(name.c_str(), function);
      add(("cmath_" + name).c_str(), function);
    };
    both("sqrt", [](T x) { return std::sqrt(x); });
    both("exp", [](T x) { return std::exp(x); });
    both("log", [](T x) { return std::log(x); });
    both("log10", [](T x) { return std::log10(x); });
    both("sin", [](T x) { return std::sin(x); });
    both("cos", [](T x) { return std::cos(x); });
    both("tan", [](T x) { return std::tan(x); });
    both("asin", [](T x) { return std::asin(x); });
    both("acos", [](T x) { return std::acos(x); });
    both("atan", [](T x) { return std::atan(x); });
    both("sinh", [](T x) { return std::sinh(x); });
    both("cosh", [](T x) { return std::cosh(x); });
    both("tanh", [](T x) { return std::tanh(x); });
    both("asinh", [](T x) { return std::asinh(x); });
    both("acosh", [](T x) { return std::acosh(x); });
    both("atanh", [](T x) { return std::atanh(x); });
  }
}

template class References<bool>;
template class References<int8_t>;
template class References<int16_t>;
template class References<int32_t>;
template class References<int64_t>;
template class References<uint8_t>;
template class References<uint16_t>;
template class References<uint32_t>;
template class References<uint64_t>;
template class References<float>;
template class References<double>;
template class References<std::complex<float>>;
template class References<std::complex<double>>;

} // namespace numjit
