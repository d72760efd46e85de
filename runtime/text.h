// Strings inside of the runtime: what strings.cpp and number_text.cpp share.
#pragma once

#include "runtime/strings.h"

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
bool is_ascii(const Text &text);
bool is_space(uint32_t character);
/// Bits of nj_character_class.
uint32_t class_of(uint32_t character);

/// Writes characters of a new string from left to right.
class Writer {
public:
  /// `status` is what to return if it is not 0.
  Writer(int64_t length, int64_t kind, void **block);
  int32_t status() const { return status_; }
  void put(uint32_t character) { put(character, 1); }
  void put(uint32_t character, int64_t count);
  void put(const Text &text);

private:
  int32_t status_;
  char *at_ = nullptr;
  int64_t kind_;
};

int32_t new_text(std::u32string_view text, void **block);
int32_t new_ascii(std::string_view text, void **block);
/// Sets an error with a message that ends in the repr of a string.
int32_t fail_with(const char *builtin, const std::string &message, const Text &text);
std::u32string repr_of(const Text &text, bool only_ascii);

} // namespace numjit
