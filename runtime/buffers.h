// Large pieces of memory that are freed and wanted again. Between two calls of one function malloc
// gives such memory back to the system, and the page faults of the next call cost more than what
// the function does (0.3 ms for each megabyte here). So each thread keeps the last few.
#pragma once

#include <cstdint>

namespace numjit {

/// malloc or calloc of `bytes`; what was given back before is taken first.
void *take_buffer(int64_t bytes, bool zeroed);
/// free of memory from take_buffer (or malloc, realloc) that has room for `bytes`.
void give_buffer(void *memory, int64_t bytes);

} // namespace numjit
