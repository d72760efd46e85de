#include "typeinfer/passes/float_bounds.h"

#include <algorithm>
#include <cmath>

namespace numjit::tir {

double FloatBounds::lower_bound(const Value *value) {
  if (value->type->is_integer() || value->type->is_bool())
    return static_cast<double>(intervals_.of_type(value->type, value).low);
  if (!value->type->is_float() || value->type->bits() == 16)
    return unbounded;
  if (bounds_.empty())
    bounds_.resize(function_.values.size(), std::numeric_limits<double>::quiet_NaN());
  if (value->id >= bounds_.size()) // made by this pass: an integer
    return unbounded;
  double &bound = bounds_[value->id];
  if (std::isnan(bound)) {
    bound = unbounded;
    const double found = compute_lower_bound(*value);
    bounds_[value->id] = value->type->is(ScalarId::Float32) ? static_cast<float>(found) : found;
  }
  return bounds_[value->id];
}

double FloatBounds::compute_lower_bound(const Value &value) {
  auto operand = [&](size_t i) { return lower_bound(value.operands[i]); };
  switch (value.op) {
  case Op::Const: return std::isnan(value.real) ? unbounded : value.real;
  case Op::Cast: return operand(0);
  case Op::Select: return std::min(operand(1), operand(2));
  case Op::Scalar: break;
  default: return unbounded;
  }
  using scalar::OpId;
  switch (value.scalar_op) {
  case OpId::Add: {
    const double a = operand(0), b = operand(1);
    return a > unbounded && b > unbounded ? a + b : unbounded;
  }
  case OpId::Mul: {
    if (value.operands[0] == value.operands[1])
      return 0;
    const double a = operand(0), b = operand(1);
    return a >= 0 && b >= 0 ? a * b : unbounded;
  }
  case OpId::TrueDiv: return operand(0) >= 0 && operand(1) > 0 ? 0 : unbounded;
  case OpId::Sqrt: return std::sqrt(std::max(operand(0), 0.0));
  case OpId::Abs:
  case OpId::Fabs:
  case OpId::Square:
  case OpId::Hypot:
  case OpId::Exp:
  case OpId::Exp2: return 0;
  case OpId::Maximum: return std::max(operand(0), operand(1));
  case OpId::Min:
  case OpId::Minimum:
  case OpId::Fmin: return std::min(operand(0), operand(1));
  case OpId::Max: // of a NaN and a number they may be either
  case OpId::Fmax: {
    double bound = std::min(operand(0), operand(1));
    for (const Value *side : value.operands)
      if (side->op == Op::Const && !std::isnan(side->real))
        bound = std::max(bound, side->real);
    return bound;
  }
  default: return unbounded;
  }
}

} // namespace numjit::tir
