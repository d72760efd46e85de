// Lowerings that scalar_ops.def writes as a formula over other rows of the table:
//
//   expr:t = x * pi; t == 0 ? 1 : sin(t) / t
//
// x, y, z are the operands; `name = value;` in front names a value. A function is a row by its
// printed name, or `libm.NAME`; `result(v)` casts to the type of the result; `at(s, d)` is the
// number s in single and d in double precision. Constants: pi e ln2 log2e log10e inf nan, and
// numbers. Operators as in C, from the loosest: ?: | ^ & comparisons, + -, * /, - !. A comparison
// binds more tightly than `&`. `1` beside a complex number is 1 + 0i.
#pragma once

#include "codegen/emit/lowering_functions.h"

#include <memory>

namespace numjit::codegen {

/// A formula, parsed. Throws InternalError if the text is wrong.
class ScalarExpression {
public:
  struct Node;

  explicit ScalarExpression(std::string_view text);
  ScalarExpression(ScalarExpression &&) noexcept;
  ~ScalarExpression();

  Leaves emit(const ScalarCall &call) const;

private:
  std::unique_ptr<const Node> root_;
};

} // namespace numjit::codegen
