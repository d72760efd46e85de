#include "pyext/cache/entry_header.h"

#include "typeinfer/types/codec.h"

namespace numjit {

namespace {

constexpr std::string_view kMagic("numjit entry 1\n\0", 16);
constexpr size_t kHeader = kMagic.size() + 16 + 16; // magic, key, checksum

std::string digest_bytes(const Digest &digest) {
  Encoder out([](Encoder &, const Object &) {});
  out.digest(digest);
  return std::move(out.bytes);
}

} // namespace

std::string header_of(const Digest &key, std::string_view content) {
  return std::string(kMagic) + digest_bytes(key) + digest_bytes(digest_of(content));
}

bool take_header(std::string &content, const Digest &key) {
  const std::string_view all = content;
  if (all.size() < kHeader || all.substr(0, kHeader) != header_of(key, all.substr(kHeader)))
    return false;
  content.erase(0, kHeader);
  return true;
}

std::string key_of_entry(std::string_view content) {
  if (content.size() < kHeader || !content.starts_with(kMagic))
    return {};
  Decoder in(content.substr(kMagic.size(), 16),
             [](Decoder &) -> const Object * { return nullptr; });
  return in.digest().hex();
}

} // namespace numjit
