// Both tables have had the same format since 3.11 (CPython's Objects/locations.md and
// exception_handling_notes.txt). Every read is checked: the bytes are not to be trusted.
#include "frontend/code_tables.h"

namespace numjit {

namespace {

/// Bytes with a position; reading past the end gives zeros and sets `failed`.
class Reader {
public:
  explicit Reader(const std::vector<uint8_t> &bytes) : bytes_(bytes) {}

  bool at_end() const { return position_ >= bytes_.size(); }
  bool failed() const { return failed_; }

  uint32_t byte() {
    if (at_end()) {
      failed_ = true;
      return 0;
    }
    return bytes_[position_++];
  }

  /// Six bits a byte, least significant first, bit 6 says that more follow (line table).
  uint32_t varint() {
    uint32_t value = 0;
    for (uint32_t shift = 0; shift < 32; shift += 6) {
      uint32_t part = byte();
      value |= (part & 63) << shift;
      if (!(part & 64))
        break;
    }
    return value;
  }

  int32_t signed_varint() {
    uint32_t value = varint();
    int32_t magnitude = static_cast<int32_t>(value >> 1);
    return value & 1 ? -magnitude : magnitude;
  }

  /// Six bits a byte, most significant first; bit 7 marks an entry's first byte (exception table).
  uint32_t big_endian_varint() {
    uint32_t part = byte();
    uint32_t value = part & 63;
    while ((part & 64) && !failed_) {
      part = byte();
      value = (value << 6) | (part & 63);
    }
    return value;
  }

private:
  const std::vector<uint8_t> &bytes_;
  size_t position_ = 0;
  bool failed_ = false;
};

/// Kinds of entries of the line table; 0 to 9 are short forms on one line.
enum LocationKind { OneLine0 = 10, OneLine2 = 12, NoColumns = 13, Long = 14, NoLocation = 15 };

} // namespace

std::vector<Position> decode_positions(const Code &code) {
  size_t units = code.bytecode.size() / 2;
  std::vector<Position> positions;
  positions.reserve(units);
  Reader reader(code.linetable);
  int64_t line = code.first_line;
  while (!reader.at_end() && positions.size() < units) {
    uint32_t head = reader.byte();
    uint32_t kind = (head >> 3) & 15, count = (head & 7) + 1;
    Position position;
    if (kind < OneLine0) {
      uint32_t columns = reader.byte();
      position.column = static_cast<int32_t>((kind << 3) | ((columns >> 4) & 7));
      position.end_column = position.column + static_cast<int32_t>(columns & 15);
    } else if (kind <= OneLine2) {
      line += kind - OneLine0;
      position.column = static_cast<int32_t>(reader.byte());
      position.end_column = static_cast<int32_t>(reader.byte());
    } else if (kind == NoColumns) {
      line += reader.signed_varint();
    } else if (kind == Long) {
      line += reader.signed_varint();
      position.end_line = static_cast<int32_t>(reader.varint() & 0xffffff);
      // Columns are stored plus one; zero means none.
      position.column = static_cast<int32_t>(reader.varint() & 0xffffff) - 1;
      position.end_column = static_cast<int32_t>(reader.varint() & 0xffffff) - 1;
    }
    if (kind != NoLocation && line >= 0 && line <= (1 << 30)) {
      position.line = static_cast<int32_t>(line);
      position.end_line = position.line + (kind == Long ? position.end_line : 0);
    }
    if (reader.failed() || line < 0 || line > (1 << 30))
      position = Position();
    for (uint32_t i = 0; i < count && positions.size() < units; ++i)
      positions.push_back(position);
  }
  positions.resize(units);
  return positions;
}

std::vector<ExceptionEntry> decode_exceptions(const Code &code) {
  std::vector<ExceptionEntry> entries;
  Reader reader(code.exceptiontable);
  int64_t limit = static_cast<int64_t>(code.bytecode.size());
  while (!reader.at_end()) {
    int64_t begin = int64_t(reader.big_endian_varint()) * 2;
    int64_t length = int64_t(reader.big_endian_varint()) * 2;
    int64_t target = int64_t(reader.big_endian_varint()) * 2;
    const uint32_t stack = reader.big_endian_varint();
    if (reader.failed())
      break;
    constexpr uint32_t deepest_stack = 1 << 16; // more is damage
    if (begin + length > limit || target >= limit || stack / 2 > deepest_stack)
      continue;
    entries.push_back({static_cast<int32_t>(begin), static_cast<int32_t>(begin + length),
                       static_cast<int32_t>(target), static_cast<int32_t>(stack / 2),
                       (stack & 1) != 0});
  }
  return entries;
}

} // namespace numjit
