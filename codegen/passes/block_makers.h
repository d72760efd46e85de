// What makes blocks of memory (runtime/makers.h, device_memory.h) in LLVM IR. All return null on
// failure.
#pragma once

#include <cstdint>

namespace numjit::codegen {

inline constexpr const char *kNewBlock = "numjit_new_block";       ///< bytes, whether zeroed
inline constexpr const char *kNewList = "numjit_new_list";         ///< length, item size, item
inline constexpr const char *kNewInstance = "numjit_new_instance"; ///< bytes, item
/// On GPUs: bytes, whether zeroed.
inline constexpr const char *kNewScratchBlock = "numjit_scratch_allocate";

/// Bytes of a block that may be a local variable: on the processor, in kernels on GPUs, and of all
/// in a function. Recursion and threads have stacks to fit into.
inline constexpr uint64_t kMostBytes = 1024, kMostBytesOfKernels = 2048, kMostOfFunction = 8192;

/// Attribute of calls that make lists and instances: where the owners in an item, or among the
/// fields, are; numbers of bytes that end with commas.
inline constexpr const char *kOwnerOffsets = "numjit-owner-offsets";

} // namespace numjit::codegen
