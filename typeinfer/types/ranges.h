// Ranges whose end may have been beyond 64 bits: `range(2**70)` has the nearest int64 for it.
#pragma once

#include "typeinfer/types/types.h"

namespace numjit::types {

const Type *range_beyond(const Type *integer, Stride stride);
bool is_beyond(const Type *range);

} // namespace numjit::types
