// Constants of the types that the Emitter folds: ints that are int64, and bools.
#pragma once

#include "typeinfer/infer/emitter.h"

namespace numjit {

inline bool plain_int(const Operand &a) {
  return a.constant && a.constant->kind == ConstKind::Int && !a.constant->big &&
         a.type->is(ScalarId::Int64);
}
inline bool plain_bool(const Operand &a) {
  return a.constant && a.constant->kind == ConstKind::Bool && a.type->is_bool();
}

} // namespace numjit
