// Scalar operations: one row each in scalar_ops.def serves `a + b`, operator.add, np.add,
// np.add.reduce, @vectorize, array fusion, CPU and PTX code. Its rule determines the type that is
// computed in from those of the operands.
#pragma once

#include "frontend/operators.h"
#include "typeinfer/types/types.h"

#include <optional>
#include <span>
#include <string_view>

namespace numjit::scalar {

enum class OpId : uint16_t {
#define NUMJIT_SCALAR_OP(id, ...) id,
#include "typeinfer/ir/scalar_ops.def"
#undef NUMJIT_SCALAR_OP
  Count
};

/// How operand types decide the type computed in and the result type. The Python form (operators
/// and builtins on scalars) follows Numba's rules, where small integers widen; the NumPy form
/// (np.add, and operators on arrays) follows NumPy's promotion.
enum class Rule : uint8_t {
  Arith,    ///< + - *: common type
  TrueDiv,  ///< integers become float64
  FloorDiv, ///< // %: common type, not complex
  Pow,      ///< as Arith, but float32 ** any integer is float32
  Shift,    ///< integers; the left operand decides signedness
  Bitwise,  ///< integers, or bool if all are bool
  Compare,  ///< common type, result bool; not complex
  Equality, ///< as Compare, complex too
  Logical,  ///< every operand to bool, result bool
  Keep,     ///< result is the operand's (NumPy form) or widened (Python form: as Arith)
  Abs,      ///< Keep without widening; of complex numbers their float
  Float,    ///< float function: integers become float64 (NumPy form: float32 for at most 16 bits)
  FloatOrComplex, ///< as Float, complex stays
  FloatTest,      ///< isnan and the like: any number, result bool
  MinMax,         ///< common type without widening; bool stays bool
  Real,      ///< complex or real to its float (real, imag, angle); a real number keeps its type
  ToInt,     ///< float to int64 (math.floor, math.ceil, math.trunc)
  Complex,   ///< computed and returned as a complex number, whatever the operand (cmath)
  ToComplex, ///< floats in, the complex number of them out
  Float64,   ///< at least float64 or complex128 (np.float_power)
  FloatByInteger, ///< operand 0 as in Float, operand 1 to int64 (ldexp)
  FloatToInt,     ///< operand as in Float, result int64 (the exponent of frexp)
  BitCount,       ///< integers; result int64 (NumPy form: uint8)
  Select          ///< a bool, then two of a common type, which is the result's
};

enum class Form : uint8_t {
  NumPy,
  Python,
  /// Ufuncs in Numba: as NumPy, but integers go to any float that they meet, and the quotient of
  /// integers of at most 16 bits is a float32.
  Numba,
  /// Operators between the elements of one expression in Numba: types as in the Python form, no
  /// checks.
  NumbaOperator
};

/// What the Python form raises ZeroDivisionError for, unless the error model is NumPy's. Beyond
/// these nothing is checked, as in Numba: math.sqrt(-1.0) is nan.
enum class Check : uint8_t {
  None,
  DivisionByZero,
  ZeroToNegative ///< 0 ** -1 of integers
};

struct Row {
  OpId id;
  std::string_view name; ///< printed name, unique
  int arity;
  std::optional<Operator> oper; ///< Python operator, if any
  std::string_view
      numpy; ///< names in numpy, separated by spaces ("divide true_divide"), may be empty
  std::string_view
      other; ///< other qualified names, separated by spaces ("math.sin", "builtins.abs")
  Rule rule;
  Check check;
  /// CPU lowerings by the class computed in, see codegen/emit/lowering_table.cpp. Empty: not
  /// defined there; the NumPy form then goes on to the next class, as NumPy does in its list of
  /// loops.
  std::string_view boolean, integer, real, complex;
  std::string_view identity; ///< of the reduction ("0", "1", "" for none)
  int cost;                  ///< of one evaluation, in simple instructions, for fusion
};

const Row &row(OpId id);
std::span<const Row> rows();
const Row *by_operator(Operator op);
/// By qualified name: "numpy.add", "math.sin", "operator.add", "builtins.abs".
const Row *by_name(std::string_view qualified);
const Row *by_printed_name(std::string_view name);

struct Signature {
  const Type *compute = nullptr; ///< every operand is cast to this ...
  const Type *result = nullptr;
  /// ... but those behind operand 0 to this, when set (ldexp; int64 < uint64; select)
  const Type *second = nullptr;

  /// What operand `i` is cast to.
  const Type *operand(size_t i) const { return i > 0 && second ? second : compute; }
};
/// The signature for scalar operand types; nothing if the row has no meaning for them.
std::optional<Signature> resolve(const Row &row, std::span<const Type *const> operands, Form form);

/// NumPy's np.result_type of two scalar types (arrays' dtypes), and Numba's rule for a variable
/// that is assigned values of both types (unification): e.g. int64 and float64 -> float64, int64
/// and uint64 -> float64.
const Type *promote(const Type *a, const Type *b);
const Type *unify_scalars(const Type *a, const Type *b);

/// Quality of an implicit conversion of a scalar, best first, for overload resolution.
enum class Conversion : uint8_t { Exact, Promote, Safe, Unsafe, None };
Conversion conversion(const Type *from, const Type *to);

} // namespace numjit::scalar
