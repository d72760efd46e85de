// Strings: searching, comparing, splitting, joining, case.
//
// Characters beyond ASCII are asked of the host (nj_hooks): its database is the one that programs
// are compared with.
#include "runtime/strings.h"

#include "runtime/runtime.h"
#include "runtime/text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

namespace numjit {

// --- characters ---

bool is_space(uint32_t c) {
  if (c < 0x80)
    return c == ' ' || (c >= 9 && c <= 13) || (c >= 0x1C && c <= 0x1F);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

uint32_t class_of(uint32_t c) {
  if (c >= 0x80)
    return nj_host.character_class ? nj_host.character_class(c) : uint32_t{NJ_PRINTABLE};
  uint32_t bits = c >= 0x20 && c < 0x7F ? NJ_PRINTABLE : 0;
  if (c >= '0' && c <= '9')
    bits |= NJ_DECIMAL | NJ_DIGIT | NJ_NUMERIC | (c - '0') << NJ_DECIMAL_SHIFT;
  if (c >= 'a' && c <= 'z')
    bits |= NJ_ALPHA | NJ_LOWER;
  if (c >= 'A' && c <= 'Z')
    bits |= NJ_ALPHA | NJ_UPPER;
  return bits;
}

bool is_ascii(const Text &text) {
  return with_units(text, [&](auto *units) {
    using Unit = std::remove_cvref_t<decltype(*units)>;
    Unit all = 0;
    for (int64_t i = 0; i < text.length; ++i)
      all |= units[i];
    return all < 0x80;
  });
}

// --- new strings ---

namespace {

char *payload(void *block) { return static_cast<char *>(block) + NJ_PAYLOAD_OFFSET; }

uint32_t largest(const Text &text) {
  return with_units(text, [&](auto *units) {
    uint32_t most = 0;
    for (int64_t i = 0; i < text.length; ++i)
      most = std::max<uint32_t>(most, units[i]);
    return most;
  });
}

/// Copies characters into memory of another kind, in which they must fit.
void copy_units(void *to, int64_t to_kind, const Text &from) {
  if (from.kind == to_kind) {
    if (from.length)
      std::memcpy(to, from.data, static_cast<size_t>(from.length * to_kind));
    return;
  }
  with_units(from, [&](auto *units) {
    switch (to_kind) {
    case 1: std::copy_n(units, from.length, static_cast<uint8_t *>(to)); break;
    case 2: std::copy_n(units, from.length, static_cast<uint16_t *>(to)); break;
    default: std::copy_n(units, from.length, static_cast<uint32_t *>(to));
    }
  });
}

/// A string in another kind for the time of an operation.
class InKind {
public:
  InKind(const Text &text, int64_t kind) : text_(text) {
    if (text.kind == kind)
      return;
    const auto bytes = static_cast<size_t>(std::max<int64_t>(text.length * kind, 1));
    void *memory = local_;
    if (bytes > sizeof local_) {
      large_ = std::make_unique<char[]>(bytes);
      memory = large_.get();
    }
    copy_units(memory, kind, text);
    text_ = {memory, text.length, kind};
  }
  InKind(const InKind &) = delete;
  InKind &operator=(const InKind &) = delete;
  const Text &text() const { return text_; }

private:
  alignas(8) char local_[128];
  std::unique_ptr<char[]> large_;
  Text text_;
};

int32_t too_long() {
  nj_set_simple_error("MemoryError", "the string is too long");
  return 1;
}

} // namespace

Writer::Writer(int64_t length, int64_t kind, void **block)
    : status_(nj_text_new(length, kind, block)), kind_(kind) {
  if (!status_)
    at_ = payload(*block) + sizeof(nj_text);
}

void Writer::put(uint32_t character, int64_t count) {
  if (count <= 0)
    return;
  switch (kind_) {
  case 1: std::fill_n(reinterpret_cast<uint8_t *>(at_), count, character); break;
  case 2: std::fill_n(reinterpret_cast<uint16_t *>(at_), count, character); break;
  default: std::fill_n(reinterpret_cast<uint32_t *>(at_), count, character);
  }
  at_ += count * kind_;
}

void Writer::put(const Text &text) {
  copy_units(at_, kind_, text);
  at_ += text.length * kind_;
}

int32_t new_text(std::u32string_view text, void **block) {
  const Text wide{text.data(), static_cast<int64_t>(text.size()), 4};
  Writer writer(wide.length, kind_for(largest(wide)), block);
  if (!writer.status())
    writer.put(wide);
  return writer.status();
}

int32_t new_ascii(std::string_view text, void **block) {
  const Text narrow{text.data(), static_cast<int64_t>(text.size()), 1};
  Writer writer(narrow.length, 1, block);
  if (!writer.status())
    writer.put(narrow);
  return writer.status();
}

namespace {

void append_utf8(std::string &out, uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
    return;
  }
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static constexpr uint8_t lead[] = {0, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(lead[more] | c >> (6 * more));
  for (int i = more; i-- > 0;)
    out += static_cast<char>(0x80 | (c >> (6 * i) & 0x3F));
}

std::string utf8_of(std::u32string_view text) {
  std::string out;
  for (uint32_t c : text)
    append_utf8(out, c >= 0xD800 && c < 0xE000 ? '?' : c);
  return out;
}

} // namespace

std::u32string repr_of(const Text &text, bool only_ascii) {
  bool single = false, twice = false;
  for (int64_t i = 0; i < text.length; ++i) {
    single |= text[i] == '\'';
    twice |= text[i] == '"';
  }
  const uint32_t quote = single && !twice ? '"' : '\'';
  std::u32string out(1, quote);
  auto hexadecimal = [&](char letter, uint32_t c, int digits) {
    out += '\\';
    out += static_cast<char32_t>(letter);
    for (int i = digits; i-- > 0;)
      out += static_cast<char32_t>("0123456789abcdef"[c >> (4 * i) & 15]);
  };
  for (int64_t i = 0; i < text.length; ++i) {
    const uint32_t c = text[i];
    if (c == quote || c == '\\')
      (out += '\\') += c;
    else if (c == '\n' || c == '\r' || c == '\t')
      (out += '\\') += c == '\n' ? 'n' : c == '\r' ? 'r' : 't';
    else if (c < 0x80 ? class_of(c) & NJ_PRINTABLE : !only_ascii && class_of(c) & NJ_PRINTABLE)
      out += c;
    else if (c < 0x100)
      hexadecimal('x', c, 2);
    else if (c < 0x10000)
      hexadecimal('u', c, 4);
    else
      hexadecimal('U', c, 8);
  }
  return out += quote;
}

int32_t fail_with(const char *builtin, const std::string &message, const Text &text) {
  const Text shown = text.length > 200 ? text.part(0, 200) : text;
  nj_set_simple_error(builtin, (message + utf8_of(repr_of(shown, false))).c_str());
  return 1;
}

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

template <class Unit>
int64_t find_unit(const Unit *s, int64_t length, Unit wanted, bool from_end) {
  if (from_end) {
    for (int64_t i = length; i-- > 0;)
      if (s[i] == wanted)
        return i;
    return -1;
  }
  if constexpr (sizeof(Unit) == 1) {
    const void *found = std::memchr(s, wanted, static_cast<size_t>(length));
    return found ? static_cast<const Unit *>(found) - s : -1;
  }
  const Unit *found = std::find(s, s + length, wanted);
  return found == s + length ? -1 : found - s;
}

template <class Unit>
int64_t find_units(const Unit *s, int64_t length, const Unit *part, int64_t count, bool from_end) {
  if (count == 1)
    return find_unit(s, length, part[0], from_end);
  const auto bytes = static_cast<size_t>(count) * sizeof(Unit);
  if (from_end) {
    for (int64_t i = length - count; i >= 0; --i)
      if (s[i] == part[0] && std::memcmp(s + i, part, bytes) == 0)
        return i;
    return -1;
  }
  for (const Unit *at = s; at + count <= s + length;) {
    // memmem may find a place in the middle of a character.
    const auto *found = static_cast<const char *>(
        memmem(at, static_cast<size_t>(s + length - at) * sizeof(Unit), part, bytes));
    if (!found)
      return -1;
    const int64_t offset = found - reinterpret_cast<const char *>(s);
    if (offset % static_cast<int64_t>(sizeof(Unit)) == 0)
      return offset / static_cast<int64_t>(sizeof(Unit));
    at = s + offset / static_cast<int64_t>(sizeof(Unit)) + 1;
  }
  return -1;
}

/// Looks for one string in others again and again; the wanted one is not empty.
class Search {
public:
  Search(const Text &s, const Text &part)
      : fits_(part.kind <= s.kind || kind_for(largest(part)) <= s.kind),
        part_(fits_ ? part : Text{nullptr, 0, s.kind}, s.kind) {}

  /// Position in s[start:end], or -1.
  int64_t find(const Text &s, int64_t start, int64_t end, bool from_end = false) const {
    const Text &part = part_.text();
    if (!fits_ || end - start < part.length)
      return -1;
    const int64_t found = with_units(s, [&](auto *units) {
      return find_units(units + start, end - start, static_cast<decltype(units)>(part.data),
                        part.length, from_end);
    });
    return found < 0 ? -1 : found + start;
  }

private:
  bool fits_;
  InKind part_;
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

// --- lists of strings ---

const uint32_t kOwnerOffset = offsetof(nj_string, owner);
const nj_item kStringItem = {sizeof(nj_string), 1, &kOwnerOffset};

nj_list *list_of(void *block) { return reinterpret_cast<nj_list *>(payload(block)); }

void release_guarded(nj_block *block) { nj_release(block->extra); }

/// A block of ours that holds one count of a foreign owner: many parts of its string then count
/// without asking the host each time. Null with an error set.
void *guard_of(void *owner) {
  nj_block *block;
  if (nj_alloc(0, 0, &block))
    return nullptr;
  nj_retain(owner);
  block->extra = owner;
  block->destroy = release_guarded;
  return block;
}

/// A list of parts of one string, which its owner keeps alive.
class Parts {
public:
  Parts(const Text &whole, void *owner, void **list)
      : whole_(whole), owner_(owner), list_(list),
        status_(nj_list_new(0, sizeof(nj_string), &kStringItem, list)) {
    if (status_ || !(reinterpret_cast<uintptr_t>(owner) & NJ_FOREIGN_BIT))
      return;
    owner_ = guard_ = guard_of(owner);
    if (!guard_) {
      status_ = 1;
      nj_release(*list_);
    }
  }
  ~Parts() { nj_release(guard_); }
  Parts(const Parts &) = delete;
  Parts &operator=(const Parts &) = delete;

  void add(int64_t start, int64_t end) {
    if (status_)
      return;
    nj_list *list = list_of(*list_);
    if (list->length == list->capacity) {
      status_ = nj_list_grow(*list_, list->length + 1, sizeof(nj_string));
      if (status_) {
        nj_release(*list_);
        return;
      }
    }
    const Text part = whole_.part(start, end);
    nj_retain(owner_);
    reinterpret_cast<nj_string *>(list->data)[list->length++] = {part.data, owner_, part.length,
                                                                 part.kind};
  }

  void reverse() {
    if (status_)
      return;
    nj_list *list = list_of(*list_);
    auto *items = reinterpret_cast<nj_string *>(list->data);
    std::reverse(items, items + list->length);
  }

  int32_t status() const { return status_; }

private:
  Text whole_;
  void *owner_, *guard_ = nullptr;
  void **list_;
  int32_t status_;
};

void split_by_space(const Text &s, int64_t most, Parts &parts) {
  int64_t i = 0, count = 0;
  for (;;) {
    while (i < s.length && is_space(s[i]))
      ++i;
    if (i == s.length)
      return;
    if (count++ == most) {
      parts.add(i, s.length); // with the space at its end
      return;
    }
    const int64_t start = i;
    while (i < s.length && !is_space(s[i]))
      ++i;
    parts.add(start, i);
  }
}

void rsplit_by_space(const Text &s, int64_t most, Parts &parts) {
  int64_t i = s.length, count = 0;
  for (;;) {
    while (i > 0 && is_space(s[i - 1]))
      --i;
    if (i == 0)
      return;
    if (count++ == most) {
      parts.add(0, i);
      return;
    }
    const int64_t end = i;
    while (i > 0 && !is_space(s[i - 1]))
      --i;
    parts.add(i, end);
  }
}

void split_by(const Text &s, const Text &separator, int64_t most, Parts &parts) {
  const Search search(s, separator);
  int64_t start = 0;
  for (int64_t count = 0; count < most; ++count) {
    const int64_t found = search.find(s, start, s.length);
    if (found < 0)
      break;
    parts.add(start, found);
    start = found + separator.length;
  }
  parts.add(start, s.length);
}

void rsplit_by(const Text &s, const Text &separator, int64_t most, Parts &parts) {
  const Search search(s, separator);
  int64_t end = s.length;
  for (int64_t count = 0; count < most; ++count) {
    const int64_t found = search.find(s, 0, end, true);
    if (found < 0)
      break;
    parts.add(found + separator.length, end);
    end = found;
  }
  parts.add(0, end);
}

bool is_line_break(uint32_t c) {
  return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 ||
         c == 0x2029;
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

int32_t nj_text_new(int64_t length, int64_t kind, void **block) {
  *block = nullptr;
  int64_t bytes;
  if (__builtin_mul_overflow(length, kind, &bytes) ||
      __builtin_add_overflow(bytes, static_cast<int64_t>(sizeof(nj_text)), &bytes))
    return too_long();
  nj_block *made;
  if (int32_t status = nj_alloc(bytes, 0, &made))
    return status;
  *reinterpret_cast<nj_text *>(payload(made)) = {length, kind};
  *block = made;
  return 0;
}

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
  const int64_t most = count < 0 ? INT64_MAX : count;
  std::vector<int64_t> places;
  if (old.length == 0) {
    for (int64_t i = 0; i <= s.length && i < most; ++i)
      places.push_back(i);
  } else {
    const Search search(s, old);
    for (int64_t at = 0;
         static_cast<int64_t>(places.size()) < most && (at = search.find(s, at, s.length)) >= 0;
         at += old.length)
      places.push_back(at);
  }
  int64_t more, length;
  if (__builtin_mul_overflow(with.length - old.length, static_cast<int64_t>(places.size()),
                             &more) ||
      __builtin_add_overflow(s.length, more, &length))
    return too_long();
  Writer out(length, places.empty() ? s.kind : std::max(s.kind, with.kind), block);
  if (out.status())
    return out.status();
  int64_t done = 0;
  for (int64_t place : places) {
    out.put(s.part(done, place));
    out.put(with);
    done = place + old.length;
  }
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

int32_t nj_str_split(NJ_OWNED_STR(s), NJ_STR(separator), int64_t most, int64_t from_end,
                     void **list) {
  const Text s = NJ_TEXT(s), separator = NJ_TEXT(separator);
  *list = nullptr;
  if (separator.length == 0) {
    nj_set_simple_error("ValueError", "empty separator");
    return 1;
  }
  if (most < 0)
    most = INT64_MAX;
  Parts parts(s, s_owner, list);
  if (parts.status())
    return parts.status();
  if (separator.length < 0)
    (from_end ? rsplit_by_space : split_by_space)(s, most, parts);
  else
    (from_end ? rsplit_by : split_by)(s, separator, most, parts);
  if (from_end)
    parts.reverse();
  return parts.status();
}

int32_t nj_str_splitlines(NJ_OWNED_STR(s), int64_t keep_ends, void **list) {
  const Text s = NJ_TEXT(s);
  Parts parts(s, s_owner, list);
  for (int64_t i = 0; i < s.length && !parts.status();) {
    const int64_t start = i;
    while (i < s.length && !is_line_break(s[i]))
      ++i;
    int64_t end = i;
    if (i < s.length)
      i += s[i] == '\r' && i + 1 < s.length && s[i + 1] == '\n' ? 2 : 1;
    parts.add(start, keep_ends ? i : end);
  }
  return parts.status();
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

// --- bytes and fixed-width strings ---

int32_t nj_str_encode(NJ_STR(s), void **block) {
  const Text s = NJ_TEXT(s);
  std::string out;
  for (int64_t i = 0; i < s.length; ++i) {
    if (s[i] >= 0xD800 && s[i] < 0xE000) {
      nj_set_simple_error("ValueError", "'utf-8' codec can't encode a surrogate");
      return 1;
    }
    append_utf8(out, s[i]);
  }
  return new_ascii(out, block);
}

int32_t nj_str_decode(const void *bytes, int64_t length, void **block) {
  const auto *s = static_cast<const uint8_t *>(bytes);
  std::u32string out;
  for (int64_t i = 0; i < length;) {
    const uint32_t lead = s[i];
    const int more = lead < 0x80   ? 0
                     : lead < 0xC2 ? -1
                     : lead < 0xE0 ? 1
                     : lead < 0xF0 ? 2
                     : lead < 0xF5 ? 3
                                   : -1;
    uint32_t c = more <= 0 ? lead : lead & (0x3F >> more);
    bool bad = more < 0 || i + more >= length;
    for (int k = 1; !bad && k <= more; ++k) {
      bad = (s[i + k] & 0xC0) != 0x80;
      c = c << 6 | (s[i + k] & 0x3F);
    }
    bad = bad || (more == 2 && (c < 0x800 || (c >= 0xD800 && c < 0xE000))) ||
          (more == 3 && (c < 0x10000 || c > 0x10FFFF));
    if (bad) {
      char text[96];
      std::snprintf(text, sizeof text, "'utf-8' codec can't decode byte 0x%02x in position %lld",
                    lead, static_cast<long long>(i));
      nj_set_simple_error("ValueError", text);
      return 1;
    }
    out += c;
    i += more + 1;
  }
  return new_text(out, block);
}

int32_t nj_bytes_repr(NJ_STR(bytes), int64_t escape_single, void **block) {
  const Text bytes = NJ_TEXT(bytes);
  const auto *s = static_cast<const uint8_t *>(bytes.data);
  const int64_t length = bytes.length;
  const bool single = std::find(s, s + length, '\'') != s + length;
  const bool twice = std::find(s, s + length, '"') != s + length;
  const char quote = single && !twice ? '"' : '\'';
  std::string out{'b', quote};
  for (int64_t i = 0; i < length; ++i) {
    const char c = static_cast<char>(s[i]);
    if (c == quote || c == '\\' || (c == '\'' && escape_single))
      (out += '\\') += c;
    else if (c == '\n' || c == '\r' || c == '\t')
      (out += '\\') += c == '\n' ? 'n' : c == '\r' ? 'r' : 't';
    else if (s[i] >= 0x20 && s[i] < 0x7F)
      out += c;
    else
      (((out += "\\x") += "0123456789abcdef"[s[i] >> 4])) += "0123456789abcdef"[s[i] & 15];
  }
  return new_ascii(out += quote, block);
}

int32_t nj_charseq_read(const void *item, int64_t characters, int64_t kind, void **block) {
  std::vector<uint32_t> aligned; // records may be packed
  if (reinterpret_cast<uintptr_t>(item) % static_cast<uintptr_t>(kind)) {
    aligned.resize(static_cast<size_t>(characters));
    std::memcpy(aligned.data(), item, static_cast<size_t>(characters * kind));
    item = aligned.data();
  }
  Text s{item, characters, kind};
  while (s.length > 0 && s[s.length - 1] == 0)
    --s.length;
  Writer out(s.length, kind, block);
  if (!out.status())
    out.put(s);
  return out.status();
}

void nj_charseq_write(void *item, int64_t characters, int64_t kind, NJ_STR(s)) {
  const Text s = NJ_TEXT(s);
  const Text part = s.part(0, std::min(s.length, characters));
  copy_units(item, kind, part);
  std::memset(static_cast<char *>(item) + part.length * kind, 0,
              static_cast<size_t>((characters - part.length) * kind));
}

} // extern "C"
