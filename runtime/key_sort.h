// Sorting and selecting unsigned keys, with AVX-512 where the processor has it.
#pragma once

#include <cstdint>

namespace numjit {

/// The inner loops in two forms.
enum class KeyLoops { Scalar, Vector };
KeyLoops best_key_loops();

/// Sorts `keys`; `other` has room for as many.
void sort_keys(uint64_t *keys, int64_t n, uint64_t *other, KeyLoops loops = best_key_loops());
/// Puts the k-th smallest key to its place, between smaller (or equal) and larger (or equal) ones.
void select_key(uint64_t *keys, int64_t n, int64_t k, uint64_t *other,
                KeyLoops loops = best_key_loops());

} // namespace numjit
