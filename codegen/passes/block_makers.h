// What makes blocks of memory (runtime/makers.h, device_memory.h) in LLVM IR. All return null on
// failure.
#pragma once

namespace numjit::codegen {

inline constexpr const char *kNewBlock = "numjit_new_block";       ///< bytes, whether zeroed
inline constexpr const char *kNewList = "numjit_new_list";         ///< length, item size, item
inline constexpr const char *kNewInstance = "numjit_new_instance"; ///< bytes, item
/// On GPUs: bytes, whether zeroed.
inline constexpr const char *kNewScratchBlock = "numjit_scratch_allocate";

/// Attribute of calls that make lists and instances: where the owners in an item, or among the
/// fields, are; numbers of bytes that end with commas.
inline constexpr const char *kOwnerOffsets = "numjit-owner-offsets";

} // namespace numjit::codegen
