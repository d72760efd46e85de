// The operators of Python, one row each: the frontend emits them, inference resolves them, messages
// print them. (What an operator does to scalars is a row of typeinfer/ir/scalar_ops.def.)
#pragma once

#include <cstdint>
#include <string_view>

namespace numjit {

//  X(id, symbol, name in module `operator`, form)
#define NUMJIT_OPERATORS(X)                                                                        \
  X(Add, "+", "add", Binary)                                                                       \
  X(Sub, "-", "sub", Binary)                                                                       \
  X(Mul, "*", "mul", Binary)                                                                       \
  X(TrueDiv, "/", "truediv", Binary)                                                               \
  X(FloorDiv, "//", "floordiv", Binary)                                                            \
  X(Mod, "%", "mod", Binary)                                                                       \
  X(Pow, "**", "pow", Binary)                                                                      \
  X(LShift, "<<", "lshift", Binary)                                                                \
  X(RShift, ">>", "rshift", Binary)                                                                \
  X(And, "&", "and_", Binary)                                                                      \
  X(Or, "|", "or_", Binary)                                                                        \
  X(Xor, "^", "xor", Binary)                                                                       \
  X(MatMul, "@", "matmul", Binary)                                                                 \
  X(Lt, "<", "lt", Compare)                                                                        \
  X(Le, "<=", "le", Compare)                                                                       \
  X(Eq, "==", "eq", Compare)                                                                       \
  X(Ne, "!=", "ne", Compare)                                                                       \
  X(Gt, ">", "gt", Compare)                                                                        \
  X(Ge, ">=", "ge", Compare)                                                                       \
  X(Is, "is", "is_", Compare)                                                                      \
  X(IsNot, "is not", "is_not", Compare)                                                            \
  X(In, "in", "contains", Compare)                                                                 \
  X(NotIn, "not in", "not_contains", Compare)                                                      \
  X(Neg, "-", "neg", Unary)                                                                        \
  X(Pos, "+", "pos", Unary)                                                                        \
  X(Invert, "~", "invert", Unary)                                                                  \
  X(Not, "not", "not_", Unary)                                                                     \
  X(Truth, "bool", "truth", Unary)

enum class Operator : uint8_t {
#define X(id, symbol, name, form) id,
  NUMJIT_OPERATORS(X)
#undef X
};

enum class OperatorForm : uint8_t { Unary, Binary, Compare };

struct OperatorRow {
  Operator id;
  std::string_view symbol; ///< as in source text
  std::string_view name;   ///< as in module `operator`
  OperatorForm form;
};

const OperatorRow &operator_row(Operator op);

} // namespace numjit
