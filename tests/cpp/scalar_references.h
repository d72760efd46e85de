// What each row of scalar_ops.def means, written down a second time in plain C++.
#pragma once

#include "typeinfer/ir/scalar_ops.h"

#include <any>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace numjit {

template <class T>
constexpr bool is_complex_number = false;
template <class T>
constexpr bool is_complex_number<std::complex<T>> = true;

/// Calls `use` with a value of the C++ type of a scalar type.
template <class Use>
void with_type(ScalarId id, Use use) {
  switch (id) {
#define NUMJIT_SCALAR(id, name, short_name, numpy_char, cls, bits, type)                           \
  case ScalarId::id:                                                                               \
    use(type());                                                                                   \
    return;
#include "typeinfer/types/scalar_types.def"
#undef NUMJIT_SCALAR
  }
}

template <class T>
std::string show(T value) {
  if constexpr (is_complex_number<T>)
    return show(value.real()) + "+" + show(value.imag()) + "j";
  else if constexpr (std::is_floating_point_v<T>) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", static_cast<double>(value));
    return text;
  } else
    return std::to_string(value);
}

/// Exact for integers and for operations that round once; libm's results may differ in the last
/// places.
template <class T>
bool agree(const std::string &name, T expected, T got) {
  if constexpr (is_complex_number<T>) {
    if (std::abs(expected) == 0 || !std::isfinite(std::abs(expected)))
      return agree(name, expected.real(), got.real()) && agree(name, expected.imag(), got.imag());
    return std::abs(expected - got) <=
           64 * std::numeric_limits<typename T::value_type>::epsilon() * std::abs(expected);
  } else if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(expected) || std::isnan(got))
      return std::isnan(expected) && std::isnan(got);
    if (expected == got)
      return true;
    return std::abs(expected - got) <= 4 * std::numeric_limits<T>::epsilon() * std::abs(expected);
  } else {
    return expected == got;
  }
}

template <class T>
std::vector<T> edge_values() {
  std::mt19937_64 random(7);
  std::vector<T> values;
  if constexpr (is_complex_number<T>) {
    using Part = typename T::value_type;
    for (Part re : {Part(0), Part(1), Part(-2.5), Part(0.3), Part(-30)})
      for (Part im : {Part(0), Part(1), Part(-0.7), Part(20)})
        values.push_back({re, im});
  } else if constexpr (std::is_floating_point_v<T>) {
    using Limits = std::numeric_limits<T>;
    values = {T(0),
              T(1),
              T(-0.0),
              T(-1),
              T(0.5),
              T(-0.5),
              T(2),
              T(3),
              T(-7),
              T(2.5),
              T(-3.5),
              T(0.1),
              T(1e10),
              T(-1e10),
              T(1e-10),
              T(12345.678),
              Limits::infinity(),
              -Limits::infinity(),
              Limits::quiet_NaN(),
              Limits::max(),
              Limits::denorm_min(),
              Limits::min(),
              T(100),
              T(-0.9)};
    std::uniform_real_distribution<T> small(-10, 10);
    for (int i = 0; i < 20; ++i)
      values.push_back(small(random));
  } else if constexpr (std::is_same_v<T, bool>) {
    values = {false, true};
  } else {
    using Limits = std::numeric_limits<T>;
    values = {T(0),
              T(1),
              T(-1),
              T(2),
              T(3),
              T(7),
              T(8),
              T(10),
              T(63),
              T(64),
              T(65),
              T(100),
              T(-2),
              T(-3),
              T(-7),
              Limits::min(),
              Limits::max(),
              T(Limits::max() / 2),
              T(Limits::min() + 1)};
    for (int i = 0; i < 20; ++i)
      values.push_back(static_cast<T>(random()));
  }
  return values;
}

/// Operations on values of type T by printed name; each gives its result in the type it has.
template <class T>
class References {
public:
  using Function = std::function<std::any(T, T, T)>;
  References();
  const Function *find(const std::string &name) const {
    auto found = table_.find(name);
    return found == table_.end() ? nullptr : &found->second;
  }

private:
  template <class F>
  void add(const char *name, F f) {
    table_[name] = [f](T x, T y, T z) -> std::any {
      if constexpr (std::is_invocable_v<F, T, T, T>)
        return f(x, y, z);
      else if constexpr (std::is_invocable_v<F, T, T>)
        return f(x, y);
      else
        return f(x);
    };
  }
  void add_comparisons();
  void add_bools();
  void add_integers();
  void add_reals();
  void add_complex();

  std::map<std::string, Function> table_;
};

extern template class References<bool>;
extern template class References<int8_t>;
extern template class References<int16_t>;
extern template class References<int32_t>;
extern template class References<int64_t>;
extern template class References<uint8_t>;
extern template class References<uint16_t>;
extern template class References<uint32_t>;
extern template class References<uint64_t>;
extern template class References<float>;
extern template class References<double>;
extern template class References<std::complex<float>>;
extern template class References<std::complex<double>>;

} // namespace numjit
