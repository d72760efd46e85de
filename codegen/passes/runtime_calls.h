// Calls of the runtime's functions, and its variables, as passes recognise them.
#pragma once

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Instructions.h>

namespace numjit::codegen {

/// Whether a value is a call of a function with one of these names; it may be null.
inline bool is_call_of(const llvm::Value *value, llvm::ArrayRef<llvm::StringRef> names) {
  const auto *call = llvm::dyn_cast_or_null<llvm::CallInst>(value);
  return call && call->getCalledFunction() &&
         llvm::is_contained(names, call->getCalledFunction()->getName());
}

/// Whether a value is a call that locks or unlocks a field that holds an owner.
inline bool is_lock(const llvm::Value *value) {
  return is_call_of(value, {"nj_lock_place", "nj_unlock_place"});
}

/// The variable that interrupt points read.
inline constexpr llvm::StringLiteral kPollFlag = "nj_poll_flag";

/// Whether an instruction reads it.
inline bool is_poll(const llvm::Instruction &instruction) {
  const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  return load && load->isVolatile() && load->getPointerOperand()->getName() == kPollFlag;
}

} // namespace numjit::codegen
