// Numbers as text and back, as Python's str(), repr(), format(), int() and float() do it.
#include "runtime/runtime.h"
#include "runtime/strings.h"
#include "runtime/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace numjit {
namespace {

// --- floats as digits ---

/// A positive finite number: 0.d1d2d3... * 10**point.
struct Digits {
  std::string digits;
  int point = 0;
};

/// Reads what to_chars writes in scientific form: d.ddde+XX.
Digits from_scientific(std::string_view text) {
  const size_t e = text.find('e');
  Digits made;
  made.digits = text.substr(0, 1);
  if (e > 2)
    made.digits += text.substr(2, e - 2);
  std::from_chars(text.data() + e + (text[e + 1] == '+' ? 2 : 1), text.data() + text.size(),
                  made.point);
  ++made.point;
  return made;
}

/// The fewest digits that read back as the same number.
template <class Real>
Digits shortest(Real x) {
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::scientific).ptr;
  return from_scientific({buffer, end});
}

/// The fewest digits that read back as the same float16.
Digits shortest_half(float x) {
  for (int precision = 0;; ++precision) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*e", precision, x);
    if (static_cast<_Float16>(std::strtof(text, nullptr)) == static_cast<_Float16>(x))
      return from_scientific(text);
  }
}

std::string printed(double x, std::chars_format form, int precision) {
  std::string out(static_cast<size_t>(precision) + 400, '\0');
  auto end = std::to_chars(out.data(), out.data() + out.size() - 1, x, form, precision).ptr;
  out.resize(static_cast<size_t>(end - out.data()));
  return out;
}

std::string exponent_text(int exponent) {
  const std::string digits = std::to_string(std::abs(exponent));
  return (exponent < 0 ? "e-" : "e+") + std::string(digits.size() < 2 ? 1 : 0, '0') + digits;
}

constexpr int kNeverFixed = INT32_MIN;

/// Fixed notation where the point is near the digits, else scientific.
std::string general(Digits d, int most_fixed, bool add_zero, bool keep_point) {
  if (d.point > -4 && d.point <= most_fixed) {
    if (d.point <= 0)
      return "0." + std::string(static_cast<size_t>(-d.point), '0') + d.digits;
    const auto point = static_cast<size_t>(d.point);
    if (d.digits.size() <= point) {
      d.digits.append(point - d.digits.size(), '0');
      return d.digits + (add_zero ? ".0" : keep_point ? "." : "");
    }
    return d.digits.substr(0, point) + "." + d.digits.substr(point);
  }
  std::string mantissa = d.digits.substr(0, 1);
  if (d.digits.size() > 1 || keep_point)
    mantissa += "." + d.digits.substr(1);
  return mantissa + exponent_text(d.point - 1);
}

/// repr of |x|, of a type of so many bits; `add_zero`: 1.0, not 1.
std::string repr_of(double x, int bits, bool add_zero) {
  if (std::isnan(x))
    return "nan";
  x = std::fabs(x);
  if (std::isinf(x))
    return "inf";
  if (bits == 64)
    return general(shortest(x), 16, add_zero, false);
  // NumPy turns to exponents earlier.
  const bool fixed = x == 0 || (x >= 1e-4 && x < (bits == 16 ? 1e3 : 1e6));
  const auto value = static_cast<float>(x);
  return general(bits == 16 ? shortest_half(value) : shortest(value), fixed ? 7 : kNeverFixed,
                 add_zero, false);
}

std::string signed_repr(double x, int bits, bool add_zero) {
  const bool minus = std::signbit(x) && !std::isnan(x);
  return (minus ? "-" : "") + repr_of(x, bits, add_zero);
}

// --- format specifications ---

struct Spec {
  uint32_t fill = ' ', type = 0;
  char align = 0, sign = '-', grouping = 0;
  bool no_negative_zero = false, alternate = false, sign_given = false;
  int64_t width = -1, precision = -1;
};

int32_t fail(const std::string &message) {
  nj_set_simple_error("ValueError", message.c_str());
  return 1;
}

std::string named(uint32_t type) {
  if (type > 32 && type < 128)
    return std::string("'") + static_cast<char>(type) + "'";
  char text[16];
  std::snprintf(text, sizeof text, "'\\x%x'", type);
  return text;
}

int32_t unknown_code(uint32_t type, const char *of) {
  return fail("Unknown format code " + named(type) + " for object of type '" + of + "'");
}

/// Of objects of the class `of`; nonzero: an error is set.
/// Reads [[fill]align][sign][z][#][0]; the position behind it.
int64_t parse_flags(const Text &text, char default_align, Spec &spec) {
  int64_t i = 0;
  auto at = [&](int64_t k) -> uint32_t { return k < text.length ? text[k] : 0; };
  auto is_align = [](uint32_t c) { return c == '<' || c == '>' || c == '=' || c == '^'; };
  bool fill_given = false, align_given = false;
  spec.align = default_align;
  if (text.length >= 2 && is_align(at(1))) {
    spec.fill = at(0);
    spec.align = static_cast<char>(at(1));
    fill_given = align_given = true;
    i = 2;
  } else if (is_align(at(0))) {
    spec.align = static_cast<char>(at(0));
    align_given = true;
    i = 1;
  }
  if (at(i) == '+' || at(i) == '-' || at(i) == ' ') {
    spec.sign = static_cast<char>(at(i++));
    spec.sign_given = true;
  }
  if (at(i) == 'z') {
    spec.no_negative_zero = true;
    ++i;
  }
  if (at(i) == '#') {
    spec.alternate = true;
    ++i;
  }
  if (!fill_given && at(i) == '0') {
    spec.fill = '0';
    if (!align_given && default_align == '>')
      spec.align = '=';
    ++i;
  }
  return i;
}

int32_t parse(const Text &text, const char *of, char default_align, Spec &spec) {
  int64_t i = parse_flags(text, default_align, spec);
  auto at = [&](int64_t k) -> uint32_t { return k < text.length ? text[k] : 0; };
  bool too_many = false;
  auto number = [&]() -> int64_t {
    int64_t value = -1;
    for (; at(i) >= '0' && at(i) <= '9'; ++i) {
      value = std::max<int64_t>(value, 0);
      too_many = __builtin_mul_overflow(value, 10, &value) ||
                 __builtin_add_overflow(value, at(i) - '0', &value) || too_many;
    }
    return value;
  };
  spec.width = number();
  if (at(i) == ',' || at(i) == '_') {
    spec.grouping = static_cast<char>(at(i++));
    if (at(i) == ',' || at(i) == '_')
      return fail(at(i) == static_cast<uint32_t>(spec.grouping) && spec.grouping == ','
                      ? "Cannot specify ',' with ','."
                      : "Cannot specify both ',' and '_'.");
  }
  if (at(i) == '.') {
    ++i;
    spec.precision = number();
    if (spec.precision < 0)
      return fail("Format specifier missing precision");
  }
  if (too_many)
    return fail("Too many decimal digits in format string");
  if (spec.width > INT32_MAX) {
    nj_set_simple_error("MemoryError", "the formatted string is too long");
    return 1;
  }
  if (text.length - i > 1) {
    std::string shown;
    for (int64_t k = 0; k < std::min<int64_t>(text.length, 100); ++k)
      shown += text[k] < 128 ? static_cast<char>(text[k]) : '?';
    return fail("Invalid format specifier '" + shown + "' for object of type '" + of + "'");
  }
  spec.type = at(i);
  if (spec.grouping) {
    static constexpr std::u32string_view decimal = U"deEfFgG%", binary = U"boxX";
    const bool fine = spec.type == 0 || decimal.find(spec.type) != std::u32string_view::npos ||
                      (spec.grouping == '_' && binary.find(spec.type) != std::u32string_view::npos);
    if (!fine)
      return fail(std::string("Cannot specify '") + spec.grouping + "' with " + named(spec.type) +
                  ".");
  }
  return 0;
}

/// A number as text in its parts.
struct NumberText {
  std::string sign, prefix, digits, rest;
};

std::string grouped(const std::string &digits, char separator, size_t every) {
  std::string out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i && (digits.size() - i) % every == 0)
      out += separator;
    out += digits[i];
  }
  return out;
}

int32_t write_padded(const std::string &text, int64_t inner, const Spec &spec, void **block) {
  const auto length = static_cast<int64_t>(text.size());
  const int64_t missing = std::max<int64_t>(spec.width - length, 0);
  const int64_t before = spec.align == '>' ? missing : spec.align == '^' ? missing / 2 : 0;
  const int64_t between = spec.align == '=' ? missing : 0;
  Writer out(length + missing, missing ? kind_for(spec.fill) : 1, block);
  if (out.status())
    return out.status();
  const Text whole{text.data(), length, 1};
  out.put(spec.fill, before);
  out.put(whole.part(0, inner));
  out.put(spec.fill, between);
  out.put(whole.part(inner, length));
  out.put(spec.fill, missing - before - between);
  return 0;
}

int32_t write_number(NumberText number, const Spec &spec, void **block) {
  const std::string front = number.sign + number.prefix;
  if (spec.grouping) {
    const size_t every = spec.type == 'b' || spec.type == 'o' || (spec.type | 0x20) == 'x' ? 4 : 3;
    // Not inf, nor nan; A0 is.
    const bool numeric = every == 4 || (!number.digits.empty() && number.digits[0] <= '9');
    if (spec.fill == '0' && spec.align == '=' && numeric) {
      const int64_t wanted = spec.width - static_cast<int64_t>(front.size()) -
                             static_cast<int64_t>(number.rest.size());
      const auto digits = static_cast<int64_t>(number.digits.size());
      int64_t count = digits;
      while (count + (count - 1) / static_cast<int64_t>(every) < wanted)
        ++count;
      number.digits.insert(0, static_cast<size_t>(count - digits), '0');
    }
    if (numeric)
      number.digits = grouped(number.digits, spec.grouping, every);
  }
  const std::string text = front + number.digits + number.rest;
  return write_padded(text, static_cast<int64_t>(front.size()), spec, block);
}

std::string sign_text(bool minus, const Spec &spec) {
  return minus ? "-" : spec.sign == '-' ? "" : std::string(1, spec.sign);
}

/// A finite number, not negative, without its sign.
std::string finite_text(double size, const Spec &spec) {
  const int precision = spec.precision < 0 ? 6 : static_cast<int>(spec.precision);
  const uint32_t type = spec.type;
  if (type == 'e' || type == 'E') {
    std::string body = printed(size, std::chars_format::scientific, precision);
    if (spec.alternate && precision == 0)
      body.insert(1, ".");
    return body;
  }
  if (type == 'f' || type == 'F' || type == '%') {
    std::string body = printed(size, std::chars_format::fixed, precision);
    if (spec.alternate && precision == 0)
      body += '.';
    return body;
  }
  if (!type && spec.precision < 0)
    return general(shortest(size), 16, true, spec.alternate);
  const int digits = std::max(precision, 1);
  Digits d = from_scientific(printed(size, std::chars_format::scientific, digits - 1));
  if (!spec.alternate)
    while (d.digits.size() > 1 && d.digits.back() == '0')
      d.digits.pop_back();
  return general(d, digits - (type ? 0 : 1), !type, spec.alternate);
}

int32_t format_double(double x, Spec spec, const char *of, void **block) {
  uint32_t type = spec.type;
  static constexpr std::u32string_view known = U"eEfFgGn%";
  if (type && known.find(type) == std::u32string_view::npos)
    return unknown_code(type, of);
  if (spec.precision > INT32_MAX - 1000)
    return fail("precision too big");
  bool minus = std::signbit(x) && !std::isnan(x);
  NumberText number;
  double size = std::fabs(x);
  if (type == '%')
    size *= 100;
  const bool upper = type == 'E' || type == 'F' || type == 'G';
  std::string body = std::isnan(size) ? "nan" : std::isinf(size) ? "inf" : finite_text(size, spec);
  if (spec.no_negative_zero && minus && body.find_first_of("123456789") == std::string::npos &&
      std::isfinite(size))
    minus = false;
  if (upper)
    for (char &c : body)
      c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  const size_t digits = std::isfinite(size)
                            ? std::min(body.find_first_not_of("0123456789"), body.size())
                            : body.size();
  number.sign = sign_text(minus, spec);
  number.digits = body.substr(0, digits);
  number.rest = body.substr(digits) + (type == '%' ? "%" : "");
  return write_number(std::move(number), spec, block);
}

int32_t format_integer(uint64_t size, bool minus, Spec spec, void **block) {
  static constexpr std::u32string_view floats = U"eEfFgG%";
  if (spec.type && floats.find(spec.type) != std::u32string_view::npos)
    return format_double(minus ? -static_cast<double>(size) : static_cast<double>(size), spec,
                         "int", block);
  int base = 10;
  switch (spec.type) {
  case 0:
  case 'd':
  case 'n': break;
  case 'b': base = 2; break;
  case 'o': base = 8; break;
  case 'x':
  case 'X': base = 16; break;
  case 'c': break;
  default: return unknown_code(spec.type, "int");
  }
  if (spec.precision >= 0)
    return fail("Precision not allowed in integer format specifier");
  if (spec.no_negative_zero)
    return fail("Negative zero coercion (z) not allowed in format specifier with integer format "
                "code");
  if (spec.type == 'c') {
    if (minus || size > 0x10FFFF) {
      nj_set_simple_error("OverflowError", "%c arg not in range(0x110000)");
      return 1;
    }
    const auto c = static_cast<char32_t>(size);
    const int64_t missing = std::max<int64_t>(spec.width - 1, 0);
    const int64_t before = spec.align == '<' ? 0 : spec.align == '^' ? missing / 2 : missing;
    std::u32string text(static_cast<size_t>(before), spec.fill);
    text += c;
    text.append(static_cast<size_t>(missing - before), spec.fill);
    return new_text(text, block);
  }
  char buffer[72];
  NumberText number;
  number.digits = {buffer, std::to_chars(buffer, buffer + sizeof buffer, size, base).ptr};
  if (spec.type == 'X')
    for (char &c : number.digits)
      c = static_cast<char>(c >= 'a' ? c - 32 : c);
  number.sign = sign_text(minus, spec);
  if (spec.alternate && base != 10)
    number.prefix = {'0', static_cast<char>(spec.type)};
  return write_number(std::move(number), spec, block);
}

// --- reading ---

/// The number without white space around it, digits of any script as ASCII; nothing if another
/// character is in it.
std::optional<std::string> plain_number(const Text &s) {
  int64_t start = 0, end = s.length;
  while (start < end && is_space(s[start]))
    ++start;
  while (end > start && is_space(s[end - 1]))
    --end;
  std::string out;
  for (int64_t i = start; i < end; ++i) {
    const uint32_t c = s[i];
    if (c < 0x80)
      out += static_cast<char>(c);
    else if (const uint32_t bits = class_of(c); bits & NJ_DECIMAL)
      out += static_cast<char>('0' + (bits >> NJ_DECIMAL_SHIFT));
    else
      return {};
  }
  return out;
}

/// Takes the underscores out; false unless each stands between two digits of the base, or behind a
/// prefix.
bool drop_underscores(std::string &text, auto is_digit, bool behind_prefix) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      out += text[i];
      continue;
    }
    const bool left = i ? is_digit(text[i - 1]) : behind_prefix;
    if (!left || i + 1 == text.size() || !is_digit(text[i + 1]))
      return false;
  }
  text = out;
  return true;
}

int digit_value(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'z' ? c - 'a' + 10
         : c >= 'A' && c <= 'Z' ? c - 'A' + 10
                                : 99;
}

int32_t no_integer(const Text &s, int64_t base) {
  return fail_with("ValueError",
                   "invalid literal for int() with base " + std::to_string(base) + ": ", s);
}

} // namespace
} // namespace numjit

using namespace numjit;

extern "C" {

int32_t nj_str_of_int(int64_t value, void **block) {
  char buffer[24];
  return new_ascii({buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr}, block);
}

int32_t nj_str_of_uint(uint64_t value, void **block) {
  char buffer[24];
  return new_ascii({buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr}, block);
}

int32_t nj_str_of_double(double value, int64_t bits, void **block) {
  return new_ascii(signed_repr(value, static_cast<int>(bits), true), block);
}

int32_t nj_str_of_complex(double real, double imag, int64_t single, void **block) {
  const int bits = single ? 32 : 64;
  std::string imaginary = signed_repr(imag, bits, false) + "j";
  if (real == 0 && !std::signbit(real))
    return new_ascii(imaginary, block);
  if (imaginary[0] != '-')
    imaginary = "+" + imaginary;
  return new_ascii("(" + signed_repr(real, bits, false) + imaginary + ")", block);
}

int32_t nj_format_int(int64_t value, NJ_STR(spec), void **block) {
  *block = nullptr;
  Spec spec;
  if (int32_t status = parse(NJ_TEXT(spec), "int", '>', spec))
    return status;
  const auto bits = static_cast<uint64_t>(value);
  return format_integer(value < 0 ? 0 - bits : bits, value < 0, spec, block);
}

int32_t nj_format_uint(uint64_t value, NJ_STR(spec), void **block) {
  *block = nullptr;
  Spec spec;
  if (int32_t status = parse(NJ_TEXT(spec), "int", '>', spec))
    return status;
  return format_integer(value, false, spec, block);
}

int32_t nj_format_double(double value, NJ_STR(spec), void **block) {
  *block = nullptr;
  Spec spec;
  if (int32_t status = parse(NJ_TEXT(spec), "float", '>', spec))
    return status;
  return format_double(value, spec, "float", block);
}

int32_t nj_format_str(NJ_STR(s), NJ_STR(spec), void **block) {
  *block = nullptr;
  Spec spec;
  if (int32_t status = parse(NJ_TEXT(spec), "str", '<', spec))
    return status;
  if (spec.type && spec.type != 's')
    return unknown_code(spec.type, "str");
  if (spec.sign_given)
    return fail(spec.sign == ' ' ? "Space not allowed in string format specifier"
                                 : "Sign not allowed in string format specifier");
  if (spec.no_negative_zero)
    return fail("Negative zero coercion (z) not allowed in string format specifier");
  if (spec.alternate)
    return fail("Alternate form (#) not allowed in string format specifier");
  if (spec.grouping)
    return fail(std::string("Cannot specify '") + spec.grouping + "' with 's'.");
  if (spec.align == '=')
    return fail("'=' alignment not allowed in string format specifier");
  Text s = NJ_TEXT(s);
  if (spec.precision >= 0)
    s.length = std::min(s.length, spec.precision);
  const int64_t missing = std::max<int64_t>(spec.width - s.length, 0);
  const int64_t left = spec.align == '>' ? missing : spec.align == '^' ? missing / 2 : 0;
  return nj_str_pad(s.data, s.length, s.kind, left, missing - left, spec.fill, block);
}

int32_t nj_str_to_int(NJ_STR(s), int64_t base, int64_t *value) {
  const Text s = NJ_TEXT(s);
  *value = 0;
  if (base != 0 && (base < 2 || base > 36))
    return fail("int() base must be >= 2 and <= 36, or 0");
  const int64_t given_base = base;
  std::optional<std::string> number = plain_number(s);
  if (!number)
    return no_integer(s, given_base);
  std::string text = *number;
  bool minus = false, prefixed = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    minus = text[0] == '-';
    text.erase(0, 1);
  }
  if (text.size() > 1 && text[0] == '0') {
    const char letter = static_cast<char>(text[1] | 0x20);
    const int64_t named = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
    if (named && (base == 0 || base == named)) {
      base = named;
      prefixed = true;
      text.erase(0, 2);
    }
  }
  const bool any_base = base == 0;
  if (any_base)
    base = 10;
  auto is_digit = [&](char c) { return digit_value(c) < base; };
  if (!drop_underscores(text, is_digit, prefixed) || text.empty() ||
      !std::all_of(text.begin(), text.end(), is_digit))
    return no_integer(s, given_base);
  if (any_base && text[0] == '0' && text.find_first_not_of('0') != std::string::npos)
    return no_integer(s, given_base); // 010 is no Python literal
  uint64_t size = 0;
  bool overflow = false;
  for (char c : text)
    overflow = __builtin_mul_overflow(size, static_cast<uint64_t>(base), &size) ||
               __builtin_add_overflow(size, static_cast<uint64_t>(digit_value(c)), &size) ||
               overflow;
  if (overflow || size > static_cast<uint64_t>(INT64_MAX) + minus) {
    nj_set_simple_error("OverflowError", "int too big to convert");
    return 1;
  }
  *value = static_cast<int64_t>(minus ? 0 - size : size);
  return 0;
}

int32_t nj_str_to_double(NJ_STR(s), double *value) {
  const Text s = NJ_TEXT(s);
  *value = 0;
  auto bad = [&] { return fail_with("ValueError", "could not convert string to float: ", s); };
  std::optional<std::string> number = plain_number(s);
  auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!number || !drop_underscores(*number, is_digit, false))
    return bad();
  std::string text = *number;
  bool minus = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    minus = text[0] == '-';
    text.erase(0, 1);
  }
  for (char &c : text)
    c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  double size = 0;
  if (text == "inf" || text == "infinity") {
    size = INFINITY;
  } else if (text == "nan") {
    size = NAN;
  } else {
    if (text.empty() || !(is_digit(text[0]) || text[0] == '.'))
      return bad();
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (end != text.data() + text.size() || error == std::errc::invalid_argument)
      return bad();
    if (error == std::errc::result_out_of_range)
      size = std::strtod(text.c_str(), nullptr); // infinity, or 0
  }
  *value = minus ? -size : size;
  return 0;
}

} // extern "C"
