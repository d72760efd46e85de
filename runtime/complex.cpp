// Functions of `cmath` whose special values are others in CPython's tables than in the C library:
// where C leaves a sign open, or has changed its mind. Each value comes from the library unless a
// part of the argument is no finite number.
#include "runtime/runtime.h"

#include <cmath>
#include <complex>
#include <limits>

namespace cmath {

namespace {

template <class T>
using C = std::complex<T>;

template <class T>
constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();

template <class T>
bool is_finite(C<T> z) {
  return std::isfinite(z.real()) && std::isfinite(z.imag());
}

/// f(z) = -i g(iz), which is how CPython defines the functions of angles by the hyperbolic ones.
template <class T>
C<T> turned_back(C<T> w) {
  return {w.imag(), -w.real()};
}
template <class T>
C<T> turned(C<T> z) {
  return {-z.imag(), z.real()};
}

template <class T>
C<T> exp(C<T> z) {
  const bool vanishes = std::isinf(z.real()) && z.real() < 0 && !std::isfinite(z.imag());
  return vanishes ? C<T>(0, 0) : std::exp(z);
}

template <class T>
C<T> sinh(C<T> z) {
  return z.real() == 0 && std::isnan(z.imag()) ? C<T>(0, z.imag()) : std::sinh(z);
}

template <class T>
C<T> cosh(C<T> z) {
  const bool crosses =
      (z.real() == 0 && std::isnan(z.imag())) || (std::isnan(z.real()) && z.imag() == 0);
  return crosses ? C<T>(kNaN<T>, 0) : std::cosh(z);
}

template <class T>
C<T> tanh(C<T> z) {
  if (std::isinf(z.real()) && !std::isfinite(z.imag()))
    return {std::copysign(T(1), z.real()), 0};
  return z.real() == 0 && std::isnan(z.imag()) ? C<T>(kNaN<T>, kNaN<T>) : std::tanh(z);
}

template <class T>
C<T> acosh(C<T> z) {
  return z.real() == 0 && std::isnan(z.imag()) ? C<T>(kNaN<T>, kNaN<T>) : std::acosh(z);
}

template <class T>
C<T> acos(C<T> z) {
  const bool open = std::isinf(z.real()) && std::isnan(z.imag());
  return open ? C<T>(kNaN<T>, std::numeric_limits<T>::infinity()) : std::acos(z);
}

template <class T>
C<T> sin(C<T> z) {
  return is_finite(z) ? std::sin(z) : turned_back(cmath::sinh(turned(z)));
}
template <class T>
C<T> cos(C<T> z) {
  return is_finite(z) ? std::cos(z) : cmath::cosh(turned(z));
}
template <class T>
C<T> tan(C<T> z) {
  return is_finite(z) ? std::tan(z) : turned_back(cmath::tanh(turned(z)));
}
template <class T>
C<T> asin(C<T> z) {
  return is_finite(z) ? std::asin(z) : turned_back(std::asinh(turned(z)));
}
template <class T>
C<T> atan(C<T> z) {
  return is_finite(z) ? std::atan(z) : turned_back(std::atanh(turned(z)));
}

} // namespace

} // namespace cmath

// Called as the C library's: nj_csin of doubles, nj_csinf of floats.
#define NUMJIT_CMATH(name)                                                                         \
  extern "C" __complex__ double nj_c##name(__complex__ double z) {                                 \
    return cmath::name(cmath::C<double>(z)).__rep();                                               \
  }                                                                                                \
  extern "C" __complex__ float nj_c##name##f(__complex__ float z) {                                \
    return cmath::name(cmath::C<float>(z)).__rep();                                                \
  }
#include "runtime/complex.def"
