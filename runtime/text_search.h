// Searching one text in another: what strings.cpp and text_split.cpp share.
#pragma once

#include "runtime/text.h"

#include <algorithm>
#include <cstring>
#include <memory>

namespace numjit {

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

} // namespace numjit
