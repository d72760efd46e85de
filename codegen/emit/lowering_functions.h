// The emitters that scalar_ops.def names as FN(name), and what they share.
#pragma once

#include "codegen/emit/scalar_lowering.h"

#include <string>

namespace numjit::codegen {

using LoweringFunction = Leaves (*)(const ScalarCall &call);

/// Of a column of scalar_ops.def: null where it is a text.
constexpr LoweringFunction function_of(LoweringFunction function) { return function; }
constexpr LoweringFunction function_of(const char *) { return nullptr; }

/// Those of a column, a row each: lower_integer.cpp, lower_real.cpp, lower_complex.cpp.
const LoweringFunction *integer_lowerings();
const LoweringFunction *real_lowerings();
const LoweringFunction *complex_lowerings();

/// Calls `name` of libm for doubles and `name`f for floats.
llvm::Value *call_libm(const ScalarCall &call, const std::string &name,
                       llvm::ArrayRef<llvm::Value *> x);
/// A complex function of libm on one or two complex numbers.
Leaves call_complex_libm(const ScalarCall &call, const std::string &name,
                         llvm::ArrayRef<llvm::Value *> x);
/// The same on a GPU, made of real functions: there is no complex libm.
Leaves device_complex_libm(const ScalarCall &call, const std::string &name,
                           llvm::ArrayRef<llvm::Value *> x);
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
