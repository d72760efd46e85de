// Where a value comes from in the user's source text.
#pragma once

#include <cstdint>

namespace numjit {

/// A range of source text. Lines count from 1, columns are UTF-8 byte offsets from 0; -1 where the
/// code object does not say.
struct Position {
  int32_t line = -1;
  int32_t end_line = -1;
  int32_t column = -1;
  int32_t end_column = -1;

  bool known() const { return line > 0; }
  bool operator==(const Position &) const = default;
};

} // namespace numjit
