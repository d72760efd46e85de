#include "typeinfer/types/ranges.h"

#include <algorithm>

namespace numjit::types {

namespace {
constexpr int64_t mark = INT64_MAX; ///< among a range's numbers
}

const Type *range_beyond(const Type *integer, Stride stride) {
  Type type = *range(integer, stride);
  type.numbers.push_back(mark);
  return intern(std::move(type));
}

bool is_beyond(const Type *range) { return std::ranges::count(range->numbers, mark) != 0; }

} // namespace numjit::types
