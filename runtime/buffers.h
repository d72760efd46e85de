// Allocation of large pieces of memory, and of lists and instances.
#pragma once

#include "runtime/runtime.h"

#include <cstdint>

namespace numjit {

// Large pieces of memory that are freed and allocated again. Between two calls of one function
// malloc returns such memory to the system, and the page faults of the next call cost more than the
// work of the function (measured: 0.3 ms for each megabyte). So each thread keeps the last few.

/// malloc or calloc of `bytes`; a kept piece is used if one fits.
void *take_buffer(int64_t bytes, bool zeroed);
/// free of memory from take_buffer (or malloc, realloc) that has room for `bytes`.
void give_buffer(void *memory, int64_t bytes);

/// nj_alloc for lists and instances: zeroed, and aligned to words.
int32_t new_fields(int64_t bytes, nj_block **result);

inline nj_instance *instance_of(void *block) {
  return reinterpret_cast<nj_instance *>(static_cast<char *>(block) + NJ_PAYLOAD_OFFSET);
}

} // namespace numjit
