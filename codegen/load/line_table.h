// The table from addresses to lines of the source in an object file.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace numjit::codegen {

/// From `address` to that of the next row, instructions belong to the line.
struct CodeLine {
  uint64_t address = 0;
  uint32_t line = 0;
  std::string file;
};

/// Reads a section .debug_line (DWARF 4, as LLVM writes it for us). What an address in it refers to
/// is in the file's relocations: `address_at` returns it by its offset in the section. Of a table
/// that is damaged or of another version, the rows up to there.
std::vector<CodeLine>
read_lines(std::string_view section,
           const std::function<std::optional<uint64_t>(size_t offset)> &address_at);

} // namespace numjit::codegen
