// Offsets in the arrays of a kernel's arguments, in 32 bits.
#pragma once

#include <llvm/IR/PassManager.h>

#include <cstdint>

namespace numjit::codegen {

/// An array among the arguments of a kernel: the slots that say how large it is.
struct ArraySlots {
  uint16_t extents; ///< slot of the first
  uint8_t ndim;
  bool strided; ///< strides in bytes are behind the extents

  /// Items (of a strided array bytes) that an array has at most whose offsets have 32 bits. It is
  /// less than 2^31: neighbours of items (`a[i + 1, j]`) are found from their offsets.
  static constexpr int64_t kMost = (int64_t{1} << 31) - (int64_t{1} << 24);

  /// Whether the array of a launch has at most so many.
  template <class Slots>
  bool is_small(const Slots &slots) const {
    int64_t size = strided ? 0 : 1;
    for (int axis = 0; axis < ndim; ++axis) {
      const auto extent = static_cast<int64_t>(slots[extents + axis]);
      if (extent < 0 || extent > kMost)
        return false;
      if (!strided) {
        size *= extent; // both are below 2^31
      } else {
        const auto stride = static_cast<int64_t>(slots[extents + ndim + axis]);
        if (stride > kMost || stride < -kMost)
          return false;
        size += (stride < 0 ? -stride : stride) * extent; // at most 2^62 and the sum so far
      }
      if (size > kMost)
        return false;
    }
    return true;
  }
};

/// Says of a kernel's parameter that it points to a small array of items of so many bytes (1: of a
/// strided array).
void mark_small_array(llvm::Argument &pointer, int64_t item);
/// Says that the code relies on it.
void need_small_array(llvm::Argument &pointer);
/// Whether it does: by ShortOffsetsPass, and the passes of short_counters.h.
bool needs_small_array(const llvm::Argument &pointer);

/// Python's integers have 64 bits, and GPUs 32: products of 64 bits take four instructions. The
/// offset of an item from the beginning of a small array fits in 32 bits. It is a sum of products,
/// whose low 32 bits depend on nothing but the low 32 bits of what is added and multiplied; so it
/// is computed with 32 bits, and only then extended. Addresses that move by a constant from one
/// iteration to the next are left alone: the back end adds to a pointer.
struct ShortOffsetsPass : llvm::PassInfoMixin<ShortOffsetsPass> {
  static llvm::PreservedAnalyses run(llvm::Function &function,
                                     llvm::FunctionAnalysisManager &analyses);
};

} // namespace numjit::codegen
