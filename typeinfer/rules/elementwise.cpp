// Element-wise operations over arrays: which loop arrays, literals and other scalars choose
// (docs/moving-from-numba.md), and the expression that stands for it.
//
// A literal, which is any Python number that is known at compile time, has no type of its own
// beside arrays in NumPy's promotion: it takes that of the arrays, and an integer that this type
// does not hold is an OverflowError, or compares as what it is. In Numba's it is an int64, a
// float64 or a complex128 like any other scalar.
#include "typeinfer/rules/elementwise.h"

#include "typeinfer/infer/big_ints.h"
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/unify.h"
#include "typeinfer/rules/array_expressions.h"
#include "typeinfer/types/struct_classes.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace numjit {

bool promotes_as_numba(const Emitter &e) {
  return e.options().promotes_as_numba && !e.def->promotes_as_numpy;
}

scalar::Form ufunc_form(const Emitter &e) {
  return promotes_as_numba(e) ? scalar::Form::Numba : scalar::Form::NumPy;
}

bool is_literal(const Operand &a) {
  return a.type->is_scalar() && a.constant && a.constant->scalar.empty();
}

namespace {

bool is_integer_literal(const Operand &a) {
  return is_literal(a) && a.type->is_integer() && a.constant->kind == ConstKind::Int;
}

const Type *element_type(const Operand &a) {
  return is_arraylike(a.type) ? a.type->dtype() : a.type;
}

/// Whether an integer type holds a literal.
bool holds(const Type *type, const Const &literal) {
  const int64_t value = literal.integer;
  if (literal.is_unsigned)
    return type->is(ScalarId::UInt64);
  if (type->bits() == 64)
    return type->is_signed() || value >= 0;
  const int64_t high = (int64_t{1} << (type->bits() - type->is_signed())) - 1;
  return value <= high && value >= (type->is_signed() ? -high - 1 : 0);
}

/// Raises NumPy's error of an integer that a type does not hold.
void raise_out_of_bounds(Emitter &e, const Const &literal, const Type *type) {
  const bool is_too_large = literal.is_unsigned && !type->is(ScalarId::UInt32);
  e.raise("OverflowError", is_too_large ? "Python int too large to convert to C long"
                                        : "Python integer " + to_string(literal) +
                                              " out of bounds for " + type->text);
}

} // namespace

const Type *type_beside_arrays(const Operand &a, const Type *widest) {
  const Type *type = a.type;
  const bool literal = is_literal(a);
  if (type->is_bool())
    return literal || !widest->is_integer() ? widest : type;
  if (type->is_integer()) {
    if (widest->is_bool())
      return literal ? types::int64() : type;
    // Of an integer that is not known it is not known either whether it was a Python one. Beside
    // floats it is taken for one.
    return literal || !widest->is_integer() ? widest : type;
  }
  if (!literal || !(widest->is_float() || widest->is_complex()))
    return type;
  if (type->is_complex() && widest->is_float())
    return scalar::promote(types::scalar(ScalarId::Complex64), widest);
  return widest;
}

namespace {

/// The condition of a select and the exponent of ldexp have types of their own.
const Operand *operand_apart(const scalar::Row &row, std::span<const Operand> operands) {
  return row.rule == scalar::Rule::Select           ? &operands[0]
         : row.rule == scalar::Rule::FloatByInteger ? &operands[1]
                                                    : nullptr;
}

/// The type that an operation's arrays meet in.
const Type *meeting_type(const scalar::Row &row, std::span<const Operand> operands) {
  const Operand *apart = operand_apart(row, operands);
  const Type *widest = nullptr;
  for (const Operand &a : operands)
    if (is_arraylike(a.type) && &a != apart)
      widest = widest ? scalar::promote(widest, a.type->dtype()) : a.type->dtype();
  return widest;
}

/// The integer type that a literal must fit; nullptr where any value will do.
const Type *bounds_of(const scalar::Row &row, size_t index, const scalar::Signature &signature) {
  if (row.rule == scalar::Rule::FloatByInteger && index == 1)
    return types::scalar(ScalarId::Int32);
  const Type *type = signature.operand(index);
  return type->is_integer() ? type : nullptr;
}

[[noreturn]] void refuse_operands(Emitter &e, const scalar::Row &row,
                                  std::span<const Operand> operands) {
  std::string names;
  for (const Operand &a : operands)
    names += (names.empty() ? "" : ", ") + a.type->text;
  e.fail("No implementation of function " + std::string(row.name) + " for (" + names + ")");
}

using DTypes = std::vector<const Type *>;

/// What an operation is computed in by NumPy's rule, where a literal that does not fit raises.
std::optional<scalar::Signature> numpy_signature(Emitter &e, const scalar::Row &row,
                                                 std::span<const Operand> operands,
                                                 DTypes &dtypes) {
  const Operand *apart = operand_apart(row, operands);
  const Type *widest = meeting_type(row, operands);
  for (const Operand &a : operands)
    dtypes.push_back(a.type->is_scalar() && widest && &a != apart ? type_beside_arrays(a, widest)
                                                                  : element_type(a));
  auto signature = scalar::resolve(row, dtypes, scalar::Form::NumPy);
  if (!signature)
    return signature;
  const bool compares = row.rule == scalar::Rule::Compare || row.rule == scalar::Rule::Equality;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Type *bounds = bounds_of(row, i, *signature);
    if (!bounds || !is_integer_literal(operands[i]) || holds(bounds, *operands[i].constant))
      continue;
    if (!compares) {
      raise_out_of_bounds(e, *operands[i].constant, bounds);
      break;
    }
    dtypes[i] = operands[i].type;
    return scalar::resolve(row, dtypes, scalar::Form::NumPy);
  }
  return signature;
}

void check_strict_ints(Emitter &e, const scalar::Row &row, std::span<const Operand> operands,
                       const DTypes &dtypes, const scalar::Signature &signature) {
  if (!e.options().strict_ints || e.def->is_library || dtypes.size() != 2 ||
      !integers_met_in_float(dtypes[0], dtypes[1], signature.compute) ||
      (row.rule != scalar::Rule::Arith && row.rule != scalar::Rule::FloorDiv))
    return;
  const std::string fault = operands[0].type->text + " and " + operands[1].type->text +
                            " meet in " + signature.compute->text;
  if (!e.engine.host.warn_of_integers(fault, e.def, e.position))
    e.fail(fault + " (strict_ints=True)",
           "convert one of them: a.astype(np.int64) or a.astype(np.uint64)");
}

/// The expression by Numba's rules: every scalar counts with its type. Of operations that one
/// expression of the program consists of, elements are converted to the dtype at the end only.
Operand numba_expression(Emitter &e, const scalar::Row &row, Operands operands, bool is_operator) {
  DTypes dtypes;
  for (const Operand &a : operands)
    dtypes.push_back(element_type(a));
  const auto signature = scalar::resolve(row, dtypes, scalar::Form::Numba);
  if (!signature)
    refuse_operands(e, row, operands);
  check_strict_ints(e, row, operands, dtypes, *signature);
  int ndim = 0;
  std::vector<const Type *> types;
  for (Operand &a : operands) {
    if (a.type->kind == Kind::Lazy && form_of(a.type) != scalar::Form::NumPy &&
        !is_written_inside(e, a)) {
      const auto same = static_cast<int32_t>(scalar::OpId::Same);
      a = e.make(types::lazy(same, {a.type}, a.type->dtype(), a.type->ndim), {a});
    }
    if (is_arraylike(a.type))
      ndim = std::max<int>(ndim, a.type->ndim);
    types.push_back(a.type);
  }
  const scalar::Form form = row.rule == scalar::Rule::Select ? scalar::Form::NumPy
                            : is_operator                    ? scalar::Form::NumbaOperator
                                                             : scalar::Form::Numba;
  const Type *lazy = types::lazy(expression_of(row, form), types, signature->result, ndim);
  Operand result = e.make(lazy, operands);
  return row.rule == scalar::Rule::Select ? result : as_item(e, result);
}

/// A scalar operand as what it is computed in. An integer becomes a float32 as NumPy makes it one,
/// by way of a float64.
Operand cast_operand(Emitter &e, const Operand &a, const Type *to) {
  if (is_integer_literal(a) && (to->is_float() || to->is_complex()))
    return e.cast(e.cast(a, types::float64()), to);
  return e.cast(a, to);
}

/// Whether `array ** exponent` is np.square(array).
bool is_square(Emitter &e, const scalar::Row &row, std::span<const Operand> operands) {
  if (row.oper != Operator::Pow || operands.size() != 2 || !is_arraylike(operands[0].type) ||
      !is_integer_literal(operands[1]) || operands[1].constant->integer != 2 ||
      operands[1].constant->is_unsigned)
    return false;
  const Type *dtype = operands[0].type->dtype();
  return dtype->is_float() || dtype->is_complex() || dtype->is(ScalarId::Int64) ||
         (dtype->is_integer() && !promotes_as_numba(e));
}

/// Raises OverflowError for an integer that a dtype of integers does not hold.
void check_integer(Emitter &e, const Const &literal, const Type *dtype) {
  if (!e.options().promotes_as_numba && !holds(dtype, literal))
    raise_out_of_bounds(e, literal, dtype);
}

} // namespace

void check_literal(Emitter &e, const Operand &a, const Type *dtype) {
  if (dtype && dtype->kind == Kind::Record) // a number goes to all fields
    for (const Type *field : dtype->params)
      check_literal(e, a, field);
  if (dtype && dtype->is_integer() && is_big_int(a))
    e.big_as(a, dtype);
  else if (dtype && dtype->is_integer() && is_integer_literal(a))
    check_integer(e, *a.constant, dtype);
}

/// Element-wise operation: gives an expression that is evaluated where it is used
/// (array_expressions.cpp), or a scalar if all operands are scalars and 0-d arrays.
Operand elementwise(Emitter &e, const scalar::Row &row, std::span<const Operand> given,
                    bool is_operator) {
  Operands operands = settle_big_ints(e, row, given, false);
  for (const Operand &a : operands) // records, datetime64
    if (!is_arraylike(a.type) ? !a.type->is_scalar() : !a.type->dtype()->is_scalar()) {
      if (row.rule == scalar::Rule::Select)
        return e.library("numjit.select_items", operands);
      refuse_operands(e, row, operands);
    }
  if (is_square(e, row, operands)) {
    std::array<Operand, 1> base{operands[0]};
    return elementwise(e, *scalar::by_name("numpy.square"), base);
  }
  if (promotes_as_numba(e))
    return numba_expression(e, row, std::move(operands), is_operator);
  DTypes dtypes;
  const auto signature = numpy_signature(e, row, operands, dtypes);
  if (!signature)
    refuse_operands(e, row, operands);
  check_strict_ints(e, row, given, dtypes, *signature);
  int ndim = 0;
  std::vector<const Type *> operand_types;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].type->is_scalar())
      operands[i] = cast_operand(e, operands[i], signature->operand(i));
    else
      ndim = std::max<int>(ndim, operands[i].type->ndim);
    operand_types.push_back(operands[i].type);
  }
  Operand result = e.make(
      types::lazy(expression_of(row, scalar::Form::NumPy), operand_types, signature->result, ndim),
      operands);
  // np.where returns arrays for scalar arguments, too.
  return row.rule == scalar::Rule::Select ? result : as_item(e, result);
}

Operand convert_elements(Emitter &e, const Operand &a, const Type *to) {
  if (!is_arraylike(a.type))
    return e.cast(a, to);
  if (a.type->dtype() == to)
    return a;
  if (to->is_time())
    return e.library("numjit.time_like", {a, time_constant(e, to, 0)});
  if (!to->is_scalar() || !a.type->dtype()->is_scalar())
    e.fail("cannot convert " + a.type->dtype()->text + " to " + to->text);
  const auto same = static_cast<int32_t>(scalar::OpId::Same);
  return e.make(types::lazy(same, {a.type}, to, a.type->ndim), {a});
}

namespace {

/// numjit.stored(x, dtype): as numjit.cast; OverflowError for a literal that does not fit,
/// where floats lose their fraction. What goes into records, dates and texts is converted where it
/// is stored.
Operand stored(Emitter &e, Operands &a) {
  const Type *dtype = scalar_of_dtype(a[1]);
  if (!dtype)
    return a[0];
  // NumPy makes a Python int of a float first.
  if (is_literal(a[0]) && a[0].constant->kind == ConstKind::Float && dtype->is_integer() &&
      std::abs(a[0].constant->real) < 0x1p63)
    check_integer(e, *constants::integer(static_cast<int64_t>(a[0].constant->real)), dtype);
  check_literal(e, a[0], dtype);
  return find_builtin("numjit.cast")->rule(e, a);
}

/// numjit.as_strong(x): a literal as the NumPy scalar that np.asarray makes of it.
Operand as_strong(Emitter &, Operands &a) {
  if (is_literal(a[0]))
    a[0].constant = constants::typed(*a[0].constant, a[0].type->text);
  return a[0];
}

/// numjit.clip_bound(bound, a, high): None for a literal that no integer of the array is beyond.
Operand clip_bound(Emitter &e, Operands &a) {
  const Type *dtype = element_type(a[1]);
  if (is_big_int(a[0]) && dtype->is_integer()) {
    const bool negative = is_negative_big_int(a[0]), high = a[2].constant->integer;
    return negative == high ? e.big_as(a[0], dtype) : e.none();
  }
  if (!is_integer_literal(a[0]) || !dtype->is_integer())
    return a[0];
  const Const &bound = *a[0].constant;
  const bool wide = dtype->is(ScalarId::UInt64), is_signed = dtype->is_signed();
  const int64_t high = wide ? 0 : (uint64_t{1} << (dtype->bits() - is_signed)) - 1;
  const int64_t low = is_signed ? ~high : 0;
  const bool binds = a[2].constant->integer ? wide || (!bound.is_unsigned && bound.integer < high)
                                            : bound.is_unsigned || bound.integer > low;
  return binds ? a[0] : e.none();
}

/// The dtype of a literal string among the items of a tuple.
const Type *dtype_of_text(const Type *literal) {
  const std::string &text = literal->constant->text; // UTF-8
  const auto characters = std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
  return types::char_seq(false, std::max<int64_t>(characters, 1));
}

/// The dtype in which elements of two types meet; nullptr if there is none.
const Type *meet(const Type *a, const Type *b) {
  if (a->kind == Kind::CharSeq && b->kind == Kind::CharSeq && a->params == b->params)
    return a->constant->integer < b->constant->integer ? b : a;
  return a->is_scalar() && b->is_scalar() ? scalar::promote(a, b) : unify(a, b);
}

/// The scalar type behind an array, a number, a dtype, or (nested) lists and tuples of numbers;
/// else nullptr.
const Type *dtype_behind(const Operand &a) {
  const Type *type = a.type;
  if (type->is_item())
    return type;
  if (type->is_array() || type->kind == Kind::Lazy)
    return type->dtype();
  if (is_run_time_tuple(type)) // its items are a list
    return dtype_behind({type->params[0], nullptr, nullptr, a.position});
  if (type->kind != Kind::List && !type->is_tuple())
    return item_of_dtype(a);
  const Type *dtype = nullptr;
  for (const Type *item : type->params) {
    const Type *own = item->kind == Kind::String
                          ? dtype_of_text(item)
                          : dtype_behind({item, nullptr, nullptr, a.position});
    if (!own)
      return nullptr;
    dtype = dtype ? meet(dtype, own) : own;
    if (!dtype)
      return nullptr;
  }
  return dtype ? dtype : types::float64();
}

/// numjit.promote(x, ...): the dtype of np.result_type of arrays, numbers, dtypes and sequences of
/// numbers.
Operand promote(Emitter &e, Operands &a) {
  const Type *dtype = nullptr;
  for (const Operand &x : a) {
    const Type *own = dtype_behind(x);
    dtype = dtype && own ? meet(dtype, own) : own;
    if (!dtype)
      e.fail("no dtype is known for " + x.type->text,
             x.type->text.find("unicode_type") == std::string::npos
                 ? ""
                 : "the dtype of texts has a width, which literals tell; else dtype=\"U20\"");
  }
  return e.unit(types::dtype(dtype));
}

/// np.result_type(x, ...), where Python's numbers count with their class only.
Operand result_type(Emitter &e, Operands &a) {
  if (a.empty())
    e.fail_as("NumbaValueError", "at least one array or dtype is required");
  Operands typed, literals;
  for (const Operand &x : a)
    (is_literal(x) && x.type->is_scalar() && !promotes_as_numba(e) ? literals : typed).push_back(x);
  Operand result = promote(e, typed.empty() ? a : typed);
  const Type *dtype = result.type->params[0];
  if (!typed.empty() && dtype->is_scalar())
    for (const Operand &x : literals)
      dtype = scalar::promote(dtype, type_beside_arrays(x, dtype));
  return e.unit(types::dtype(dtype));
}

const Builtin kElementwiseRows[] = {
    {"numjit.stored", "x dtype", stored},
    {"numjit.as_strong", "x", as_strong},
    {"numjit.clip_bound", "bound a high", clip_bound, true},
    {"numjit.promote", "*", promote, true},
    {"numpy.result_type", "*", result_type, true},
};

} // namespace

BuiltinTable elementwise_builtins() { return kElementwiseRows; }

} // namespace numjit
