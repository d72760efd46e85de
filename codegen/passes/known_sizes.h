// Kernels for arguments whose values are known.
#pragma once

#include <llvm/IR/Module.h>

#include <cstdint>
#include <span>
#include <vector>

namespace numjit::codegen {

/// A slot of the arguments of a kernel, and the value there that its code is made for.
struct KnownSlot {
  uint16_t slot;
  int64_t value;
};

/// After inlining, where the sizes of all of a thread's arrays depend on nothing but parameters (`n
/// = zs.shape[1]; np.empty(n)`) that are small: these become constants, so that the arrays may
/// become registers. `slots`: where the arguments have the values of the kernel's parameters;
/// `values`: of a launch, by slots. Returns what the kernel is made for.
std::vector<KnownSlot> insert_known_sizes(llvm::Function &kernel, std::span<const uint16_t> slots,
                                          std::span<const int64_t> values);

} // namespace numjit::codegen
