#include "typeinfer/infer/emitter.h"

#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/unify.h"
#include "typeinfer/types/frozen.h"
#include "typeinfer/types/function_values.h"

#include <algorithm>
#include <array>
#include <optional>

namespace numjit {

using tir::Op;

// --- leaving ---

void Emitter::fail_as(const std::string &cls, const std::string &message,
                      const std::string &hint) const {
  throw CompileError(cls, message, {Blame{def, position, {}}}, hint);
}

void Emitter::fail(const std::string &message, const std::string &hint) const {
  fail_as("TypingError", message, hint);
}

void Emitter::fail_at(Position where, const std::string &message, const std::string &hint) const {
  throw CompileError("TypingError", message, {Blame{def, where.known() ? where : position, {}}},
                     hint);
}

// --- constants ---

Operand Emitter::constant(const Const *value) {
  Fact fact = fact_of(value);
  if (value->is_object(ObjectKind::Code)) // where nonlocals.cpp has not replaced it
    fail_as("UnsupportedError",
            "inner function '" + value->object->short_name() +
                "' assigns a variable of the function around it (nonlocal), so it can only be "
                "called by its name",
            "return the new value, or use a list of one item");
  if (!fact.type) {
    const std::string name = to_string(*value);
    const bool builtin = name.starts_with("builtins.") || name.starts_with("_io.");
    fail("cannot determine Numba type of " + name,
         builtin ? "it is not compiled: call it outside, or in a block of object mode"
                 : "only numbers, strings, tuples, arrays, frozen dataclasses, functions and "
                   "modules can be used as constants");
  }
  return {fact.type, fact.constant, nullptr, position};
}

Operand Emitter::i64(int64_t value) {
  return {types::int64(), constants::integer(value), nullptr, position};
}
Operand Emitter::boolean(bool value) {
  return {types::boolean(), constants::boolean(value), nullptr, position};
}
Operand Emitter::f64(double value) {
  return {types::float64(), constants::floating(value), nullptr, position};
}
Operand Emitter::none() { return {types::none(), constants::none(), nullptr, position}; }

Operand Emitter::null_owner() {
  return finish(types::owner(), dry() ? nullptr : append(Op::Const, types::owner()));
}

Operand Emitter::unit(const Type *type) { return {type, nullptr, nullptr, position}; }

Operand Emitter::undef(const Type *type) {
  if (type->kind == Kind::Function)
    return unit(type);
  if (type->kind == Kind::Owner)
    return null_owner(); // it may be released
  if (type->counted) {
    Operands fields;
    for (const Type *field : type->fields)
      fields.push_back(undef(field));
    return make(type, fields);
  }
  return finish(type, dry() ? nullptr : append(Op::Undef, type));
}

Operand Emitter::null_pointer(const Type *to) {
  const Type *pointer = types::pointer(to);
  return finish(pointer, dry() ? nullptr : append(Op::Const, pointer));
}

Operand Emitter::address(const void *address, const Type *to) {
  Operand pointer = null_pointer(to);
  if (!dry())
    pointer.value->integer = reinterpret_cast<int64_t>(address);
  return pointer;
}

Operand Emitter::address(const Reference *of, const Type *to) {
  Operand pointer = null_pointer(to);
  if (!dry())
    pointer.value->refer_to(of);
  return pointer;
}

Operand Emitter::bytes(std::string_view content) {
  const Type *type = types::pointer(types::scalar(ScalarId::UInt8));
  if (dry())
    return finish(type, nullptr);
  tir::Value *value = append(Op::Bytes, type);
  for (const char c : content)
    for (const int shift : {4, 0})
      value->name += "0123456789abcdef"[static_cast<uint8_t>(c) >> shift & 15];
  return finish(type, value);
}

tir::Value *Emitter::code(const Operand &operand) {
  if (dry())
    return nullptr;
  if (operand.value)
    return operand.value;
  const Type *type = operand.type;
  const Const *c = operand.constant;
  if (c && (type->is_time() || type->kind == Kind::Enum)) {
    tir::Value *number = code(field(operand, 0));
    return append(Op::Struct, type, {number});
  }
  if (c && is_frozen(type)) {
    if (engine.module.target == tir::Target::Cuda)
      fail("No implementation of function for a " + type->text + ", in a kernel",
           "make it a tuple or an array");
    Operand owner = null_owner();
    owner.value->refer_to(references::make(references::memory, {}, c));
    return code(make(type, {owner}));
  }
  if (c && type->kind == Kind::LiteralDict) {
    Operands items;
    for (size_t i = 0; i < type->fields.size(); ++i)
      items.push_back(field(operand, static_cast<int>(i)));
    return code(make(type, items));
  }
  if (c && c->is_object(ObjectKind::Record)) { // kept alive by the compiled function
    Operand owner = null_owner();
    owner.value->integer = reinterpret_cast<int64_t>(c->object->handle) | 1;
    return code(make(type, {address(c->object->data, types::scalar(ScalarId::UInt8)), owner}));
  }
  if (type->is_scalar()) {
    if (!c)
      throw InternalError("operand of type " + type->text + " has no code");
    tir::Value *value = append(Op::Const, type);
    switch (type->cls()) {
    case ScalarClass::Bool:
    case ScalarClass::Signed:
    case ScalarClass::Unsigned:
      value->integer = c->kind == ConstKind::Float ? static_cast<int64_t>(c->real) : c->integer;
      value->nonneg = value->integer >= 0;
      break;
    case ScalarClass::Float:
    case ScalarClass::Complex:
      value->real = c->kind == ConstKind::Int || c->kind == ConstKind::Bool
                        ? (c->is_unsigned ? static_cast<double>(static_cast<uint64_t>(c->integer))
                                          : static_cast<double>(c->integer))
                        : c->real;
      value->imag = c->imag;
    }
    return value;
  }
  if ((type->is_tuple() || type->kind == Kind::Struct) && c) {
    std::vector<tir::Value *> items;
    for (size_t i = 0; i < c->items.size(); ++i)
      items.push_back(code(convert(constant(c->items[i]), type->params[i])));
    tir::Value *value = append(Op::Struct, type);
    value->operands = std::move(items);
    return value;
  }
  if (type->is_array() && c)
    return code(global_array(*c));
  if (type->kind == Kind::Slice && c) {
    std::vector<tir::Value *> parts; // those that are not None
    for (const Const *part : c->items)
      if (!part->is_none())
        parts.push_back(code(constant(part)));
    tir::Value *value = append(Op::Struct, type);
    value->operands = std::move(parts);
    return value;
  }
  if (type->kind == Kind::Bytes && c)
    return code(
        make(type, {bytes(c->text), null_owner(), i64(static_cast<int64_t>(c->text.size()))}));
  if (layout_of(type).leaves.empty()) { // a closure whose captured functions capture nothing
    std::vector<tir::Value *> parts;
    for (const Type *field : type->fields)
      parts.push_back(code(unit(field)));
    tir::Value *value = append(Op::Struct, type);
    value->operands = std::move(parts);
    return value;
  }
  throw InternalError("operand of type " + type->text + " has no code");
}

/// A global array: its memory is known now and kept alive by the compiled function.
Operand Emitter::global_array(const Const &c) {
  const ArrayData &array = *c.object->array;
  const Type *type = fact_of(&c).type;
  Operands shape, strides;
  for (int64_t n : array.shape)
    shape.push_back(i64(n));
  for (int64_t n : array.strides)
    strides.push_back(i64(n));
  if (engine.module.target == tir::Target::Cuda) {
    int64_t bytes = layout_of(type->dtype()).size;
    const void *items = contiguous_items(array, bytes);
    if (array.layout == 'A') {
      int64_t step = bytes;
      for (size_t i = strides.size(); i-- > 0; step *= array.shape[i])
        strides[i] = i64(step);
    }
    for (int64_t n : array.shape)
      bytes *= n;
    const Operand from[]{address(items, type->dtype())};
    Operand data = device(tir::DeviceOp::Constant, types::pointer(type->dtype()), from,
                          std::max<int64_t>(bytes, 1));
    return make_array(*this, type, data, null_owner(), shape, strides);
  }
  // The owner is the ndarray itself, tagged as foreign (runtime.h), so that views of it may leave.
  Operand owner = null_owner();
  if (!dry())
    owner.value->refer_to(references::make(references::owner, {}, &c));
  const Reference *data = references::make(references::array_data, {}, &c);
  return make_array(*this, type, address(data, type->dtype()), owner, shape, strides);
}

// --- scalars ---

namespace {

bool plain_int(const Operand &a) {
  return a.constant && a.constant->kind == ConstKind::Int && !a.constant->big &&
         a.type->is(ScalarId::Int64);
}
bool plain_bool(const Operand &a) {
  return a.constant && a.constant->kind == ConstKind::Bool && a.type->is_bool();
}

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

// --- conversions ---

Operand Emitter::cast(const Operand &a, const Type *to) {
  if (a.type == to)
    return a;
  if (a.type->kind == Kind::Optional || (a.type->kind == Kind::Enum && a.type->unit))
    return cast(unwrap(a), to);
  if (a.type->is_time() && to->is_time())
    return convert(a, to);
  if (a.type->kind == Kind::Timedelta && to->is(ScalarId::Int64))
    return field(a, 0);
  if ((!a.type->is_scalar() && a.type->kind != Kind::None) || to->is_time())
    fail("cannot convert " + a.type->text + " to " + to->text);
  if (!a.type->is_scalar() || !to->is_scalar())
    throw InternalError("cast of " + a.type->text + " to " + to->text);
  // Small constants keep their value through the cast, so folding goes on behind it.
  if (plain_int(a) && (to->is_float() || to->is_complex()))
    return {to, constants::floating(static_cast<double>(a.constant->integer)), nullptr, a.position};
  if (dry())
    return finish(to, nullptr);
  tir::Value *from = code(a);
  tir::Value *value = append(Op::Cast, to, {from});
  if (to->is_integer() && a.type->is_integer()) // a narrower one may wrap around
    value->nonneg = a.type->is_unsigned() ? a.type->bits() < to->bits()
                                          : from->nonneg && a.type->bits() <= to->bits();
  return finish(to, value);
}

/// A function, or a choice of fewer, as one of the functions of the choice `to`.
static Operand choose_function(Emitter &e, const Operand &a, const Type *to) {
  const bool many = a.type->kind == Kind::Choice;
  const std::vector<const Type *> given = many ? a.type->params : std::vector<const Type *>{a.type};
  Operand which;
  for (size_t i = given.size(); i-- > 0;) {
    auto found = std::find(to->params.begin(), to->params.end(), given[i]);
    if (found == to->params.end())
      e.fail("cannot convert " + a.type->text + " to " + to->text);
    Operand place = e.i64(found - to->params.begin());
    which = which ? e.select(e.op(Operator::Eq, e.field(a, 0), e.i64(static_cast<int64_t>(i))),
                             place, which)
                  : place;
  }
  Operands fields{which};
  for (const Type *function : to->params) {
    auto found = std::find(given.begin(), given.end(), function);
    fields.push_back(found == given.end() ? e.undef(function)
                     : many               ? e.field(a, static_cast<int>(found - given.begin()) + 1)
                                          : a);
  }
  return e.make(to, fields);
}

Operand Emitter::convert(const Operand &a, const Type *to) {
  const Type *from = a.type;
  if (from == to)
    return a;
  if (from->is_scalar() && to->is_scalar())
    return cast(a, to);
  if (to->kind == Kind::Maybe) {
    if (from->kind == Kind::Undefined)
      return make(to, {boolean(false), undef(to->params[0])});
    if (from->kind == Kind::Maybe)
      return make(to, {field(a, 0), convert(field(a, 1), to->params[0])});
    return make(to, {boolean(true), convert(a, to->params[0])});
  }
  if (to->kind == Kind::Optional) {
    if (from->kind == Kind::None)
      return make(to, {boolean(false), undef(to->params[0])});
    if (from->kind == Kind::Optional)
      return make(to, {field(a, 0), convert(field(a, 1), to->params[0])});
    return make(to, {boolean(true), convert(a, to->params[0])});
  }
  if (from->kind == Kind::Optional)
    return convert(unwrap_optional(a), to);
  if (from->kind == Kind::String && to->kind == Kind::Unicode)
    return literal_text(*this, from->constant->text);
  if (from->kind == Kind::Enum && from->unit && to->is_scalar())
    return cast(unwrap(a), to);
  if (from->is_time() && to->is_time() && type_conversion(from, to) != scalar::Conversion::None)
    return library("numjit.convert_time", {a, unit(types::dtype(to))});
  if (from->kind == Kind::Struct && to->kind == Kind::Struct && from->constant == to->constant) {
    Operands items;
    for (size_t i = 0; i < from->params.size(); ++i)
      items.push_back(convert(field(a, static_cast<int>(i)), to->params[i]));
    return make(to, items);
  }
  if (from->is_array() && to->is_array() && type_conversion(from, to) != scalar::Conversion::None) {
    if (type_conversion(from, to) == scalar::Conversion::None)
      fail("cannot convert " + from->text + " to " + to->text +
               ": their memory is laid out differently",
           "take a copy() of the one, or start from a strided array");
    Operands shape, strides;
    for (int i = 0; i < from->ndim; ++i) {
      shape.push_back(array_shape(*this, a, i));
      strides.push_back(array_stride(*this, a, i));
    }
    return make_array(*this, to, field(a, 0), field(a, 1), shape, strides);
  }
  if (from->is_tuple() && to->is_tuple() && from->params.size() == to->params.size()) {
    Operands items;
    for (size_t i = 0; i < from->params.size(); ++i)
      items.push_back(convert(field(a, static_cast<int>(i)), to->params[i]));
    return make(to, items);
  }
  if (from->kind == Kind::Range && to->kind == Kind::Range)
    return make(to, {convert(field(a, 0), to->params[0]), convert(field(a, 1), to->params[0]),
                     convert(field(a, 2), to->params[0])});
  if (to->kind == Kind::Choice && from->is_function())
    return choose_function(*this, a, to);
  if (from->is_function() && function_maker(to))
    return call_function(*this, *function_maker(to)->object->function, {}, {{a}, {}});
  if (from->kind == Kind::Lazy)
    return convert(force(*this, a), to);
  fail("cannot convert " + from->text + " to " + to->text);
}

Operand Emitter::unliteral(const Operand &a) {
  const Type *type = numjit::unliteral(a.type);
  return type == a.type ? a : convert(a, type);
}

Operand Emitter::truth(const Operand &a) {
  const Const *c = a.constant;
  if (c) {
    switch (c->kind) {
    case ConstKind::None: return boolean(false);
    case ConstKind::Bool:
    case ConstKind::Int: return boolean(c->integer != 0 || c->big);
    case ConstKind::Float: return boolean(c->real != 0);
    case ConstKind::Str:
    case ConstKind::Bytes: return boolean(!c->text.empty());
    case ConstKind::Tuple:
      if (c->is_tuple())
        return boolean(!c->items.empty());
      break;
    default: break;
    }
  }
  switch (a.type->kind) {
  case Kind::Scalar: return cast(a, types::boolean());
  case Kind::Datetime:
  case Kind::Timedelta: return op(Operator::Ne, field(a, 0), i64(0));
  case Kind::Enum: // a member is true, unless it is an int
    return a.type->unit ? truth(unwrap(a)) : boolean(true);
  case Kind::Record: return boolean(true);
  case Kind::Struct:
  case Kind::Instance:
    if (Operand result; call_class_method(*this, a, "__bool__", {}, result))
      return truth(result);
    if (Operand length; call_class_method(*this, a, "__len__", {}, length))
      return truth(length);
    break;
  case Kind::None: return boolean(false);
  case Kind::String: return boolean(!a.type->constant->text.empty());
  case Kind::Unicode:
  case Kind::Bytes: return op(Operator::Ne, field(a, 2), i64(0));
  case Kind::Tuple:
  case Kind::NamedTuple:
  case Kind::LiteralDict:
  case Kind::LiteralList: return boolean(!a.type->params.empty());
  case Kind::Function:
  case Kind::Closure:
  case Kind::Choice:
  case Kind::Method:
  case Kind::DType:
  case Kind::Module: return boolean(true);
  case Kind::Optional:
    return choose(
        field(a, 0), [&] { return truth(field(a, 1)); }, [&] { return boolean(false); });
  default: break;
  }
  const std::string kind(kind_name(a.type));
  if (const std::string method = kind + ".__bool__"; engine.host.library(method))
    return truth(library(method, {a}));
  if (const std::string method = kind + ".__len__"; engine.host.library(method)) {
    Operands one{a};
    return truth(find_builtin("builtins.len")->rule(*this, one));
  }
  for (const char *name : {"builtins.bool", "builtins.len"})
    if (engine.host.has_overloads(name)) {
      Operand result;
      CallArguments self{{a}, {}};
      if (call_overload(*this, name, self, result))
        return truth(result);
    }
  return boolean(true); // objects without a length are true
}

Operand Emitter::unwrap(const Operand &a) {
  if (a.type->kind == Kind::Enum && a.type->unit)
    return a.constant ? constant(a.constant->object->value) : field(a, 0);
  if (a.type->kind != Kind::Optional)
    return a;
  if (a.type->params[0]->kind == Kind::Enum && a.type->params[0]->unit)
    return unwrap(unwrap_optional(a));
  return unwrap_optional(a);
}

Operand Emitter::unwrap_optional(const Operand &a) {
  raise_if(logical_not(field(a, 0)), "TypeError",
           "expected " + a.type->params[0]->text + ", got None");
  return field(a, 1);
}

Operand Emitter::assigned(const Operand &a, const std::string &variable) {
  if (a.type->kind == Kind::Undefined)
    fail("variable '" + variable + "' is used before it is assigned", "assign it on every path");
  if (a.type->kind != Kind::Maybe)
    return a;
  raise_if(logical_not(field(a, 0)), "UnboundLocalError",
           "cannot access local variable '" + variable +
               "' where it is not associated with a value");
  return field(a, 1);
}

// --- struct-like values ---

Operand Emitter::make(const Type *type, std::span<const Operand> fields) {
  if (fields.size() != type->fields.size())
    throw InternalError("wrong number of fields for " + type->text);
  Operands converted;
  for (size_t i = 0; i < fields.size(); ++i)
    converted.push_back(convert(fields[i], type->fields[i]));
  if (dry())
    return finish(type, nullptr);
  std::vector<tir::Value *> codes;
  for (const Operand &a : converted)
    codes.push_back(code(a));
  tir::Value *value = append(Op::Struct, type);
  value->operands = std::move(codes);
  return finish(type, value);
}

Operand Emitter::field(const Operand &a, int index) {
  const Type *type = a.type->fields.at(index);
  if (a.constant && a.type->is_time())
    return i64(a.constant->integer);
  if (a.constant && a.type->kind == Kind::Enum) // of an int the value, else the place
    return a.type->unit ? convert(constant(a.constant->object->value), type)
                        : i64(a.constant->object->number);
  if (a.constant && (a.type->is_tuple() || a.type->kind == Kind::Struct)) {
    Operand item = constant(a.constant->items[index]);
    return item.type == type ? item : convert(item, type);
  }
  if (a.constant && a.type->kind == Kind::LiteralDict) {
    Operand item = constant(a.constant->object->members[index].second);
    return item.type == type ? item : convert(item, type);
  }
  if (type->kind == Kind::None)
    return none();
  if (type->kind == Kind::Function || type->kind == Kind::DType || type->kind == Kind::String)
    return unit(type);
  if (dry())
    return finish(type, nullptr);
  tir::Value *from = code(a);
  if (from->op == Op::Struct)
    return finish(type, from->operands[index]);
  tir::Value *value = append(Op::Field, type, {from});
  value->index = index;
  return finish(type, value);
}

Operand Emitter::field_at(const Operand &a, const Operand &index) {
  if (index.constant)
    return field(a, static_cast<int>(index.constant->integer));
  const Type *type = a.type->params[0];
  if (dry())
    return finish(type, nullptr);
  tir::Value *from = code(a), *at = code(index);
  return finish(type, append(Op::FieldAt, type, {from, at}));
}

/// What arrays that users see as of one type have in common, if not all are of it; else nullptr.
static const Type *common_view(std::span<const Operand> items) {
  const Type *common = nullptr;
  for (const Operand &a : items) {
    if (!a.type->is_array() || a.type->text != items[0].type->text)
      return nullptr;
    common = common ? unify(common, a.type) : a.type;
  }
  return common;
}

Operand Emitter::tuple(std::span<const Operand> items) {
  const Type *common = common_view(items);
  if (common && std::ranges::any_of(items, [&](const Operand &a) { return a.type != common; })) {
    Operands views;
    for (const Operand &a : items)
      views.push_back(convert(a, common));
    return tuple(views);
  }
  std::vector<const Type *> item_types;
  std::vector<const Const *> item_constants;
  for (const Operand &a : items) {
    item_types.push_back(a.type);
    const Const *c = a.constant;
    if (c && c->kind != ConstKind::Object && (!c->scalar.empty() || fact_of(c).type == a.type))
      item_constants.push_back(c);
  }
  const Type *type = types::tuple(std::move(item_types));
  if (item_constants.size() == items.size())
    return {type, constants::tuple(std::move(item_constants)), nullptr, position};
  return make(type, items);
}

// --- memory ---

Operand Emitter::ptr_add(const Operand &pointer, const Operand &bytes, const Type *to) {
  const Type *type = types::pointer(to);
  if (dry())
    return finish(type, nullptr);
  tir::Value *base = code(pointer), *offset = code(bytes);
  return finish(type, append(Op::PtrAdd, type, {base, offset}));
}

Operand Emitter::load(const Operand &pointer, tir::Alias alias, bool take) {
  const Type *type = pointer.type->params[0];
  if (dry())
    return finish(type, nullptr);
  tir::Value *value = append(Op::Load, type, {code(pointer)});
  value->alias = alias;
  value->index = take ? 2 : 0;
  return finish(type, value);
}

void Emitter::store(const Operand &pointer, const Operand &value, tir::Alias alias) {
  Operand converted = convert(value, pointer.type->params[0]);
  if (dry())
    return;
  tir::Value *to = code(pointer), *what = code(converted);
  append(Op::Store, types::none(), {to, what})->alias = alias;
}

Operand Emitter::alloc(const Operand &bytes, bool zeroed) {
  if (dry())
    return finish(types::owner(), nullptr);
  tir::Value *value = append(Op::Alloc, types::owner(), {code(bytes)});
  value->index = zeroed;
  return finish(types::owner(), value);
}

Operand Emitter::owner_data(const Operand &owner, const Type *to) {
  const Type *type = types::pointer(to);
  return finish(type, dry() ? nullptr : append(Op::OwnerData, type, {code(owner)}));
}

Operand Emitter::pointer_bits(const Operand &a) {
  return finish(types::int64(), dry() ? nullptr : append(Op::PtrToInt, types::int64(), {code(a)}));
}

void Emitter::copy(const Operand &to, const Operand &from, const Operand &bytes) {
  if (dry())
    return;
  tir::Value *a = code(to), *b = code(from), *c = code(bytes);
  append(Op::Copy, types::none(), {a, b, c});
}

/// Leaves of a value in 8-byte slots, as runtime.h wants arguments; gives the slots used.
int Emitter::store_slots(const Operand &slots, int slot, const Operand &a) {
  auto put = [&](const Operand &value) {
    store(ptr_add(slots, i64(8 * slot), value.type), value, tir::Alias::Stack);
    ++slot;
  };
  if (a.type->is_complex()) {
    for (const char *part : {"numpy.real", "numpy.imag"}) {
      std::array<Operand, 1> one{a};
      put(scalar(*scalar::by_name(part), one, scalar::Form::NumPy));
    }
  } else if (a.type->is_scalar()) {
    const bool widen = a.type->is_signed() || a.type->is_bool();
    put(a.type->is_float() ? a : cast(a, widen ? types::int64() : types::uint64()));
  } else if (a.type->kind == Kind::Pointer || a.type->kind == Kind::Owner) {
    put(a);
  } else {
    for (size_t i = 0; i < a.type->fields.size(); ++i)
      slot = store_slots(slots, slot, field(a, static_cast<int>(i)));
  }
  return slot;
}

Operand Emitter::stack_alloc(int64_t bytes, const Type *to, bool outlives_call) {
  const Type *type = types::pointer(to);
  if (dry())
    return finish(type, nullptr);
  tir::Value *value = append(Op::StackAlloc, type);
  value->integer = bytes;
  value->index = outlives_call;
  return finish(type, value);
}

Operand Emitter::make_complex(const Type *type, const Operand &real, const Operand &imag) {
  std::array<Operand, 2> parts{real, imag};
  return cast(scalar(*scalar::by_name("numjit.complex"), parts, scalar::Form::Python), type);
}

Operand Emitter::runtime(tir::RuntimeOp op, const Type *result, std::span<const Operand> operands) {
  if (engine.module.target == tir::Target::Cuda)
    fail("No implementation of function for this operation in a kernel: it needs the runtime of "
         "the processor (" +
         std::string(tir::runtime_op_row(op).symbol) + ")");
  if (dry())
    return finish(result, nullptr);
  std::vector<tir::Value *> codes;
  for (const Operand &a : operands)
    codes.push_back(code(a));
  tir::Value *value = append(Op::CallRuntime, result);
  value->runtime_op = op;
  value->operands = std::move(codes);
  if (tir::runtime_op_row(op).raises)
    protect(*value);
  return finish(result, value);
}

// --- control flow ---

void Emitter::if_(const Operand &condition, const std::function<void()> &then,
                  const std::function<void()> &otherwise, int likely) {
  if (plain_bool(condition)) {
    if (condition.constant->integer)
      then();
    else if (otherwise)
      otherwise();
    return;
  }
  if (dry()) {
    then();
    if (otherwise)
      otherwise();
    return;
  }
  tir::Block *yes = new_block(), *no = otherwise ? new_block() : nullptr, *end = new_block();
  branch(code(condition), yes, no ? no : end, likely);
  block = yes;
  then();
  if (!terminated())
    jump(end);
  if (no) {
    block = no;
    otherwise();
    if (!terminated())
      jump(end);
  }
  block = end;
}

Operand Emitter::choose(const Operand &condition, const std::function<Operand()> &then,
                        const std::function<Operand()> &otherwise) {
  if (plain_bool(condition))
    return condition.constant->integer ? then() : otherwise();
  if (dry()) {
    Operand a = then(), b = otherwise();
    const Type *type = unify(a.type, b.type);
    if (!type)
      fail("Cannot unify " + a.type->text + " and " + b.type->text);
    convert(a, type), convert(b, type);
    return finish(type, nullptr);
  }
  // The type of the second side is only known after its code exists, so conversions are appended
  // later.
  tir::Block *yes = new_block(), *no = new_block(), *end = new_block();
  branch(code(condition), yes, no);
  block = yes;
  Operand a = then();
  tir::Block *yes_end = block;
  block = no;
  Operand b = otherwise();
  tir::Block *no_end = block;
  const Type *type = unify(a.type, b.type);
  block = yes_end;
  tir::Value *left = code(convert(a, type));
  jump(end);
  block = no_end;
  tir::Value *right = code(convert(b, type));
  jump(end);
  block = end;
  tir::Value *phi = append(Op::Phi, type, {left, right});
  phi->nonneg = left->nonneg && right->nonneg;
  return finish(type, phi);
}

void Emitter::loop(const Operand &count, const std::function<void(const Operand &)> &body) {
  if (dry()) {
    body({types::int64(), nullptr, nullptr, position});
    return;
  }
  tir::Value *limit = code(count);
  tir::Value *zero = code(i64(0)), *one = code(i64(1));
  tir::Block *header = new_block(), *inside = new_block(), *end = new_block();
  jump(header);
  block = header;
  tir::Value *i = append(Op::Phi, types::int64(), {zero});
  i->nonneg = true;
  tir::Value *more = append(Op::Scalar, types::boolean(), {i, limit});
  more->scalar_op = scalar::by_operator(Operator::Lt)->id;
  branch(more, inside, end);
  block = inside;
  body(finish(types::int64(), i));
  tir::Value *next = append(Op::IndexAdd, types::int64(), {i, one});
  next->nonneg = true;
  jump(header);
  i->operands.push_back(next);
  block = end;
}

const tir::RaiseSite *Emitter::new_site(tir::RaiseSite site) {
  return &engine.module.sites.emplace_back(std::move(site));
}

void Emitter::raise(const std::string &cls, const std::string &message) {
  if (dry())
    return;
  tir::RaiseSite site;
  site.builtin = cls;
  site.message = message;
  site.has_message = !message.empty();
  append(Op::Raise, types::none())->site = new_site(std::move(site));
  block = new_block(); // what follows is never executed
}

void Emitter::raise_if(const Operand &condition, const std::string &cls,
                       const std::string &message) {
  if (!plain_bool(condition)) {
    if (dry())
      return;
    tir::Block *bad = new_block(), *good = new_block();
    branch(code(condition), bad, good, 2);
    block = bad;
    raise(cls, message);
    block = good;
  } else if (condition.constant->integer) {
    raise(cls, message);
  }
}

void Emitter::raise_if(const Operand &condition, const std::string &cls, const std::string &format,
                       std::span<const Operand> values) {
  if (dry() || (plain_bool(condition) && !condition.constant->integer))
    return;
  tir::Block *bad = new_block(), *good = new_block();
  branch(code(condition), bad, good, 2);
  block = bad;
  std::vector<tir::Value *> arguments;
  for (const Operand &value : values)
    arguments.push_back(code(value));
  tir::RaiseSite site;
  site.builtin = cls;
  site.message = format;
  site.has_message = true;
  tir::Value *raised = append(Op::Raise, types::none());
  raised->operands = std::move(arguments);
  raised->site = new_site(std::move(site));
  block = good;
}

void Emitter::raise_exception(const Operand &exception, const Operand &cause) {
  if (dry())
    return;
  if (exception.type == types::caught_exception()) {
    std::array<Operand, 1> caught{field(exception, 0)};
    runtime(tir::RuntimeOp::RaiseCaught, types::none(), caught);
    append(Op::Reraise, types::none());
    block = new_block();
    return;
  }
  tir::RaiseSite site;
  site.cls = exception.type->constant;
  std::vector<tir::Value *> arguments;
  if (exception.type->kind == Kind::Exception)
    for (size_t i = 0; i < exception.type->fields.size(); ++i)
      arguments.push_back(code(field(exception, static_cast<int>(i))));
  if (cause) {
    site.has_cause = true;
    arguments.push_back(code(cause));
  }
  tir::Value *value = append(Op::Raise, types::none());
  value->operands = std::move(arguments);
  value->site = new_site(std::move(site));
  block = new_block();
}

// --- calls ---

Operand Emitter::library(const LibraryKey &key, std::span<const Operand> arguments) {
  const Builtin *row = key.is_plain() ? find_builtin(key.name) : nullptr;
  if (row) {
    Operands given(arguments.begin(), arguments.end());
    return row->rule(*this, given);
  }
  FunctionDef *callee = engine.host.library(key);
  if (!callee)
    throw InternalError("library function " + text_of(key) + " is missing");
  CallArguments call;
  call.positional.assign(arguments.begin(), arguments.end());
  return call_function(*this, *callee, {}, std::move(call));
}

// --- appending ---

tir::Value *Emitter::append(Op op, const Type *type, std::initializer_list<tir::Value *> operands) {
  tir::Value *value = function->new_value(op, type, position);
  value->operands.assign(operands.begin(), operands.end());
  place(value);
  return value;
}

Operand Emitter::place(tir::Value *value) {
  value->block = block;
  block->values.push_back(value);
  if (value->op != Op::CallRuntime) // of which the row says whether it raises
    protect(*value);
  return finish(value->type, value);
}

void Emitter::protect(const tir::Value &value) {
  if (!handler)
    return;
  auto lead_to = [&](tir::Block *to) {
    block->succs.push_back(to);
    to->preds.push_back(block);
  };
  if (value.op == Op::Raise || value.op == Op::Reraise) {
    lead_to(handler);
  } else if (tir::op_row(value.op).effect == tir::Effect::Raises) {
    tir::Block *next = new_block();
    tir::Value *end = function->new_value(Op::Try, types::none(), position);
    end->block = block;
    block->values.push_back(end);
    lead_to(next);
    lead_to(handler);
    block = next;
  }
}

tir::Block *Emitter::new_block() { return dry() ? nullptr : function->new_block(); }

void Emitter::jump(tir::Block *to) {
  append(Op::Jump, types::none());
  block->succs = {to};
  to->preds.push_back(block);
}

void Emitter::branch(tir::Value *condition, tir::Block *then, tir::Block *otherwise, int likely) {
  append(Op::Branch, types::none(), {condition})->index = likely;
  block->succs = {then, otherwise};
  then->preds.push_back(block);
  otherwise->preds.push_back(block);
}

bool Emitter::terminated() const {
  return !block->values.empty() &&
         tir::op_row(block->values.back()->op).effect == tir::Effect::Terminator;
}

Operand Emitter::finish(const Type *type, tir::Value *value) {
  return {type, nullptr, value, position};
}

} // namespace numjit
