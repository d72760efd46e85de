// The emitters that scalar_ops.def names as fn:NAME, and what they share.
#pragma once

#include "codegen/emit/scalar_lowering.h"

#include <string>
#include <string_view>

namespace numjit::codegen {

using LoweringFunction = Leaves (*)(const ScalarCall &call);

struct LoweringRow {
  std::string_view name;
  LoweringFunction emit;
};

/// The functions of a column: lower_integer.cpp, lower_real.cpp, lower_complex.cpp.
llvm::ArrayRef<LoweringRow> integer_lowerings();
llvm::ArrayRef<LoweringRow> real_lowerings();
llvm::ArrayRef<LoweringRow> complex_lowerings();

/// Calls `name` of libm for doubles and `name`f for floats.
llvm::Value *call_libm(const ScalarCall &call, const std::string &name,
                       llvm::ArrayRef<llvm::Value *> x);
/// A complex function of libm on one or two complex numbers.
Leaves call_complex_libm(const ScalarCall &call, const std::string &name,
                         llvm::ArrayRef<llvm::Value *> x);
/// The same on a GPU, made of real functions: there is no complex libm.
Leaves device_complex_libm(const ScalarCall &call, const std::string &name,
                           llvm::ArrayRef<llvm::Value *> x);
/// x + y whose place in a chain of such additions LLVM may change.
llvm::Value *emit_add_any_order(llvm::IRBuilder<> &b, llvm::Value *x, llvm::Value *y);
/// sqrt(x*x + y*y) without overflow on the way.
llvm::Value *emit_hypot(const ScalarCall &call, llvm::Value *x, llvm::Value *y);

/// base to the power `exponent` >= 1 by squaring and multiplying.
template <class Value, class Multiply>
Value power_by_squaring(Value base, uint64_t exponent, Multiply multiply) {
  Value result = base;
  bool started = false;
  for (;; base = multiply(base, base)) {
    if (exponent & 1) {
      result = started ? multiply(result, base) : base;
      started = true;
    }
    if ((exponent >>= 1) == 0)
      return result;
  }
}

} // namespace numjit::codegen
