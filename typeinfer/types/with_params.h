// Types that differ from others in their parameters alone.
#pragma once

#include "typeinfer/types/types.h"

namespace numjit::types {

/// The type with other parameters: a list of other items, a named tuple of the same class.
const Type *with_params(const Type *type, std::vector<const Type *> params);

} // namespace numjit::types
