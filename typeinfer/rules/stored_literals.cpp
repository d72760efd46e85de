#include "typeinfer/infer/stored_literals.h"

#include "typeinfer/infer/builtins.h"
#include "typeinfer/rules/elementwise.h"

#include <algorithm>
#include <string_view>

namespace numjit {

namespace {

using OperandOf = std::function<Operand(const ssa::Value &)>;

/// A function that stores an argument: which one, and which other one is the array (or the dtype of
/// the array) that it is stored into. A method's array is its object (`into` -1).
struct Storing {
  std::string_view name;
  int value;
  std::string_view value_name;
  int into;
  std::string_view into_name;
};
constexpr Storing kStoring[] = {
    {"numpy.array", 0, "object", 1, "dtype"},
    {"numpy.asarray", 0, "a", 1, "dtype"},
    {"numpy.asanyarray", 0, "a", 1, "dtype"},
    {"numpy.ascontiguousarray", 0, "a", 1, "dtype"},
    {"numpy.asfortranarray", 0, "a", 1, "dtype"},
    {"numpy.put", 2, "v", 0, "a"},
    {"numpy.place", 2, "vals", 0, "arr"},
    {"numpy.putmask", 2, "values", 0, "a"},
    {"numpy.insert", 2, "values", 0, "arr"},
    {"numpy.fill_diagonal", 1, "val", 0, "a"},
    {"numpy.put_along_axis", 2, "values", 0, "arr"},
    {"numpy.piecewise", 2, "funclist", 0, "x"},
    {"Array.put", 1, "values", -1, ""},
};

/// An argument of a call by position or name; null if it is not given.
const ssa::Value *argument(const ssa::Value &call, int position, std::string_view name) {
  const size_t positional = call.operands.size() - call.keywords.size();
  for (size_t i = 0; i < call.keywords.size(); ++i)
    if (call.keywords[i] == name)
      return call.operands[positional + i];
  const size_t at = static_cast<size_t>(position) + 1; // behind the function
  return at < positional ? call.operands[at] : nullptr;
}

class StoredLiterals {
public:
  StoredLiterals(Emitter &emitter, const OperandOf &operand_of)
      : e(emitter), operand_of_(operand_of) {}

  void check(const ssa::Value &value) {
    switch (value.op) {
    case ssa::Op::Call: call(value); return;
    case ssa::Op::SetItem: items(*value.operands[2], dtype_of(*value.operands[0])); return;
    case ssa::Op::SetAttr:
      if (value.name == "flat")
        items(*value.operands[1], dtype_of(*value.operands[0]));
      return;
    case ssa::Op::Operator:
      if (value.inplace && value.oper != Operator::TrueDiv &&
          value.operands[0]->op == ssa::Op::GetItem && is_scalar(*value.operands[0]))
        items(*value.operands[1], dtype_of(*value.operands[0]->operands[0]));
      return;
    default: return;
    }
  }

private:
  bool is_scalar(const ssa::Value &value) {
    const Operand operand = operand_of_(value);
    return operand && operand.type->is_scalar();
  }

  /// Of an array or a dtype; null for all else.
  const Type *dtype_of(const ssa::Value &value) {
    const Operand operand = operand_of_(value);
    if (!operand)
      return nullptr;
    const bool flat = operand.type->kind == Kind::Method && operand.type->constant->text == "Flat";
    const Type *array = flat ? operand.type->params[0] : operand.type;
    return array->is_array() ? array->dtype() : scalar_of_dtype(operand);
  }

  void items(const ssa::Value &value, const Type *dtype) {
    if (!dtype || !dtype->is_integer())
      return;
    if (value.op == ssa::Op::BuildList || value.op == ssa::Op::BuildTuple)
      for (const ssa::Value *item : value.operands)
        items(*item, dtype);
    else if (const Operand operand = operand_of_(value))
      literals(operand, dtype);
  }

  /// A number that is known, or a tuple of them.
  void literals(const Operand &operand, const Type *dtype) {
    if (is_literal(operand))
      check_literal(e, operand, dtype);
    else if (operand.constant && operand.constant->kind == ConstKind::Tuple)
      for (size_t i = 0; i < operand.type->params.size(); ++i)
        literals(e.field(operand, static_cast<int>(i)), dtype);
  }

  void call(const ssa::Value &value) {
    const Operand callee = operand_of_(*value.operands[0]);
    if (!callee)
      return;
    const bool is_method = callee.type->kind == Kind::Method;
    if (callee.type->kind != Kind::Function && !is_method)
      return;
    const Const &constant = *callee.type->constant;
    const std::string_view name =
        constant.object ? std::string_view(constant.object->name) : std::string_view(constant.text);
    if (!is_method && constant.is_object(ObjectKind::Type))
      return; // numjit.uint8(300) converts, as in Numba
    if (name.starts_with("numpy.") && value.operands.size() == 2)
      items(*value.operands[1], scalar_of_dtype(callee));
    const auto *row = std::ranges::find(kStoring, name, &Storing::name);
    if (row == std::end(kStoring))
      return;
    const ssa::Value *stored = argument(value, row->value, row->value_name);
    if (row->into < 0 && stored && callee.type->params[0]->is_array())
      items(*stored, callee.type->params[0]->dtype());
    else if (const ssa::Value *into =
                 row->into < 0 ? nullptr : argument(value, row->into, row->into_name);
             into && stored)
      items(*stored, dtype_of(*into));
  }

  Emitter &e;
  const OperandOf &operand_of_;
};

} // namespace

void check_stored_literals(Emitter &e, const ssa::Value &value, const OperandOf &operand_of) {
  if (!e.def->is_library && !e.options().promotes_as_numba)
    StoredLiterals(e, operand_of).check(value);
}

} // namespace numjit
