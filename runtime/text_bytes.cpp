// Strings as bytes, bytes as strings, and the strings of fixed width that arrays hold.
#include "runtime/runtime.h"
#include "runtime/text.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

using namespace numjit;

extern "C" {

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
    out += static_cast<char32_t>(c);
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
