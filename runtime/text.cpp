// Texts inside of the runtime: new strings, repr, errors that show a string.
#include "runtime/text.h"

#include "runtime/runtime.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace numjit {

bool is_ascii(const Text &text) {
  return with_units(text, [&](auto *units) {
    using Unit = std::remove_cvref_t<decltype(*units)>;
    Unit all = 0;
    for (int64_t i = 0; i < text.length; ++i)
      all |= units[i];
    return all < 0x80;
  });
}

uint32_t largest(const Text &text) {
  return with_units(text, [&](auto *units) {
    uint32_t most = 0;
    for (int64_t i = 0; i < text.length; ++i)
      most = std::max<uint32_t>(most, units[i]);
    return most;
  });
}

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

int32_t too_long() {
  nj_set_simple_error("MemoryError", "the string is too long");
  return 1;
}

Writer::Writer(int64_t length, int64_t kind, void **block)
    : status_(nj_text_new(length, kind, block)), kind_(kind) {
  if (!status_)
    at_ = payload(*block) + sizeof(nj_text);
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

static std::string utf8_of(std::u32string_view text) {
  std::string out;
  for (uint32_t c : text)
    append_utf8(out, c >= 0xD800 && c < 0xE000 ? '?' : c);
  return out;
}

std::u32string repr_of(const Text &text, bool only_ascii) {
  bool single = false, twice = false;
  for (int64_t i = 0; i < text.length; ++i) {
    single |= text[i] == '\'';
    twice |= text[i] == '"';
  }
  const char32_t quote = single && !twice ? U'"' : U'\'';
  std::u32string out(1, quote);
  auto hexadecimal = [&](char letter, uint32_t c, int digits) {
    out += '\\';
    out += static_cast<char32_t>(letter);
    for (int i = digits; i-- > 0;)
      out += static_cast<char32_t>("0123456789abcdef"[c >> (4 * i) & 15]);
  };
  for (int64_t i = 0; i < text.length; ++i) {
    const char32_t c = text[i];
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

} // namespace numjit

using namespace numjit;

extern "C" int32_t nj_text_new(int64_t length, int64_t kind, void **block) {
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
