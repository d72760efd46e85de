// What the operation of an unevaluated element-wise expression is (see array_expressions.cpp).
#pragma once

#include "typeinfer/infer/builtins.h"

namespace numjit {

/// `Type::expression` of a call of a user's function: it is the first operand, and has no value.
/// Other expressions are a row of scalar_ops.def.
constexpr int32_t kCallExpression = -1;

/// An expression of a row by the rules of a form. Where that is not NumPy's, elements of operands
/// that are expressions are not converted to their dtype, as in Numba.
constexpr int32_t expression_of(const scalar::Row &row, scalar::Form form) {
  return static_cast<int32_t>(row.id) | static_cast<int32_t>(form) << 16;
}
constexpr scalar::Form form_of(const Type *lazy) {
  return lazy->expression < 0 ? scalar::Form::NumPy
                              : static_cast<scalar::Form>(lazy->expression >> 16);
}
inline const scalar::Row &row_of(const Type *lazy) {
  return scalar::row(static_cast<scalar::OpId>(lazy->expression & 0xffff));
}

/// The operation on scalar operands.
Operand apply_expression(Emitter &e, const Type *lazy, std::span<const Operand> operands);

} // namespace numjit
