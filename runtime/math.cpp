// Arithmetic that is too long to be emitted in line.
#include "runtime/math.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

// The decimal text of |x| rounded half to even in front of the decimal point: the last `zeros`
// digits become 0. A double of at least 1 has at most 52 binary, so 52 decimal, places: the text is
// exact.
std::string rounded_digits(double magnitude, int64_t zeros) {
  char text[400];
  int length = std::snprintf(text, sizeof text, "%.52f", magnitude);
  int64_t whole = length - 53;
  int64_t keep = whole - zeros;
  if (keep < 0)
    return "0";
  std::string digits(text, keep);
  std::string rest = std::string(text + keep, whole - keep) + std::string(text + whole + 1, 52);
  rest.erase(rest.find_last_not_of('0') + 1);
  bool odd = keep > 0 && (digits.back() - '0') % 2 == 1;
  bool up = rest > "5" || (rest == "5" && odd);
  if (up) {
    int64_t i = keep - 1;
    while (i >= 0 && digits[i] == '9')
      digits[i--] = '0';
    if (i >= 0)
      ++digits[i];
    else
      digits.insert(0, "1");
  }
  return digits + std::string(zeros, '0');
}

} // namespace

extern "C" {

int64_t nj_pow_i64(int64_t base, int64_t exponent) {
  // 1 / base**-exponent, cut to an integer: only 1 and -1 leave anything.
  if (exponent < 0) {
    if (base == 1)
      return 1;
    return base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  }
  uint64_t power = base, result = 1;
  for (uint64_t bits = exponent; bits; bits >>= 1) {
    if (bits & 1)
      result *= power;
    power *= power;
  }
  return static_cast<int64_t>(result);
}

double nj_lgamma(double x) {
  int sign;
  return lgamma_r(x, &sign); // lgamma itself writes a global
}

double nj_round_digits(double x, int64_t digits) {
  if (!std::isfinite(x) || x == 0 || digits > 323)
    return x;
  if (digits < -308)
    return std::copysign(0.0, x);
  if (digits < 0)
    return std::copysign(std::strtod(rounded_digits(std::fabs(x), -digits).c_str(), nullptr), x);
  // printf and strtod both round correctly, which makes this what CPython's dtoa gives.
  char text[700];
  std::snprintf(text, sizeof text, "%.*f", static_cast<int>(digits), x);
  return std::strtod(text, nullptr);
}

} // extern "C"
