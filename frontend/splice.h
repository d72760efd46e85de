// Comprehensions that are functions of their own, put back where they are called.
#pragma once

#include "frontend/instruction.h"

namespace numjit {

/// Replaces calls of comprehension functions in `outer` by their instructions.
void splice_comprehensions(Bytecode &outer);

} // namespace numjit
