// Sorting and selecting unsigned keys, with AVX-512 where the processor has it.
#pragma once

#include <cstdint>

namespace numjit {

/// The inner loops in two forms.
enum class KeyLoops { Scalar, Vector };
KeyLoops best_key_loops();

/// Keys are uint32_t or uint64_t.
template <class Key>
void sort_keys(Key *keys, int64_t n, KeyLoops loops = best_key_loops());
/// Puts the k-th smallest key to its place, between smaller (or equal) and larger (or equal) ones.
template <class Key>
void select_key(Key *keys, int64_t n, int64_t k, KeyLoops loops = best_key_loops());

} // namespace numjit
