// A line table is a program: its instructions change an address, a file and a line, and append
// these as a row. DWARF 4, section 6.2.
#include "codegen/load/line_table.h"

#include <algorithm>
#include <cstring>

namespace numjit::codegen {

namespace {

enum Standard : uint8_t {
  kExtended,
  kCopy,
  kAdvanceAddress,
  kAdvanceLine,
  kSetFile,
  kSetColumn,
  kNegateStatement,
  kBasicBlock,
  kAddConstant,
  kAdvanceFixed,
};
enum Extended : uint8_t { kEndSequence = 1, kSetAddress = 2 };

class Program {
public:
  Program(std::string_view section,
          const std::function<std::optional<uint64_t>(size_t)> &address_at)
      : section_(section), address_at_(address_at), end_(section.size()) {}

  std::vector<CodeLine> run() {
    while (at_ < section_.size() && read_header()) {
      while (at_ < end_ && step()) {
      }
      at_ = end_;
      end_ = section_.size();
    }
    return std::move(rows_);
  }

private:
  template <class T>
  T number() {
    T value = {};
    if (sizeof value > end_ - std::min(at_, end_)) {
      at_ = end_ = section_.size(); // damaged: nothing is read any more
      return value;
    }
    std::memcpy(&value, section_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

  uint64_t unsigned_leb(bool *is_negative = nullptr, unsigned *bits = nullptr) {
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0x80;
    while (byte & 0x80 && at_ < end_) {
      byte = number<uint8_t>();
      if (shift < 64)
        value |= uint64_t(byte & 0x7f) << shift;
      shift += 7;
    }
    if (is_negative)
      *is_negative = byte & 0x40;
    if (bits)
      *bits = shift;
    return value;
  }

  int64_t signed_leb() {
    bool is_negative = false;
    unsigned bits = 0;
    uint64_t value = unsigned_leb(&is_negative, &bits);
    if (is_negative && bits < 64)
      value |= ~uint64_t(0) << bits;
    return int64_t(value);
  }

  std::string_view text() {
    const char *start = section_.data() + std::min(at_, end_);
    const size_t length = strnlen(start, end_ - std::min(at_, end_));
    at_ += length + 1;
    return {start, length};
  }

  bool read_header() {
    const auto bytes = number<uint32_t>();
    if (bytes > section_.size() - at_)
      return false;
    end_ = at_ + bytes;
    if (number<uint16_t>() != 4)
      return false;
    const auto header_bytes = number<uint32_t>();
    if (header_bytes > end_ - at_)
      return false;
    const size_t program = at_ + header_bytes;
    unit_ = number<uint8_t>();
    number<uint8_t>(); // operations in an instruction: one
    number<uint8_t>(); // whether rows are places for breakpoints at first
    line_base_ = number<int8_t>();
    line_range_ = number<uint8_t>();
    first_special_ = number<uint8_t>();
    if (!line_range_ || !first_special_)
      return false;
    operands_.assign(1, 0);
    for (int i = 1; i < first_special_; ++i)
      operands_.push_back(number<uint8_t>());
    read_files();
    at_ = program;
    restart();
    return true;
  }

  void read_files() {
    std::vector<std::string> folders = {""};
    for (std::string_view name = text(); !name.empty(); name = text())
      folders.push_back(std::string(name) + '/');
    files_.assign(1, "");
    for (std::string_view name = text(); !name.empty(); name = text()) {
      const uint64_t folder = unsigned_leb();
      unsigned_leb(); // when it was written
      unsigned_leb(); // its size
      files_.push_back((folder < folders.size() ? folders[folder] : "") + std::string(name));
    }
  }

  void restart() { address_ = 0, file_ = 1, line_ = 1; }

  void advance(uint64_t count) { address_ += count * unit_; }

  void append() {
    if (line_ > 0 && file_ < files_.size())
      rows_.push_back({address_, uint32_t(line_), files_[file_]});
  }

  bool step() {
    const auto code = number<uint8_t>();
    if (code >= first_special_) {
      const int rest = code - first_special_;
      advance(rest / line_range_);
      line_ += line_base_ + rest % line_range_;
      append();
      return true;
    }
    switch (code) {
    case kExtended: return extended();
    case kCopy: append(); break;
    case kAdvanceAddress: advance(unsigned_leb()); break;
    case kAdvanceLine: line_ += signed_leb(); break;
    case kSetFile: file_ = unsigned_leb(); break;
    case kAddConstant: advance((255 - first_special_) / line_range_); break;
    case kAdvanceFixed: address_ += number<uint16_t>(); break;
    default: // of no interest to us
      for (int i = 0; i < operands_[code]; ++i)
        unsigned_leb();
    }
    return true;
  }

  bool extended() {
    const uint64_t bytes = unsigned_leb();
    if (bytes == 0 || bytes > end_ - at_)
      return false;
    const size_t next = at_ + bytes;
    const auto code = number<uint8_t>();
    if (code == kEndSequence) {
      restart();
    } else if (code == kSetAddress) {
      const std::optional<uint64_t> address = address_at_(at_);
      if (!address)
        return false;
      address_ = *address;
    }
    at_ = next;
    return true;
  }

  std::string_view section_;
  const std::function<std::optional<uint64_t>(size_t)> &address_at_;
  size_t at_ = 0, end_;
  unsigned unit_ = 1;
  int8_t line_base_ = 0;
  int line_range_ = 1, first_special_ = 1;
  std::vector<uint8_t> operands_; ///< how many each standard instruction has
  std::vector<std::string> files_;
  uint64_t address_ = 0, file_ = 1;
  int64_t line_ = 1;
  std::vector<CodeLine> rows_;
};

} // namespace

std::vector<CodeLine>
read_lines(std::string_view section,
           const std::function<std::optional<uint64_t>(size_t offset)> &address_at) {
  return Program(section, address_at).run();
}

} // namespace numjit::codegen
