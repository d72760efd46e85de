// Rare functions of typed IR: what they need is compiled when machine code first calls them, so
// that a first call does not pay for paths that it does not take.
#pragma once

#include "codegen/compiler.h"

#include <map>
#include <memory>
#include <mutex>

namespace numjit::codegen {

/// The rare functions of one module. Machine code holds its address and keeps it alive
/// (MachineCode::keep).
class Deferred {
public:
  explicit Deferred(std::shared_ptr<const tir::Module> module) : module_(std::move(module)) {}

  /// Machine code of `function`, compiled at the first request. Threads wait for each other.
  /// Throws InternalError.
  void *code(const tir::Function &function);

private:
  std::shared_ptr<const tir::Module> module_;
  std::mutex mutex_;
  std::map<const tir::Function *, std::shared_ptr<MachineCode>> compiled_;
};

/// What machine code calls, under the symbol numjit_compile_deferred: also stores the address to
/// `slot`. Null: an error is pending.
void *compile_deferred(Deferred *deferred, const tir::Function *function, void **slot);

} // namespace numjit::codegen
