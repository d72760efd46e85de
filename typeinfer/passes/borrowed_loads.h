// Loads of counted values that need no count of their own: the memory they are read from holds one,
// is alive, and is not overwritten as long as the value is used.
#pragma once

#include "typeinfer/passes/ownership.h"

namespace numjit::tir {

/// What operations may do to the references that lie in memory.
class Overwrites {
public:
  explicit Overwrites(const Module &module);
  /// Whether the operation may give up the reference that `load` has read.
  bool may_give_up(const Value &value, const Value &load) const;
  /// Whether it may give up any.
  bool may_give_up_some(const Value &value) const { return effects_of(value) != 0; }

private:
  /// A set of classes of memory, a bit for each Alias.
  using Classes = uint32_t;
  Classes effects_of(const Value &value) const;

  std::unordered_map<const Function *, Classes> functions_;
};

HeldLoads find_borrowed_loads(const Function &function, const Cfg &cfg,
                              const Overwrites &overwrites);

} // namespace numjit::tir
