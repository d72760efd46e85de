// Results whose number of dimensions depends on extents that are known at run time only, as those
// of `x.squeeze()`. Where nothing else helps, they are of one of several types.
#include "typeinfer/infer.h"
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/unify.h"
#include "typeinfer/types/units.h"

namespace numjit {

const ssa::Value *squeezed_by(const ssa::Value &value) {
  if (calls(value, "numpy.squeeze") && value.operands.size() == 2)
    return value.operands[1];
  const bool is_method = value.op == ssa::Op::Call && value.operands.size() == 1 &&
                         value.operands[0]->op == ssa::Op::GetAttr &&
                         value.operands[0]->name == "squeeze";
  return is_method ? value.operands[0]->operands[0] : nullptr;
}

bool has_open_extents(const Operand &array) {
  constexpr int most_axes = 3;
  return array.type->is_array() && array.type->ndim > 0 && array.type->ndim <= most_axes &&
         !array.constant && types::units_of(array.type) < 0;
}

Operand squeeze_at_run_time(Emitter &e, const Operand &given) {
  const Operand shape = rule_getattr(e, given, "shape");
  auto squeezed = [&](int64_t units) {
    Operands arguments{given, e.i64(units)};
    return e.library("numpy.squeeze", {find_builtin("numjit.with_units")->rule(e, arguments)});
  };
  std::function<Operand(int, int64_t)> from = [&](int axis, int64_t units) {
    if (axis == given.type->ndim)
      return squeezed(units);
    return e.choose(
        e.op(Operator::Eq, rule_getitem(e, shape, e.i64(axis)), e.i64(1)),
        [&] { return from(axis + 1, units | int64_t(1) << axis); },
        [&] { return from(axis + 1, units); }, unify_or_unite);
  };
  return from(0, 0);
}

bool extents_are_open(std::string_view error) {
  return error.find("extents are not known") != std::string_view::npos;
}

bool unions_may_help(std::string_view error, bool defers) {
  return types_do_not_meet(error) || (defers && extents_are_open(error));
}

} // namespace numjit
