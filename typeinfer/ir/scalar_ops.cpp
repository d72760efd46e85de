// The table of scalar operations, look-up by name, and the rules that give an operation its types.
//
// Two rules exist side by side. The Python form (operators and builtins on scalars) follows Numba:
// small integers widen to 64 bits. The NumPy form follows NumPy: an operation has loops, one for
// each type its row has a lowering for, and takes the first loop that every operand converts to
// safely.
#include "typeinfer/ir/scalar_ops.h"

#include <array>
#include <string>
#include <unordered_map>

namespace numjit::scalar {

namespace {

constexpr Row kRows[] = {
#define FN(name) "FN:" #name
#define NUMJIT_SCALAR_OP(id, name, arity, oper, numpy, other, rule, check, boolean, integer, real, \
                         complex, identity, cost)                                                  \
  {OpId::id,     name,    arity,   oper, numpy,   other,    Rule::rule,                            \
   Check::check, boolean, integer, real, complex, identity, cost},
#include "typeinfer/ir/scalar_ops.def"
#undef NUMJIT_SCALAR_OP
#undef FN
};

consteval bool every_row_has_a_lowering() {
  for (const Row &row : kRows)
    if (row.boolean.empty() && row.integer.empty() && row.real.empty() && row.complex.empty())
      return false;
  return true;
}

consteval bool printed_names_are_unique() {
  for (const Row &a : kRows)
    for (const Row &b : kRows)
      if (a.id != b.id && a.name == b.name)
        return false;
  return true;
}

consteval bool operators_are_unique() {
  for (const Row &a : kRows)
    for (const Row &b : kRows)
      if (a.id != b.id && a.oper && a.oper == b.oper)
        return false;
  return true;
}

static_assert(std::size(kRows) == static_cast<size_t>(OpId::Count));
static_assert(every_row_has_a_lowering());
static_assert(printed_names_are_unique());
static_assert(operators_are_unique());

/// Calls `use(word)` for each word of a space-separated list.
template <class Use>
void each_word(std::string_view words, Use use) {
  while (!words.empty()) {
    size_t end = words.find(' ');
    use(words.substr(0, end));
    words = end == words.npos ? std::string_view() : words.substr(end + 1);
  }
}

struct Names {
  std::unordered_map<std::string, const Row *> qualified;
  std::unordered_map<std::string_view, const Row *> printed;
  std::array<const Row *, 256> by_operator{};

  Names() {
    for (const Row &row : kRows) {
      printed.emplace(row.name, &row);
      each_word(row.numpy,
                [&](auto word) { qualified.emplace("numpy." + std::string(word), &row); });
      each_word(row.other, [&](auto word) { qualified.emplace(std::string(word), &row); });
      if (!row.oper)
        continue;
      by_operator[static_cast<size_t>(*row.oper)] = &row;
      const OperatorRow &oper = operator_row(*row.oper);
      std::string name(oper.name);
      qualified.emplace("operator." + name, &row);
      if (oper.form == OperatorForm::Binary) { // operator.iadd, operator.iand
        if (name.back() == '_')
          name.pop_back();
        qualified.emplace("operator.i" + name, &row);
      }
    }
  }
};

const Names &names() {
  static const Names table;
  return table;
}

std::string_view lowering(const Row &row, ScalarClass cls) {
  switch (cls) {
  case ScalarClass::Bool: return row.boolean == "none" ? std::string_view() : row.boolean;
  case ScalarClass::Signed:
  case ScalarClass::Unsigned: return row.integer;
  case ScalarClass::Float: return row.real;
  case ScalarClass::Complex: return row.complex;
  }
  return {};
}

/// Types that do not fit a float32. (uint16 does, but Numba widens it.)
bool is_wide(const Type *type) {
  switch (type->scalar) {
  case ScalarId::Bool:
  case ScalarId::Int8:
  case ScalarId::Int16:
  case ScalarId::UInt8:
  case ScalarId::Float16:
  case ScalarId::BFloat16:
  case ScalarId::Float32:
  case ScalarId::Complex64: return false;
  default: return true;
  }
}

const Type *float_of(bool wide) {
  return types::scalar(wide ? ScalarId::Float64 : ScalarId::Float32);
}
const Type *complex_of(bool wide) {
  return types::scalar(wide ? ScalarId::Complex128 : ScalarId::Complex64);
}
const Type *signed_of_bits(int bits) {
  return types::scalar(bits == 8    ? ScalarId::Int8
                       : bits == 16 ? ScalarId::Int16
                       : bits == 32 ? ScalarId::Int32
                                    : ScalarId::Int64);
}
/// The float that a complex number is made of; other types stay.
const Type *part_of(const Type *type) {
  return type->is_complex() ? float_of(is_wide(type)) : type;
}

using Operands = std::span<const Type *const>;

bool any(Operands operands, bool (*test)(const Type *)) {
  for (const Type *type : operands)
    if (test(type))
      return true;
  return false;
}
bool is_complex(const Type *type) { return type->is_complex(); }
bool is_float(const Type *type) { return type->is_float(); }
bool is_inexact(const Type *type) { return type->is_float() || type->is_complex(); }
bool is_not_unsigned(const Type *type) { return !type->is_unsigned(); }
bool is_not_bool(const Type *type) { return !type->is_bool(); }
/// A float of 16 bits.
bool is_half(const Type *type) {
  return type->is(ScalarId::Float16) || type->is(ScalarId::BFloat16);
}
bool is_beyond_half(const Type *type) {
  return type->is_integer() ? type->bits() > 8 : !type->is_bool() && !is_half(type);
}

/// The common type of floats of 16 bits and of what fits in: of both kinds it is float32.
const Type *half_of(Operands operands) {
  const Type *type = nullptr;
  for (const Type *operand : operands)
    if (is_half(operand))
      type = type && type != operand ? float_of(false) : operand;
  return type;
}

/// Numba's common type of the operands of an arithmetic operator.
const Type *arith_type(Operands operands) {
  if (any(operands, is_complex))
    return complex_of(any(operands, is_wide));
  if (any(operands, is_float))
    return any(operands, is_beyond_half) ? float_of(any(operands, is_wide)) : half_of(operands);
  return any(operands, is_not_unsigned) ? types::int64() : types::uint64();
}
/// The same, integers made float64.
const Type *inexact_type(Operands operands) {
  const Type *type = arith_type(operands);
  return type->is_integer() ? types::float64() : type;
}
const Type *promote_all(Operands operands) {
  const Type *type = operands[0];
  for (const Type *other : operands.subspan(1))
    type = promote(type, other);
  return type;
}

std::optional<Signature> same(const Type *type) { return Signature{type, type, nullptr}; }
std::optional<Signature> giving(const Type *compute, const Type *result) {
  return Signature{compute, result, nullptr};
}
/// Drops a signature whose type the row has no lowering for.
std::optional<Signature> if_lowered(const Row &row, std::optional<Signature> signature) {
  if (signature && lowering(row, signature->compute->cls()).empty())
    return std::nullopt;
  return signature;
}

/// Comparison of integers of both signs, one of them uint64: no common type is exact, so each side
/// keeps its own.
std::optional<Signature> mixed_comparison(Operands operands) {
  const Type *a = operands[0], *b = operands[1];
  if (a->is(ScalarId::UInt64) && (b->is_signed() || b->is_bool()))
    return Signature{types::uint64(), types::boolean(), types::int64()};
  if (b->is(ScalarId::UInt64) && (a->is_signed() || a->is_bool()))
    return Signature{types::int64(), types::boolean(), types::uint64()};
  return std::nullopt;
}

std::optional<Signature> python_comparison(Operands operands) {
  if (auto mixed = mixed_comparison(operands))
    return mixed;
  const bool bools = !any(operands, is_not_bool);
  return giving(bools ? types::boolean() : arith_type(operands), types::boolean());
}

std::optional<Signature> resolve_python(const Row &row, Operands operands) {
  const Type *first = operands[0];
  switch (row.rule) {
  case Rule::Arith:
  case Rule::Keep: return same(arith_type(operands));
  case Rule::FloorDiv: return any(operands, is_complex) ? std::nullopt : same(arith_type(operands));
  case Rule::TrueDiv: return same(inexact_type(operands));
  case Rule::Pow:
    if (first->is_float() && first->bits() < 64 && !any(operands.subspan(1), is_inexact))
      return same(first);
    return same(arith_type(operands));
  case Rule::Shift:
    if (any(operands, is_inexact))
      return std::nullopt;
    return same(first->is_unsigned() ? types::uint64() : types::int64());
  case Rule::Bitwise:
    if (any(operands, is_inexact))
      return std::nullopt;
    return same(any(operands, is_not_bool) ? arith_type(operands) : types::boolean());
  case Rule::Compare: return any(operands, is_complex) ? std::nullopt : python_comparison(operands);
  case Rule::Equality: return python_comparison(operands);
  case Rule::Logical: return same(types::boolean());
  case Rule::Abs: {
    const Type *compute = first->is_bool() ? types::int64() : first;
    return giving(compute, part_of(compute));
  }
  case Rule::Float:
  case Rule::FloatOrComplex: // functions of module math; those of cmath have rows of their own
    return any(operands, is_complex) ? std::nullopt : same(inexact_type(operands));
  case Rule::FloatTest: {
    const bool exact = !is_inexact(first) && lowering(row, first->cls()).empty();
    return giving(exact ? types::float64() : first, types::boolean());
  }
  case Rule::MinMax: return any(operands, is_complex) ? std::nullopt : same(promote_all(operands));
  case Rule::Real: {
    const Type *compute = lowering(row, first->cls()).empty() ? inexact_type(operands) : first;
    return giving(compute, part_of(compute));
  }
  case Rule::ToInt:
    if (first->is_complex())
      return std::nullopt;
    return giving(arith_type(operands), first->is_unsigned() ? types::uint64() : types::int64());
  case Rule::Complex: return same(complex_of(is_wide(inexact_type(operands))));
  case Rule::ToComplex:
    if (any(operands, is_complex))
      return std::nullopt;
    return giving(inexact_type(operands), complex_of(is_wide(inexact_type(operands))));
  case Rule::Float64: return same(any(operands, is_complex) ? complex_of(true) : types::float64());
  case Rule::FloatByInteger:
    if (first->is_complex() || is_inexact(operands[1]))
      return std::nullopt;
    return Signature{inexact_type(operands.first(1)), inexact_type(operands.first(1)),
                     types::int64()};
  case Rule::FloatToInt:
    return first->is_complex() ? std::nullopt : giving(inexact_type(operands), types::int64());
  case Rule::BitCount:
    if (is_inexact(first))
      return std::nullopt;
    return giving(first->is_bool() ? types::int64() : first, types::int64());
  case Rule::Select: {
    const Type *type = promote_all(operands.subspan(1));
    return Signature{types::boolean(), type, type};
  }
  }
  return std::nullopt;
}

bool is_integer(const Type *type) { return type->is_integer(); }

/// NumPy's search through the loops of a ufunc.
const Type *find_loop(const Row &row, Operands operands, Form form) {
  constexpr ScalarId kOrder[] = {ScalarId::Bool,    ScalarId::Int8,      ScalarId::UInt8,
                                 ScalarId::Int16,   ScalarId::UInt16,    ScalarId::Int32,
                                 ScalarId::UInt32,  ScalarId::Int64,     ScalarId::UInt64,
                                 ScalarId::Float16, ScalarId::BFloat16,  ScalarId::Float32,
                                 ScalarId::Float64, ScalarId::Complex64, ScalarId::Complex128};
  static_assert(std::size(kOrder) == kScalarCount);
  const bool is_mixed =
      form == Form::Numba && any(operands, is_integer) && any(operands, is_inexact);
  for (ScalarId id : kOrder) {
    const Type *loop = types::scalar(id);
    // Of small integers NumPy makes float16 here. Outside of kernels there is none.
    if (is_half(loop) && !any(operands, is_half))
      continue;
    if (lowering(row, loop->cls()).empty())
      continue;
    bool safe = true;
    for (const Type *type : operands)
      safe = safe &&
             (promote(type, loop) == loop || (is_mixed && type->is_integer() && is_inexact(loop)));
    if (safe)
      return loop;
  }
  return nullptr;
}

std::optional<Signature> resolve_numpy(const Row &row, Operands operands, Form form) {
  if (row.rule == Rule::Select)
    return resolve_python(row, operands);
  if (row.rule == Rule::Compare || row.rule == Rule::Equality)
    if (auto mixed = mixed_comparison(operands))
      return mixed;
  if (row.boolean == "none" && form == Form::NumPy && !any(operands, is_not_bool))
    return std::nullopt;
  const bool by_first = row.rule == Rule::FloatByInteger;
  const Type *loop = find_loop(row, by_first ? operands.first(1) : operands, form);
  if (!loop && row.rule != Rule::Logical)
    return std::nullopt;
  switch (row.rule) {
  case Rule::Compare:
  case Rule::Equality:
  case Rule::FloatTest: return giving(loop, types::boolean());
  case Rule::Abs:
  case Rule::Real: return giving(loop, part_of(loop));
  case Rule::TrueDiv:
    return same(any(operands, is_inexact) || form == Form::Numba ? loop : types::float64());
  case Rule::BitCount: return giving(loop, types::scalar(ScalarId::UInt8));
  case Rule::FloatToInt: return giving(loop, types::int64());
  case Rule::FloatByInteger:
    if (is_inexact(operands[1]) || operands[1]->is(ScalarId::UInt64))
      return std::nullopt;
    return Signature{loop, loop, types::int64()};
  case Rule::Logical:
  case Rule::ToInt:
  case Rule::Complex:
  case Rule::ToComplex:
  case Rule::Float64: return resolve_python(row, operands);
  default: return same(loop);
  }
}

} // namespace

const Row &row(OpId id) { return kRows[static_cast<size_t>(id)]; }
std::span<const Row> rows() { return kRows; }

const Row *by_operator(Operator op) { return names().by_operator[static_cast<size_t>(op)]; }

const Row *by_name(std::string_view qualified) {
  auto found = names().qualified.find(std::string(qualified));
  return found == names().qualified.end() ? nullptr : found->second;
}

const Row *by_printed_name(std::string_view name) {
  auto found = names().printed.find(name);
  return found == names().printed.end() ? nullptr : found->second;
}

std::optional<Signature> resolve(const Row &row, Operands operands, Form form) {
  if (static_cast<int>(operands.size()) != row.arity)
    return std::nullopt;
  for (const Type *type : operands)
    if (!type->is_scalar())
      return std::nullopt;
  if (form == Form::Python)
    return if_lowered(row, resolve_python(row, operands));
  if (form == Form::NumbaOperator) { // complex numbers have an order as elements only
    if (auto signature = if_lowered(row, resolve_python(row, operands)))
      return signature;
    form = Form::Numba;
  }
  return if_lowered(row, resolve_numpy(row, operands, form));
}

const Type *promote(const Type *a, const Type *b) {
  if (a == b)
    return a;
  if (a->cls() > b->cls())
    std::swap(a, b);
  // From here on a's class is at most b's: Bool < Signed < Unsigned < Float < Complex.
  if (a->is_bool())
    return b;
  if (is_half(a) && is_half(b))
    return float_of(false);
  if (a->cls() == b->cls())
    return a->bits() > b->bits() ? a : b;
  if (b->is_unsigned()) { // a is signed
    if (a->bits() > b->bits())
      return a;
    return b->bits() == 64 ? types::float64() : signed_of_bits(b->bits() * 2);
  }
  if (is_half(b) && !is_beyond_half(a))
    return b;
  // b is a float or complex: single precision holds integers of at most 16 bits.
  const bool fits_single = a->is_integer() ? a->bits() <= 16 : !is_wide(a);
  const bool wide = is_wide(b) || !fits_single;
  return b->is_complex() ? complex_of(wide) : float_of(wide);
}

// Measured with Numba 0.68: unification of two scalar types is NumPy's promotion for every pair.
const Type *unify_scalars(const Type *a, const Type *b) { return promote(a, b); }

Conversion conversion(const Type *from, const Type *to) {
  if (from == to)
    return Conversion::Exact;
  if (from->is_complex() && !to->is_complex())
    return Conversion::None;
  const bool wider = from->cls() == to->cls() && from->bits() < to->bits();
  if (wider)
    return Conversion::Promote;
  const bool to_single = to->is(ScalarId::Float32) || to->is(ScalarId::Complex64);
  return promote(from, to) == to && !(to_single && is_wide(from)) ? Conversion::Safe
                                                                  : Conversion::Unsafe;
}

} // namespace numjit::scalar
