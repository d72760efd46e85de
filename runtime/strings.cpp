// What compiled code calls of strings: comparing, searching, case, building new ones.
#include "runtime/strings.h"

#include "runtime/runtime.h"
#include "runtime/text.h"
#include "runtime/text_search.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace numjit {
namespace {

// --- searching ---

/// The part of a string that `start` and `end` mean; nothing where the start lies behind the end.
struct Bounds {
  int64_t start, end;
  Bounds(const Text &s, int64_t from, int64_t to) {
    auto cut = [&](int64_t at) { return at < 0 ? std::max<int64_t>(at + s.length, 0) : at; };
    start = cut(from);
    end = std::min(cut(to), s.length);
  }
};

/// Where a string has another one, from the left, so many times at most.
class Places {
public:
  Places(const Text &s, const Text &wanted, int64_t most)
      : s_(s), wanted_(wanted), most_(most), search_(s, wanted) {}

  template <class Body>
  void each(Body body) const {
    if (wanted_.length == 0) { // before each character, and at the end
      for (int64_t i = 0; i <= s_.length && i < most_; ++i)
        body(i);
      return;
    }
    int64_t at = 0;
    for (int64_t i = 0; i < most_ && (at = search_.find(s_, at, s_.length)) >= 0; ++i) {
      body(at);
      at += wanted_.length;
    }
  }

private:
  const Text s_, wanted_;
  const int64_t most_;
  const Search search_;
};

bool equal(const Text &a, const Text &b) {
  if (a.length != b.length)
    return false;
  if (a.kind == b.kind)
    return a.length == 0 ||
           std::memcmp(a.data, b.data, static_cast<size_t>(a.length * a.kind)) == 0;
  return with_units(a, [&](auto *x) {
    return with_units(b, [&](auto *y) {
      return std::equal(x, x + a.length, y,
                        [](auto p, auto q) { return uint32_t(p) == uint32_t(q); });
    });
  });
}

int64_t compare(const Text &a, const Text &b) {
  const int64_t common = std::min(a.length, b.length);
  const int64_t order = with_units(a, [&](auto *x) {
    return with_units(b, [&](auto *y) -> int64_t {
      for (int64_t i = 0; i < common; ++i)
        if (uint32_t(x[i]) != uint32_t(y[i]))
          return uint32_t(x[i]) < uint32_t(y[i]) ? -1 : 1;
      return 0;
    });
  });
  return order ? order : a.length < b.length ? -1 : a.length > b.length;
}

// --- case ---

/// How nj_str_conversion is called in Python.
constexpr const char *kConversions[] = {"upper",      "lower",    "title",
                                        "capitalize", "swapcase", "casefold"};

void convert_ascii(const Text &s, int64_t how, Writer &out) {
  bool in_word = false; // behind a letter
  for (int64_t i = 0; i < s.length; ++i) {
    uint32_t c = s[i];
    const bool lower = c >= 'a' && c <= 'z', upper = c >= 'A' && c <= 'Z';
    const bool up = how == NJ_UPPERCASE || how == NJ_SWAPCASE ||
                    (how == NJ_TITLECASE && !in_word) || (how == NJ_CAPITALIZED && i == 0);
    const bool down = how == NJ_LOWERCASE || how == NJ_CASEFOLDED || how == NJ_SWAPCASE ||
                      (how == NJ_TITLECASE && in_word) || (how == NJ_CAPITALIZED && i > 0);
    if ((lower && up) || (upper && down))
      c ^= 0x20;
    in_word = lower || upper;
    out.put(c);
  }
}

// --- tests ---

bool has_case(const Text &s, uint32_t wanted, uint32_t excluded) {
  bool found = false;
  for (int64_t i = 0; i < s.length; ++i) {
    const uint32_t bits = class_of(s[i]);
    if (bits & excluded)
      return false;
    found |= (bits & wanted) != 0;
  }
  return found;
}

bool is_title(const Text &s) {
  bool found = false, in_word = false;
  for (int64_t i = 0; i < s.length; ++i) {
    const uint32_t bits = class_of(s[i]);
    if (bits & (NJ_UPPER | NJ_TITLE)) {
      if (in_word)
        return false;
      in_word = found = true;
    } else if (bits & NJ_LOWER) {
      if (!in_word)
        return false;
      found = true;
    } else {
      in_word = false;
    }
  }
  return found;
}

bool is_identifier(const Text &s) {
  if (s.length == 0)
    return false;
  if (!is_ascii(s))
    return nj_host.text_method &&
           nj_host.text_method("isidentifier", s.data, s.length, s.kind, nullptr) == 2;
  for (int64_t i = 0; i < s.length; ++i) {
    const uint32_t bits = class_of(s[i]);
    if (s[i] != '_' && !(bits & NJ_ALPHA) && (i == 0 || !(bits & NJ_DECIMAL)))
      return false;
  }
  return true;
}

bool all_of_class(const Text &s, uint32_t bits) {
  for (int64_t i = 0; i < s.length; ++i)
    if (!(class_of(s[i]) & bits))
      return false;
  return true;
}

constexpr std::array<uint8_t, 256> kLatin1 = [] {
  std::array<uint8_t, 256> characters{};
  for (size_t i = 0; i < characters.size(); ++i)
    characters[i] = static_cast<uint8_t>(i);
  return characters;
}();

} // namespace
} // namespace numjit

using namespace numjit;

extern "C" {

const void *nj_latin1_characters(void) { return kLatin1.data(); }

uint8_t nj_str_equal(NJ_STR(a), NJ_STR(b)) { return equal(NJ_TEXT(a), NJ_TEXT(b)); }

int64_t nj_str_compare(NJ_STR(a), NJ_STR(b)) { return compare(NJ_TEXT(a), NJ_TEXT(b)); }

int64_t nj_str_hash(NJ_STR(s)) {
  const Text s = NJ_TEXT(s);
  // The interpreter hashes the bytes of the smallest kind.
  const InKind smallest(s, s.kind == 1 ? 1 : kind_for(largest(s)));
  const Text &text = smallest.text();
  const int64_t bytes = text.length * text.kind;
  if (nj_host.hash_bytes)
    return nj_host.hash_bytes(text.data, bytes);
  uint64_t hash = 0xCBF29CE484222325;
  for (int64_t i = 0; i < bytes; ++i)
    hash = (hash ^ static_cast<const uint8_t *>(text.data)[i]) * 0x100000001B3;
  return static_cast<int64_t>(hash);
}

int64_t nj_str_find(NJ_STR(s), NJ_STR(part), int64_t start, int64_t end, int64_t from_end) {
  const Text s = NJ_TEXT(s), part = NJ_TEXT(part);
  const Bounds in(s, start, end);
  if (in.end - in.start < part.length)
    return -1;
  if (part.length == 0)
    return from_end ? in.end : in.start;
  return Search(s, part).find(s, in.start, in.end, from_end != 0);
}

int64_t nj_str_count(NJ_STR(s), NJ_STR(part), int64_t start, int64_t end) {
  const Text s = NJ_TEXT(s), part = NJ_TEXT(part);
  const Bounds in(s, start, end);
  if (in.end - in.start < part.length)
    return 0;
  if (part.length == 0)
    return in.end - in.start + 1;
  const Search search(s, part);
  int64_t count = 0;
  for (int64_t at = in.start; (at = search.find(s, at, in.end)) >= 0; at += part.length)
    ++count;
  return count;
}

uint8_t nj_str_matches(NJ_STR(s), NJ_STR(part), int64_t start, int64_t end, int64_t at_end) {
  const Text s = NJ_TEXT(s), part = NJ_TEXT(part);
  const Bounds in(s, start, end);
  if (in.end - in.start < part.length)
    return 0;
  const int64_t at = at_end ? in.end - part.length : in.start;
  return equal(s.part(at, at + part.length), part);
}

int64_t nj_str_skip(NJ_STR(s), NJ_STR(set), int64_t from_end) {
  const Text s = NJ_TEXT(s), set = NJ_TEXT(set);
  auto skipped = [&](uint32_t c) {
    if (set.length < 0)
      return is_space(c);
    for (int64_t i = 0; i < set.length; ++i)
      if (set[i] == c)
        return true;
    return false;
  };
  int64_t i = from_end ? s.length : 0;
  if (from_end)
    while (i > 0 && skipped(s[i - 1]))
      --i;
  else
    while (i < s.length && skipped(s[i]))
      ++i;
  return i;
}

uint8_t nj_str_is(NJ_STR(s), int64_t what) {
  const Text s = NJ_TEXT(s);
  const bool some = s.length > 0;
  switch (static_cast<nj_str_question>(what)) {
  case NJ_IS_ALPHA: return some && all_of_class(s, NJ_ALPHA);
  case NJ_IS_DECIMAL: return some && all_of_class(s, NJ_DECIMAL);
  case NJ_IS_DIGIT: return some && all_of_class(s, NJ_DIGIT);
  case NJ_IS_NUMERIC: return some && all_of_class(s, NJ_NUMERIC);
  case NJ_IS_ALNUM: return some && all_of_class(s, NJ_ALPHA | NJ_DECIMAL | NJ_DIGIT | NJ_NUMERIC);
  case NJ_IS_SPACE:
    for (int64_t i = 0; i < s.length; ++i)
      if (!is_space(s[i]))
        return 0;
    return some;
  case NJ_IS_PRINTABLE: return all_of_class(s, NJ_PRINTABLE);
  case NJ_IS_LOWER: return has_case(s, NJ_LOWER, NJ_UPPER | NJ_TITLE);
  case NJ_IS_UPPER: return has_case(s, NJ_UPPER, NJ_LOWER | NJ_TITLE);
  case NJ_IS_TITLE: return is_title(s);
  case NJ_IS_ASCII: return is_ascii(s);
  case NJ_IS_IDENTIFIER: return is_identifier(s);
  }
  return 0;
}

int32_t nj_str_concat(NJ_STR(a), NJ_STR(b), void **block) {
  const Text a = NJ_TEXT(a), b = NJ_TEXT(b);
  Writer out(a.length + b.length, std::max(a.kind, b.kind), block);
  if (!out.status()) {
    out.put(a);
    out.put(b);
  }
  return out.status();
}

int32_t nj_str_repeat(NJ_STR(s), int64_t count, void **block) {
  const Text s = NJ_TEXT(s);
  count = std::max<int64_t>(count, 0);
  int64_t length;
  if (__builtin_mul_overflow(s.length, count, &length))
    return too_long();
  Writer out(length, s.kind, block);
  if (out.status())
    return out.status();
  if (s.length == 1)
    out.put(s[0], count);
  else
    for (int64_t i = 0; i < count && s.length; ++i)
      out.put(s);
  return 0;
}

int32_t nj_str_stride(NJ_STR(s), int64_t start, int64_t step, int64_t count, void **block) {
  const Text s = NJ_TEXT(s);
  Writer out(count, s.kind, block);
  if (!out.status())
    for (int64_t i = 0; i < count; ++i)
      out.put(s[start + i * step]);
  return out.status();
}

int32_t nj_str_join(NJ_STR(separator), const void *items, int64_t count, void **block) {
  const Text separator = NJ_TEXT(separator);
  const auto *strings = static_cast<const nj_string *>(items);
  int64_t length = 0, kind = count > 1 ? separator.kind : 1;
  for (int64_t i = 0; i < count; ++i) {
    kind = std::max(kind, strings[i].kind);
    if (__builtin_add_overflow(length, strings[i].length + (i ? separator.length : 0), &length))
      return too_long();
  }
  Writer out(length, kind, block);
  if (out.status())
    return out.status();
  for (int64_t i = 0; i < count; ++i) {
    if (i)
      out.put(separator);
    out.put(Text{strings[i].data, strings[i].length, strings[i].kind});
  }
  return 0;
}

int32_t nj_str_replace(NJ_STR(s), NJ_STR(old), NJ_STR(with), int64_t count, void **block) {
  const Text s = NJ_TEXT(s), old = NJ_TEXT(old), with = NJ_TEXT(with);
  const Places places(s, old, count < 0 ? INT64_MAX : count);
  int64_t found = 0, more, length;
  places.each([&](int64_t) { ++found; });
  if (__builtin_mul_overflow(with.length - old.length, found, &more) ||
      __builtin_add_overflow(s.length, more, &length))
    return too_long();
  Writer out(length, found == 0 ? s.kind : std::max(s.kind, with.kind), block);
  if (out.status())
    return out.status();
  int64_t done = 0;
  places.each([&](int64_t place) {
    out.put(s.part(done, place));
    out.put(with);
    done = place + old.length;
  });
  out.put(s.part(done, s.length));
  return 0;
}

int32_t nj_str_pad(NJ_STR(s), int64_t left, int64_t right, int64_t fill, void **block) {
  const Text s = NJ_TEXT(s);
  left = std::max<int64_t>(left, 0);
  right = std::max<int64_t>(right, 0);
  const auto character = static_cast<uint32_t>(fill);
  int64_t length;
  if (__builtin_add_overflow(left, right, &length) ||
      __builtin_add_overflow(length, s.length, &length))
    return too_long();
  Writer out(length, std::max(s.kind, kind_for(character)), block);
  if (!out.status()) {
    out.put(character, left);
    out.put(s);
    out.put(character, right);
  }
  return out.status();
}

int32_t nj_str_expandtabs(NJ_STR(s), int64_t tab_size, void **block) {
  const Text s = NJ_TEXT(s);
  // Twice the same walk: for the length, then for the characters.
  auto walk = [&](auto put) {
    int64_t column = 0;
    for (int64_t i = 0; i < s.length; ++i) {
      const uint32_t c = s[i];
      if (c == '\t') {
        const int64_t width = tab_size > 0 ? tab_size - column % tab_size : 0;
        column += width;
        put(' ', width);
      } else {
        column = c == '\n' || c == '\r' ? 0 : column + 1;
        put(c, 1);
      }
    }
  };
  int64_t length = 0;
  walk([&](uint32_t, int64_t count) { length += count; });
  Writer out(length, s.kind, block);
  if (!out.status())
    walk([&](uint32_t c, int64_t count) { out.put(c, count); });
  return out.status();
}

int32_t nj_str_convert(NJ_STR(s), int64_t how, void **block) {
  const Text s = NJ_TEXT(s);
  *block = nullptr;
  if (nj_host.text_method && !is_ascii(s)) {
    if (nj_host.text_method(kConversions[how], s.data, s.length, s.kind, block) >= 0)
      return 0;
    nj_set_host_error();
    return 1;
  }
  Writer out(s.length, s.kind, block);
  if (!out.status())
    convert_ascii(s, how, out);
  return out.status();
}

int32_t nj_str_chr(int64_t character, void **block) {
  if (character < 0 || character > 0x10FFFF) {
    nj_set_simple_error("ValueError", "chr() arg not in range(0x110000)");
    return 1;
  }
  const auto c = static_cast<char32_t>(character);
  return new_text({&c, 1}, block);
}

int32_t nj_str_repr(NJ_STR(s), int64_t only_ascii, void **block) {
  return new_text(repr_of(NJ_TEXT(s), only_ascii != 0), block);
}

void nj_str_sort(void *items, int64_t count, int64_t reverse) {
  auto *strings = static_cast<nj_string *>(items);
  auto less = [](const nj_string &a, const nj_string &b) {
    return compare({a.data, a.length, a.kind}, {b.data, b.length, b.kind}) < 0;
  };
  if (reverse)
    std::stable_sort(strings, strings + count,
                     [&](const nj_string &a, const nj_string &b) { return less(b, a); });
  else
    std::stable_sort(strings, strings + count, less);
}

} // extern "C"
