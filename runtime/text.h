// Strings inside of the runtime: what the files of strings (strings.cpp, text_*.cpp) and
// number_text.cpp share.
#pragma once

#include "runtime/runtime.h"
#include "runtime/string_layout.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace numjit {

struct Text {
  const void *data;
  int64_t length, kind;

  uint32_t operator[](int64_t i) const {
    return kind == 1   ? static_cast<const uint8_t *>(data)[i]
           : kind == 2 ? static_cast<const uint16_t *>(data)[i]
                       : static_cast<const uint32_t *>(data)[i];
  }
  Text part(int64_t start, int64_t end) const {
    return {static_cast<const char *>(data) + start * kind, end - start, kind};
  }
};
#define NJ_TEXT(name) (numjit::Text{name##_data, name##_length, name##_kind})

/// Calls `body` with a pointer to the characters in their own type.
template <class Body>
auto with_units(const Text &text, Body body) {
  switch (text.kind) {
  case 1: return body(static_cast<const uint8_t *>(text.data));
  case 2: return body(static_cast<const uint16_t *>(text.data));
  default: return body(static_cast<const uint32_t *>(text.data));
  }
}

inline int64_t kind_for(uint32_t character) {
  return character < 0x100 ? 1 : character < 0x10000 ? 2 : 4;
}
/// The largest character, 0 of an empty text.
uint32_t largest(const Text &text);
/// Copies characters into memory of another kind, in which they must fit.
void copy_units(void *to, int64_t to_kind, const Text &from);
bool is_ascii(const Text &text);
inline bool is_space(uint32_t c) {
  if (c < 0x80)
    return c == ' ' || (c >= 9 && c <= 13) || (c >= 0x1C && c <= 0x1F);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

/// Bits of nj_character_class. Characters beyond ASCII are asked of the host (nj_hooks): its
/// database is the one that programs are compared with.
inline uint32_t class_of(uint32_t c) {
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

/// Writes characters of a new string from left to right.
class Writer {
public:
  /// `status` is what to return if it is not 0.
  Writer(int64_t length, int64_t kind, void **block);
  int32_t status() const { return status_; }
  void put(uint32_t character) { put(character, 1); }
  void put(uint32_t character, int64_t count) {
    if (count <= 0)
      return;
    switch (kind_) {
    case 1: std::fill_n(reinterpret_cast<uint8_t *>(at_), count, character); break;
    case 2: std::fill_n(reinterpret_cast<uint16_t *>(at_), count, character); break;
    default: std::fill_n(reinterpret_cast<uint32_t *>(at_), count, character);
    }
    at_ += count * kind_;
  }
  void put(const Text &text);

private:
  int32_t status_;
  char *at_ = nullptr;
  int64_t kind_;
};

inline char *payload(void *block) { return static_cast<char *>(block) + NJ_PAYLOAD_OFFSET; }

int32_t new_text(std::u32string_view text, void **block);
int32_t new_ascii(std::string_view text, void **block);
void append_utf8(std::string &out, uint32_t character);
/// Sets MemoryError; returns 1.
int32_t too_long();
/// Sets an error with a message that ends in the repr of a string.
int32_t fail_with(const char *builtin, const std::string &message, const Text &text);
std::u32string repr_of(const Text &text, bool only_ascii);

} // namespace numjit
