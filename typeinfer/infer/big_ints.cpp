#include "typeinfer/infer/big_ints.h"

#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/plain_constants.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace numjit {

bool is_written_inside(const Emitter &e, const Operand &operand) {
  const Position &outer = e.position, &inner = operand.position;
  auto start = [](const Position &p) { return std::pair(p.line, p.column); };
  auto end = [](const Position &p) { return std::pair(p.end_line, p.end_column); };
  return inner.known() && start(outer) <= start(inner) && end(inner) <= end(outer);
}

namespace {

const std::string &digits(const Operand &a) { return a.type->constant->text; }

/// Whether an operator of two int64 has a result that is none.
bool leaves_64_bits(Operator oper, int64_t a, int64_t b) {
  int64_t result = 1;
  switch (oper) {
  case Operator::Add: return __builtin_add_overflow(a, b, &result);
  case Operator::Sub: return __builtin_sub_overflow(a, b, &result);
  case Operator::Mul: return __builtin_mul_overflow(a, b, &result);
  case Operator::LShift:
    return a != 0 && b > 0 &&
           (b > 63 || __builtin_mul_overflow(a, int64_t{1} << std::min<int64_t>(b, 62), &result) ||
            (b == 63 && __builtin_mul_overflow(result, 2, &result)));
  case Operator::Pow:
    if (a >= -1 && a <= 1)
      return false;
    for (int64_t k = 0; k < b; ++k)
      if (__builtin_mul_overflow(result, a, &result))
        return true;
    return false;
  default: return false;
  }
}

/// The floats on both sides of an int; the same if it is one itself.
std::pair<double, double> neighbours(const std::string &digits) {
  const double nearest = std::strtod(digits.c_str(), nullptr);
  if (std::isinf(nearest))
    return nearest > 0 ? std::pair(DBL_MAX, nearest) : std::pair(nearest, -DBL_MAX);
  char text[DBL_MAX_10_EXP + 8];
  std::snprintf(text, sizeof text, "%.0f", nearest);
  const std::string found = text;
  if (found == digits)
    return {nearest, nearest};
  const bool is_farther =
      found.size() == digits.size() ? found > digits : found.size() > digits.size();
  const bool is_above = is_farther == (nearest > 0);
  return is_above ? std::pair(std::nextafter(nearest, -INFINITY), nearest)
                  : std::pair(nearest, std::nextafter(nearest, INFINITY));
}

/// The float that compares with all floats as an int does on one side of an operator.
double stand_in(Operator oper, const std::string &digits, bool is_left) {
  const auto [below, above] = neighbours(digits);
  if (below == above)
    return below;
  switch (oper) {
  case Operator::Lt:
  case Operator::Ge: return is_left ? below : above;
  case Operator::Le:
  case Operator::Gt: return is_left ? above : below;
  default: return NAN; // equals none of them
  }
}

[[noreturn]] void refuse(Emitter &e, const scalar::Row &row, std::span<const Operand> operands) {
  std::string types;
  for (const Operand &a : operands)
    types += (types.empty() ? "" : ", ") + a.type->text;
  e.fail("No implementation of function " + std::string(row.name) + " for (" + types +
             "): compiled ints have 64 bits",
         "use a float (2.0**70), or compute with smaller ints");
}

} // namespace

Operand exact_operator(Emitter &e, Operator oper, const Operand &a, const Operand &b) {
  auto is_int = [](const Operand &x) {
    return is_big_int(x) || (x.constant && x.constant->kind == ConstKind::Int &&
                             x.constant->scalar.empty() && x.type->is_integer());
  };
  if (oper == Operator::TrueDiv || oper == Operator::MatMul || !is_int(a) || !is_int(b))
    return {};
  if (!is_big_int(a) && !is_big_int(b) &&
      (!plain_int(a) || !plain_int(b) || !is_written_inside(e, a) || !is_written_inside(e, b) ||
       !leaves_64_bits(oper, a.constant->integer, b.constant->integer)))
    return {};
  auto constant = [](const Operand &x) -> const Const & {
    return is_big_int(x) ? *x.type->constant : *x.constant;
  };
  const Const *exact = e.engine.host.exact_operator(oper, constant(a), constant(b));
  if (!exact)
    e.fail(to_string(constant(a)) + " " + std::string(operator_row(oper).symbol) + " " +
           to_string(constant(b)) + " cannot be computed when the function is compiled");
  return e.constant(exact);
}

Operands settle_big_ints(Emitter &e, const scalar::Row &row, std::span<const Operand> operands,
                         bool refuses) {
  Operands settled(operands.begin(), operands.end());
  if (std::ranges::none_of(operands, is_big_int))
    return settled;
  std::vector<const Type *> dtypes;
  const Type *among = types::int64(); // what else is an integer, as of literals that fit
  bool bools = true;
  for (const Operand &a : operands) {
    const bool is_array = a.type->is_array() || a.type->kind == Kind::Lazy;
    dtypes.push_back(is_array ? a.type->dtype() : a.type);
    if (dtypes.back()->is_integer())
      among = dtypes.back();
    bools = bools && (is_big_int(a) || dtypes.back()->is_bool());
  }
  for (size_t i = 0; i < operands.size(); ++i)
    if (is_big_int(operands[i]))
      dtypes[i] = among;
  const bool compares =
      row.oper && (row.rule == scalar::Rule::Compare || row.rule == scalar::Rule::Equality);
  const bool floats = std::ranges::any_of(
      dtypes, [](const Type *type) { return type->is_float() || type->is_complex(); });
  const auto signature =
      scalar::resolve(row, dtypes, refuses ? scalar::Form::Python : scalar::Form::NumPy);
  if (!signature)
    refuse(e, row, operands);
  for (size_t i = 0; i < operands.size(); ++i) {
    const Operand &a = operands[i];
    if (!is_big_int(a))
      continue;
    if (compares && !floats && (refuses || !bools)) // beyond all of them
      settled[i] = e.f64(is_negative_big_int(a) ? -INFINITY : INFINITY);
    else if (compares && refuses)
      settled[i] = e.f64(stand_in(*row.oper, digits(a), i == 0));
    else if (refuses && signature->operand(i)->is_integer())
      refuse(e, row, operands);
    else
      settled[i] =
          e.big_as(a, signature->operand(i)->is_integer() ? types::int64() : types::float64());
  }
  return settled;
}

/// The magnitude of an int in parts of 32 bits, the highest first.
static Operand magnitude_of(Emitter &e, const Const &number) {
  auto exact = [&](Operator oper, const Const &a, int64_t b) {
    const Const *result = e.engine.host.exact_operator(oper, a, *constants::integer(b));
    if (!result)
      e.fail(to_string(number) + " is not supported here");
    return result;
  };
  const bool negative = number.text[0] == '-';
  const Const *left = negative ? exact(Operator::Mul, number, -1) : &number;
  std::vector<const Const *> parts;
  for (; left->big || left->integer != 0; left = exact(Operator::RShift, *left, 32))
    parts.push_back(exact(Operator::And, *left, 0xffffffff));
  std::ranges::reverse(parts);
  return e.constant(constants::tuple(std::move(parts)));
}

Operand operator_beside_big_int(Emitter &e, Operator oper, std::span<const Operand> operands) {
  if (operands.size() != 2 || is_big_int(operands[0]) == is_big_int(operands[1]))
    return {};
  const bool is_left = is_big_int(operands[0]);
  const Operand &big = operands[!is_left], &other = operands[is_left];
  if (!other.type->is(ScalarId::Int64))
    return {};
  const Operand negative = e.boolean(is_negative_big_int(big));
  switch (oper) {
  case Operator::FloorDiv:
  case Operator::Mod:
    if (is_left)
      return e.library(oper == Operator::Mod ? "numjit.big_modulo" : "numjit.big_floordiv",
                       {magnitude_of(e, *big.type->constant), negative, other});
    return e.library(oper == Operator::Mod ? "numjit.modulo_big" : "numjit.floordiv_big",
                     {other, negative});
  case Operator::And:
  case Operator::Or: {
    const Const *low = e.engine.host.exact_operator(Operator::And, *big.type->constant,
                                                    *constants::integer(INT64_MAX));
    return low ? e.library(oper == Operator::And ? "numjit.and_big" : "numjit.or_big",
                           {other, e.constant(low)})
               : Operand{};
  }
  default: return {};
  }
}

Operand Emitter::big_as(const Operand &a, const Type *to) {
  if (to->is_bool())
    return boolean(true);
  if (to->is_integer()) {
    raise("OverflowError", "Python int too large to convert to C long");
    return cast(i64(1), to);
  }
  const double value = std::strtod(digits(a).c_str(), nullptr);
  if (std::isinf(value))
    raise("OverflowError", "int too large to convert to float");
  return cast(f64(value), to);
}

Operand Emitter::nearest_int(const Operand &a) {
  return is_big_int(a) ? i64(is_negative_big_int(a) ? INT64_MIN : INT64_MAX) : a;
}

} // namespace numjit
