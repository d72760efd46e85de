// What happens to a block of memory in a function.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Instructions.h>

namespace numjit::codegen {

/// The functions that count the references to a block.
inline constexpr llvm::StringRef kCounting[] = {"nj_retain", "nj_release", "numjit_scratch_retain",
                                                "numjit_scratch_release"};
inline constexpr llvm::StringRef kReleasing[] = {"nj_release", "numjit_scratch_release"};

/// Whether a number made of an address is used for comparisons only.
bool is_only_compared(const llvm::Instruction &number);

/// Adds the users of a pointer, and of what is made of it at other offsets, but for what makes
/// these. False: its address goes elsewhere. Users that are phis, or count references, are for the
/// caller to judge. `asked`: of the pointer's own uses only these.
bool collect_uses(llvm::Value &pointer, llvm::SmallVectorImpl<llvm::Use *> &uses,
                  llvm::function_ref<bool(const llvm::Use &)> asked = nullptr);

} // namespace numjit::codegen
