// Arithmetic that is too long to be emitted in line.
#include "runtime/math.h"

#include <algorithm>
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

/// One matrix: where it begins and its steps in bytes.
struct Strided {
  char *data;
  int64_t row, column;
  char *at(int64_t i, int64_t j) const { return data + i * row + j * column; }
};

/// In squares that stay in the first cache level, so that a transposing copy does not miss at each
/// item.
template <class Item>
void copy_items(Strided to, Strided from, int64_t rows, int64_t columns) {
  constexpr int64_t kSide = 32;
  for (int64_t i0 = 0; i0 < rows; i0 += kSide)
    for (int64_t j0 = 0; j0 < columns; j0 += kSide)
      for (int64_t i = i0; i < std::min(i0 + kSide, rows); ++i)
        for (int64_t j = j0; j < std::min(j0 + kSide, columns); ++j)
          std::memcpy(to.at(i, j), from.at(i, j), sizeof(Item));
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
  // printf and strtod both round correctly, which makes this what CPython's dtoa returns.
  char text[700];
  std::snprintf(text, sizeof text, "%.*f", static_cast<int>(digits), x);
  return std::strtod(text, nullptr);
}

void nj_copy_matrix(void *to, int64_t to_row, int64_t to_column, const void *from, int64_t from_row,
                    int64_t from_column, int64_t rows, int64_t columns, int64_t item_size) {
  Strided target{static_cast<char *>(to), to_row, to_column};
  Strided source{static_cast<char *>(const_cast<void *>(from)), from_row, from_column};
  if (to_column == item_size && from_column == item_size) {
    for (int64_t i = 0; i < rows; ++i)
      std::memcpy(target.at(i, 0), source.at(i, 0), static_cast<size_t>(columns * item_size));
    return;
  }
  struct Pair {
    uint64_t parts[2];
  };
  switch (item_size) {
  case 1: return copy_items<uint8_t>(target, source, rows, columns);
  case 2: return copy_items<uint16_t>(target, source, rows, columns);
  case 4: return copy_items<uint32_t>(target, source, rows, columns);
  case 8: return copy_items<uint64_t>(target, source, rows, columns);
  default: return copy_items<Pair>(target, source, rows, columns);
  }
}

} // extern "C"
