// Where roots (ownership.h) are alive.
#pragma once

#include "typeinfer/passes/ownership.h"

namespace numjit::tir {

/// Which roots are alive where blocks begin and end.
class Liveness {
public:
  Liveness(const Function &function, const Cfg &cfg, const Ownership &ownership);

  std::vector<BitSet> in, out; ///< by block id
};

} // namespace numjit::tir
