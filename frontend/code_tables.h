// The line table and the exception table of a code object.
#pragma once

#include "frontend/code.h"
#include "frontend/position.h"

#include <vector>

namespace numjit {

/// One position per code unit (two bytes of bytecode). For damaged tables positions are unknown.
std::vector<Position> decode_positions(const Code &code);

/// Instructions in [begin, end) jump to `target` when they raise. Offsets in bytes.
struct ExceptionEntry {
  int32_t begin = 0, end = 0, target = 0;
  int32_t depth = 0;         ///< of the stack at the target, without the exception
  bool pushes_place = false; ///< the place of the instruction lies below the exception
};
std::vector<ExceptionEntry> decode_exceptions(const Code &code);

} // namespace numjit
