// 128-bit digests of data: SipHash-2-4 with a fixed key. For keys and checksums of files. They
// protect against accidents, not against attackers.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace numjit {

struct Digest {
  uint64_t low = 0, high = 0;
  auto operator<=>(const Digest &) const = default;

  std::string hex() const {
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (uint64_t word : {high, low})
      for (int shift = 60; shift >= 0; shift -= 4)
        text += digits[word >> shift & 15];
    return text;
  }
};

inline Digest digest_of(std::string_view data) {
  uint64_t v0 = 0x6e756d6a69742031, v1 = 0x646f72616e646f83, v2 = 0x6c7967656e657261,
           v3 = 0x7465646279746573;
  auto round = [&] {
    v0 += v1, v1 = std::rotl(v1, 13) ^ v0, v0 = std::rotl(v0, 32);
    v2 += v3, v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3, v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1, v1 = std::rotl(v1, 17) ^ v2, v2 = std::rotl(v2, 32);
  };
  auto absorb = [&](uint64_t word) {
    v3 ^= word;
    round(), round();
    v0 ^= word;
  };
  size_t at = 0;
  for (; at + 8 <= data.size(); at += 8) {
    uint64_t word;
    std::memcpy(&word, data.data() + at, 8);
    absorb(word);
  }
  uint64_t last = static_cast<uint64_t>(data.size()) << 56;
  for (int shift = 0; at < data.size(); ++at, shift += 8)
    last |= static_cast<uint64_t>(static_cast<unsigned char>(data[at])) << shift;
  absorb(last);
  auto finish = [&](uint64_t mark) {
    v2 ^= mark;
    round(), round(), round(), round();
    return v0 ^ v1 ^ v2 ^ v3;
  };
  Digest digest;
  digest.low = finish(0xff);
  digest.high = finish(0xee);
  return digest;
}

} // namespace numjit
