// What the operation of an unevaluated element-wise expression is (see array_expressions.cpp).
#pragma once

#include "typeinfer/builtins.h"

namespace numjit {

/// `Type::expression` of a call of a user's function: it is the first operand, and has no value.
/// Other expressions are a row of scalar_ops.def.
constexpr int32_t kCallExpression = -1;

/// The operation on scalar operands.
Operand apply_expression(Emitter &e, const Type *lazy, std::span<const Operand> operands);

} // namespace numjit
