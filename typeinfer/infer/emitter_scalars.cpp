// Rows of the table of scalar operations on operands: constants are folded, operands that have no
// result raise what Python or NumPy raises, and what is left becomes code.
#include "typeinfer/infer/big_ints.h"
#include "typeinfer/infer/emitter.h"
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/plain_constants.h"
#include "typeinfer/infer/unify.h"

#include <algorithm>
#include <array>
#include <optional>

namespace numjit {

using tir::Op;

namespace {

/// A constant as a float64, if it is one or becomes one exactly.
std::optional<double> plain_float(const Operand &a) {
  if (a.constant && a.constant->kind == ConstKind::Float && a.type->is(ScalarId::Float64))
    return a.constant->real;
  constexpr int64_t most = int64_t{1} << 53;
  if ((plain_int(a) || plain_bool(a)) && a.constant->integer >= -most &&
      a.constant->integer <= most)
    return static_cast<double>(a.constant->integer);
  return {};
}

template <class T>
const Const *compare(Operator oper, T a, T b) {
  switch (oper) {
  case Operator::Lt: return constants::boolean(a < b);
  case Operator::Le: return constants::boolean(a <= b);
  case Operator::Gt: return constants::boolean(a > b);
  case Operator::Ge: return constants::boolean(a >= b);
  case Operator::Eq: return constants::boolean(a == b);
  case Operator::Ne: return constants::boolean(a != b);
  default: return nullptr;
  }
}

/// Folds what `if`s are made of, in the library and where functions are made for values that they
/// close over: int64 and bool arithmetic, comparisons.
const Const *fold(const scalar::Row &row, std::span<const Operand> v) {
  const bool is_min = row.id == scalar::OpId::Min, is_max = row.id == scalar::OpId::Max;
  if ((is_min || is_max) && plain_int(v[0]) && plain_int(v[1]))
    return (v[1].constant->integer < v[0].constant->integer) == is_min ? v[1].constant
                                                                       : v[0].constant;
  if (!row.oper)
    return nullptr;
  if (v.size() == 2 && operator_row(*row.oper).form == OperatorForm::Compare)
    if (const auto a = plain_float(v[0]), b = plain_float(v[1]); a && b)
      return compare(*row.oper, *a, *b);
  if (v.size() == 1 && *row.oper == Operator::Not && plain_bool(v[0]))
    return constants::boolean(!v[0].constant->integer);
  for (const Operand &a : v)
    if (!plain_int(a) && !plain_bool(a))
      return nullptr;
  auto u = [&](size_t i) { return static_cast<uint64_t>(v[i].constant->integer); };
  auto s = [&](size_t i) { return v[i].constant->integer; };
  auto wrap = [](uint64_t x) { return constants::integer(static_cast<int64_t>(x)); };
  bool ints = true;
  for (const Operand &a : v)
    ints = ints && plain_int(a);
  if (v.size() == 1)
    return *row.oper == Operator::Neg && ints ? wrap(0 - u(0)) : nullptr;
  if (const Const *compared = compare(*row.oper, s(0), s(1)))
    return compared;
  if (!ints)
    return nullptr;
  switch (*row.oper) {
  case Operator::Add: return wrap(u(0) + u(1));
  case Operator::Sub: return wrap(u(0) - u(1));
  case Operator::Mul: return wrap(u(0) * u(1));
  case Operator::FloorDiv:
  case Operator::Mod: {
    int64_t a = s(0), b = s(1);
    if (b == 0 || (b == -1 && a == INT64_MIN))
      return nullptr;
    int64_t q = a / b, r = a % b;
    if (r != 0 && (r < 0) != (b < 0))
      --q, r += b;
    return constants::integer(*row.oper == Operator::FloorDiv ? q : r);
  }
  default: return nullptr;
  }
}

/// Raises what Python raises for operands without a result.
void check_operands(Emitter &e, const scalar::Row &row, std::span<const Operand> operands) {
  if (row.check == scalar::Check::None)
    return;
  const Operand &left = operands[0], &right = operands[1];
  auto is_zero = [&](const Operand &a) { return e.op(Operator::Eq, a, e.cast(e.i64(0), a.type)); };
  auto is_known_nonzero = [](const Operand &a) {
    return a.constant && (a.constant->integer != 0 || a.constant->real != 0);
  };
  if (row.check == scalar::Check::DivisionByZero) {
    if (is_known_nonzero(right))
      return;
    const bool modulo = row.oper == Operator::Mod;
    const char *message = left.type->is_integer()
                              ? (modulo ? "integer modulo by zero" : "integer division by zero")
                              : (modulo ? "float modulo by zero" : "division by zero");
    e.raise_if(is_zero(right), "ZeroDivisionError",
               row.oper == Operator::TrueDiv ? "division by zero" : message);
  } else if (left.type->is_signed() && !e.is_nonneg(right) && !is_known_nonzero(left)) {
    Operand negative = e.op(Operator::Lt, right, e.cast(e.i64(0), right.type));
    e.raise_if(e.logical_and(negative, is_zero(left)), "ZeroDivisionError",
               "0 cannot be raised to a negative power");
  }
}

/// Whether it is a division of floats in a kernel with fastmath, which never raises.
bool divides_fast(const Emitter &e, const scalar::Row &row, const scalar::Signature &signature) {
  return e.on_device() && e.options().fastmath && row.oper == Operator::TrueDiv &&
         signature.result->is_float();
}

/// The library's name of a function of complex numbers, for kernels: GPUs have no libm of them.
std::string complex_function(const scalar::Row &row) {
  std::string_view name = row.name;
  if (name.starts_with("cmath_"))
    name.remove_prefix(6);
  return "numjit.complex." + std::string(name);
}

/// Raises NumPy's error for integers to negative powers, which are no integers.
void check_integer_power(Emitter &e, std::span<const Operand> operands) {
  const Operand &exponent = operands[1];
  if (!exponent.type->is_signed() || e.is_nonneg(exponent))
    return;
  e.raise_if(e.op(Operator::Lt, exponent, e.cast(e.i64(0), exponent.type)), "ValueError",
             "Integers to negative integer powers are not allowed.");
}

/// With overflow='raise': OverflowError where the result of an integer operation does not fit.
void check_overflow(Emitter &e, const scalar::Row &row, std::span<const Operand> operands) {
  const Operand &left = operands[0];
  if (!row.oper || !left.type->is_integer())
    return;
  auto fails = [&](const char *check, const Operand &a, const Operand &b) {
    const std::array<Operand, 2> both{a, b};
    e.raise_if(e.scalar(*scalar::by_name(check), both, scalar::Form::Python), "OverflowError",
               "integer overflow in " + std::string(operator_row(*row.oper).symbol));
  };
  auto constant = [&](int64_t value) { return e.cast(e.i64(value), left.type); };
  switch (*row.oper) {
  case Operator::Add: fails("numjit.add_overflows", left, operands[1]); break;
  case Operator::Sub: fails("numjit.sub_overflows", left, operands[1]); break;
  case Operator::Mul: fails("numjit.mul_overflows", left, operands[1]); break;
  case Operator::Neg: fails("numjit.sub_overflows", constant(0), left); break;
  case Operator::LShift: // not a power of two beyond 63: the shift itself is the check
  case Operator::Pow: {
    const char *name = *row.oper == Operator::Pow ? "numjit.checked_pow" : "numjit.checked_lshift";
    e.library(name, {left, operands[1]});
    break;
  }
  case Operator::FloorDiv:
    if (left.type->is_signed())
      e.raise_if(e.logical_and(e.op(Operator::Eq, left, e.i64(INT64_MIN)),
                               e.op(Operator::Eq, operands[1], e.i64(-1))),
                 "OverflowError", "integer overflow in //");
    break;
  default: break;
  }
}

std::string names_of(std::span<const Operand> operands) {
  std::string text;
  for (const Operand &a : operands)
    text += (text.empty() ? "" : ", ") + a.type->text;
  return text;
}

} // namespace

Operand Emitter::scalar(const scalar::Row &row, std::span<const Operand> operands,
                        scalar::Form form) {
  if (std::ranges::any_of(operands, is_big_int)) {
    if (form != scalar::Form::NumPy && row.oper)
      if (Operand exact = operator_beside_big_int(*this, *row.oper, operands))
        return exact;
    return scalar(row, settle_big_ints(*this, row, operands, form != scalar::Form::NumPy), form);
  }
  std::vector<const Type *> operand_types;
  for (const Operand &a : operands)
    operand_types.push_back(a.type);
  auto signature = scalar::resolve(row, operand_types, form);
  if (!signature) {
    std::string what = row.oper ? "operator " + std::string(operator_row(*row.oper).symbol)
                                : "function " + std::string(row.name);
    fail("No implementation of function " + std::string(row.name) + " for (" + names_of(operands) +
         "): " + what + " is not defined for these types");
  }
  if (const Const *folded = fold(row, operands)) {
    Fact fact = fact_of(folded);
    const bool typed =
        folded->kind == ConstKind::Int &&
        std::ranges::any_of(operands, [](const Operand &a) { return !a.constant->scalar.empty(); });
    if (fact.type == signature->result)
      return {fact.type, typed ? constants::typed(*folded, fact.type->text) : folded, nullptr,
              position};
  }
  Operands cast_operands;
  for (size_t i = 0; i < operands.size(); ++i)
    cast_operands.push_back(cast(operands[i], signature->operand(i)));
  if (on_device() && operands.size() == 1 && signature->result->is_complex())
    if (const std::string function = complex_function(row); engine.host.library(function))
      return cast(library(function, cast_operands), signature->result);
  if (form == scalar::Form::Python && !options().error_model_numpy && !options().divides_as_numpy &&
      !divides_fast(*this, row, *signature))
    check_operands(*this, row, cast_operands);
  if (form == scalar::Form::NumPy && row.oper == Operator::Pow && !options().promotes_as_numba)
    check_integer_power(*this, cast_operands);
  if (form == scalar::Form::Python && options().raise_overflow && !def->is_library)
    check_overflow(*this, row, cast_operands);
  if (dry())
    return finish(signature->result, nullptr);
  std::vector<tir::Value *> codes;
  for (const Operand &a : cast_operands)
    codes.push_back(code(a));
  tir::Value *value = append(Op::Scalar, signature->result);
  value->scalar_op = row.id;
  value->operands = std::move(codes);
  return finish(signature->result, value);
}

Operand Emitter::op(Operator oper, const Operand &a, const Operand &b) {
  std::array<Operand, 2> operands{a, b};
  return scalar(*scalar::by_operator(oper), operands, scalar::Form::Python);
}

Operand Emitter::op(Operator oper, const Operand &a) {
  std::array<Operand, 1> operands{a};
  return scalar(*scalar::by_operator(oper), operands, scalar::Form::Python);
}

namespace {
Operand index_op(Emitter &e, Op op, const Operand &a, const Operand &b) {
  Operand x = e.cast(a, types::int64()), y = e.cast(b, types::int64());
  bool add = op == Op::IndexAdd;
  if (plain_int(x) && plain_int(y)) {
    int64_t folded = 0;
    const bool wraps =
        add ? __builtin_add_overflow(x.constant->integer, y.constant->integer, &folded)
            : __builtin_mul_overflow(x.constant->integer, y.constant->integer, &folded);
    return e.i64(wraps ? INT64_MAX : folded); // sizes beyond memory: an error follows
  }
  int64_t neutral = add ? 0 : 1;
  if (plain_int(x) && x.constant->integer == neutral)
    return y;
  if (plain_int(y) && y.constant->integer == neutral)
    return x;
  if (!add &&
      ((plain_int(x) && x.constant->integer == 0) || (plain_int(y) && y.constant->integer == 0)))
    return e.i64(0);
  if (e.dry())
    return {types::int64(), nullptr, nullptr, e.position};
  tir::Value *left = e.code(x), *right = e.code(y);
  tir::Value *value = e.append(op, types::int64(), {left, right});
  value->nonneg = left->nonneg && right->nonneg;
  return {types::int64(), nullptr, value, e.position};
}
} // namespace

Operand Emitter::index_add(const Operand &a, const Operand &b) {
  return index_op(*this, Op::IndexAdd, a, b);
}
Operand Emitter::index_mul(const Operand &a, const Operand &b) {
  return index_op(*this, Op::IndexMul, a, b);
}

Operand Emitter::div_nonneg(const Operand &a, const Operand &b) {
  if (plain_int(a) && plain_int(b))
    return i64(a.constant->integer / b.constant->integer);
  if (dry())
    return finish(types::int64(), nullptr);
  tir::Value *left = code(a), *right = code(b);
  tir::Value *value = append(Op::Scalar, types::int64(), {left, right});
  value->scalar_op = scalar::by_operator(Operator::FloorDiv)->id;
  value->nonneg = true;
  return finish(types::int64(), value);
}

Operand Emitter::logical_not(const Operand &a) { return op(Operator::Not, a); }

Operand Emitter::logical_and(const Operand &a, const Operand &b) {
  if (plain_bool(a))
    return a.constant->integer ? b : a;
  if (plain_bool(b))
    return b.constant->integer ? a : b;
  return op(Operator::And, a, b);
}

Operand Emitter::select(const Operand &condition, const Operand &a, const Operand &b) {
  if (plain_bool(condition))
    return condition.constant->integer ? a : b;
  if (a.constant && a.constant == b.constant && a.type == b.type)
    return a;
  const Type *type = unify(a.type, b.type);
  if (!type)
    throw InternalError("select of " + a.type->text + " and " + b.type->text);
  Operand x = convert(a, type), y = convert(b, type);
  if (dry())
    return finish(type, nullptr);
  tir::Value *c = code(condition), *t = code(x), *f = code(y);
  tir::Value *value = append(Op::Select, type, {c, t, f});
  value->nonneg = t->nonneg && f->nonneg;
  return finish(type, value);
}

Operand Emitter::at_least_zero(const Operand &a) {
  return is_nonneg(a) ? a : nonneg(select(op(Operator::Lt, a, i64(0)), i64(0), a));
}

Operand Emitter::nonneg(Operand a) {
  if (a.value)
    a.value->nonneg = true;
  return a;
}

bool Emitter::is_nonneg(const Operand &a) const {
  return a.type->is_unsigned() || a.type->is_bool() || (plain_int(a) && a.constant->integer >= 0) ||
         (a.value && a.value->nonneg);
}

} // namespace numjit
