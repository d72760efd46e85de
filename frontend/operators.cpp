#include "frontend/operators.h"

namespace numjit {

const OperatorRow &operator_row(Operator op) {
  static constexpr OperatorRow rows[] = {
#define X(id, symbol, name, form) {Operator::id, symbol, name, OperatorForm::form},
      NUMJIT_OPERATORS(X)
#undef X
  };
  return rows[static_cast<size_t>(op)];
}

} // namespace numjit
