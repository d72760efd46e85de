// Rare functions of typed IR: what they need is compiled when machine code first calls them, so
// that a first call does not pay for paths that it does not take.
#pragma once

#include "codegen/machine_code.h"

#include <map>
#include <mutex>
#include <vector>

namespace numjit::codegen {

/// The rare functions of one module. Machine code holds its address and keeps it alive
/// (MachineCode::keep).
class Deferred {
public:
  explicit Deferred(std::shared_ptr<RareCode> rare) : rare_(std::move(rare)) {}

  /// Machine code of function number `function` of the module, made at the first request. Threads
  /// wait for each other. Throws InternalError.
  void *code(size_t function);
  /// Numbers of the functions that were requested.
  std::vector<size_t> called();

private:
  std::shared_ptr<RareCode> rare_;
  std::mutex mutex_;
  std::map<size_t, std::shared_ptr<MachineCode>> made_;
};

/// What machine code calls, under the symbol numjit_compile_deferred: also stores the address to
/// `slot`. Null: an error is pending.
void *compile_deferred(Deferred *deferred, int64_t function, void **slot);

} // namespace numjit::codegen
