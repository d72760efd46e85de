// Operations on floats that are more than one instruction or one call.
#include "codegen/emit/lowering_functions.h"

#include <llvm/IR/Intrinsics.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace numjit::codegen {

namespace {

using llvm::Value;
namespace intrinsic = llvm::Intrinsic;

llvm::Constant *number(const ScalarCall &call, double value) {
  return llvm::ConstantFP::get(call.llvm_type(), value);
}
llvm::Constant *infinity(const ScalarCall &call) {
  return llvm::ConstantFP::getInfinity(call.llvm_type());
}
Value *unary(const ScalarCall &call, llvm::Intrinsic::ID id, Value *x) {
  return call.b.CreateUnaryIntrinsic(id, x);
}
Value *fabs(const ScalarCall &call, Value *x) { return unary(call, intrinsic::fabs, x); }
Value *copysign(const ScalarCall &call, Value *magnitude, Value *sign) {
  return call.b.CreateBinaryIntrinsic(intrinsic::copysign, magnitude, sign);
}

/// Tests for NaN and infinity mean what they say under fast-math too: they carry no flags.
struct NoFastMath {
  explicit NoFastMath(const ScalarCall &call) : guard(call.b) { call.b.clearFastMathFlags(); }
  llvm::IRBuilderBase::FastMathFlagGuard guard;
};

// --- tests ---

Leaves isnan(const ScalarCall &call) {
  NoFastMath exact(call);
  return {call.b.CreateFCmpUNO(call[0], number(call, 0))};
}
Leaves isinf(const ScalarCall &call) {
  NoFastMath exact(call);
  return {call.b.CreateFCmpOEQ(fabs(call, call[0]), infinity(call))};
}
Leaves isposinf(const ScalarCall &call) {
  NoFastMath exact(call);
  return {call.b.CreateFCmpOEQ(call[0], infinity(call))};
}
Leaves isneginf(const ScalarCall &call) {
  NoFastMath exact(call);
  return {call.b.CreateFCmpOEQ(call[0], call.b.CreateFNeg(infinity(call)))};
}
Leaves isfinite(const ScalarCall &call) {
  NoFastMath exact(call);
  return {call.b.CreateFCmpOLT(fabs(call, call[0]), infinity(call))};
}
Leaves signbit(const ScalarCall &call) {
  llvm::Type *bits = call.b.getIntNTy(call.llvm_type()->getPrimitiveSizeInBits());
  return {call.b.CreateICmpSLT(call.b.CreateBitCast(call[0], bits),
                               llvm::Constant::getNullValue(bits))};
}

/// The first operand, or the second where that is NaN.
Leaves replace_nan(const ScalarCall &call) {
  return {call.b.CreateSelect(isnan(call)[0], call[1], call[0])};
}

// --- sums ---

/// Addition as part of a sum whose order is free, so that the sum's loop vectorises.
Leaves add_any_order(const ScalarCall &call) {
  return {emit_add_any_order(call.b, call[0], call[1])};
}

// --- division ---

/// Of an fmod whose dividend is not infinite LLVM makes a remainder that is said to be no NaN,
/// though the dividend may be one. It must not know the function.
Value *called_fmod(const ScalarCall &call, Value *x, Value *y) {
  auto *result = llvm::cast<llvm::CallInst>(call_libm(call, "fmod", {x, y}));
  result->addFnAttr(llvm::Attribute::NoBuiltin);
  return result;
}

/// fmod, exactly. With n = trunc(x / y) below 2**53 (2**24) and a fused multiply-add, x - n*y is
/// exact and off by at most one y, in one direction: a rounded quotient can only have reached the
/// next integer. All else (infinities, zeros, NaN, huge quotients) calls libm.
Value *exact_fmod(const ScalarCall &call, Value *x, Value *y) {
  llvm::IRBuilder<> &b = call.b;
  ModuleEmitter &module = call.module;
  if (!module.options().fma)
    return called_fmod(call, x, y);
  NoFastMath exact(call);
  llvm::Function *function = b.GetInsertBlock()->getParent();
  auto block = [&](const char *name) {
    return llvm::BasicBlock::Create(module.context(), name, function);
  };
  Value *quotient = b.CreateFDiv(x, y);
  Value *whole = unary(call, intrinsic::trunc, quotient);
  Value *rest = b.CreateIntrinsic(intrinsic::fma, {x->getType()}, {b.CreateFNeg(whole), y, x});
  const double limit = x->getType()->isFloatTy() ? 0x1p24 : 0x1p53;
  // `rest` is NaN for an infinite y.
  Value *usual = b.CreateAnd(b.CreateFCmpOLT(fabs(call, quotient), number(call, limit)),
                             b.CreateFCmpORD(rest, rest));
  llvm::BasicBlock *slow = block("fmod_slow"), *fast = block("fmod_fast"),
                   *done = block("fmod_done");
  b.CreateCondBr(usual, fast, slow, module.likely());
  b.SetInsertPoint(slow);
  Value *called = called_fmod(call, x, y);
  b.CreateBr(done);
  b.SetInsertPoint(fast);
  Value *zero = number(call, 0);
  Value *passed = b.CreateFCmpOLT(b.CreateFMul(copysign(call, number(call, 1), x), rest), zero);
  Value *corrected = b.CreateFAdd(rest, copysign(call, y, x));
  Value *result = copysign(call, b.CreateSelect(passed, corrected, rest), x);
  b.CreateBr(done);
  b.SetInsertPoint(done);
  llvm::PHINode *phi = b.CreatePHI(x->getType(), 2);
  phi->addIncoming(called, slow);
  phi->addIncoming(result, fast);
  return phi;
}

Leaves fmod(const ScalarCall &call) { return {exact_fmod(call, call[0], call[1])}; }

/// What CPython's divmod returns: the remainder has the divisor's sign; zeros have signs too.
struct FloatDivision {
  Value *remainder; ///< adjusted
  Value
      *difference; ///< dividend minus the adjusted remainder, over the divisor: nearly the quotient
};

FloatDivision python_divide(const ScalarCall &call) {
  llvm::IRBuilder<> &b = call.b;
  Value *x = call[0], *y = call[1];
  Value *rest = exact_fmod(call, x, y);
  NoFastMath exact(call);
  Value *zero = number(call, 0);
  Value *quotient = b.CreateFDiv(b.CreateFSub(x, rest), y);
  Value *not_zero = b.CreateFCmpUNE(rest, zero);
  Value *signs_differ = b.CreateXor(b.CreateFCmpOLT(y, zero), b.CreateFCmpOLT(rest, zero));
  Value *adjust = b.CreateAnd(not_zero, signs_differ);
  Value *adjusted = b.CreateSelect(adjust, b.CreateFAdd(rest, y), rest);
  return {b.CreateSelect(not_zero, adjusted, copysign(call, zero, y)),
          b.CreateSelect(adjust, b.CreateFSub(quotient, number(call, 1)), quotient)};
}

Leaves mod(const ScalarCall &call) { return {python_divide(call).remainder}; }

Leaves floordiv(const ScalarCall &call) {
  llvm::IRBuilder<> &b = call.b;
  FloatDivision division = python_divide(call);
  NoFastMath exact(call);
  Value *zero = number(call, 0), *one = number(call, 1);
  Value *down = unary(call, intrinsic::floor, division.difference);
  Value *too_low = b.CreateFCmpOGT(b.CreateFSub(division.difference, down), number(call, 0.5));
  Value *nearest = b.CreateSelect(too_low, b.CreateFAdd(down, one), down);
  Value *quotient = b.CreateFDiv(call[0], call[1]);
  Value *result = b.CreateSelect(b.CreateFCmpUNE(division.difference, zero), nearest,
                                 copysign(call, zero, quotient));
  // CPython raises; under the NumPy error model x // 0 is x / 0.
  return {b.CreateSelect(b.CreateFCmpOEQ(call[1], zero), quotient, result)};
}

// --- powers ---

/// Small constant exponents are multiplied out; each multiplication rounds, so large ones go to
/// pow.
Leaves power(const ScalarCall &call) {
  constexpr double kLargest = 8;
  if (auto *constant = llvm::dyn_cast<llvm::ConstantFP>(call[1])) {
    const double exponent = constant->getType()->isFloatTy()
                                ? constant->getValueAPF().convertToFloat()
                                : constant->getValueAPF().convertToDouble();
    const double magnitude = std::fabs(exponent);
    if (exponent == 0)
      return {number(call, 1)};
    if (magnitude <= kLargest && magnitude == std::floor(magnitude)) {
      Value *product =
          power_by_squaring(call[0], static_cast<uint64_t>(magnitude),
                            [&](Value *x, Value *y) { return call.b.CreateFMul(x, y); });
      return {exponent > 0 ? product : call.b.CreateFDiv(number(call, 1), product)};
    }
  }
  return {call_libm(call, "pow", call.x)};
}

Leaves square(const ScalarCall &call) { return {call.b.CreateFMul(call[0], call[0])}; }
Leaves reciprocal(const ScalarCall &call) { return {call.b.CreateFDiv(number(call, 1), call[0])}; }

Leaves log_add(const ScalarCall &call, const char *exp, double scale, double half) {
  llvm::IRBuilder<> &b = call.b;
  Value *x = call[0], *y = call[1];
  Value *difference = b.CreateFSub(x, y);
  Value *larger = b.CreateSelect(b.CreateFCmpOGT(difference, number(call, 0)), x, y);
  Value *power = call_libm(call, exp, {b.CreateFNeg(fabs(call, difference))});
  Value *rest = b.CreateFMul(call_libm(call, "log1p", {power}), number(call, scale));
  // Equal operands, infinities among them, have no difference to look at.
  Value *doubled = b.CreateFAdd(x, number(call, half));
  return {b.CreateSelect(b.CreateFCmpOEQ(x, y), doubled, b.CreateFAdd(larger, rest))};
}
Leaves logaddexp(const ScalarCall &call) { return log_add(call, "exp", 1, std::numbers::ln2); }
Leaves logaddexp2(const ScalarCall &call) { return log_add(call, "exp2", std::numbers::log2e, 1); }

// --- functions whose vector forms (vector_math.def) give infinity near the end of the range ---
//
// There the operand is replaced by a smaller one, and the result made to fit again. Other operands
// pass as they are.

/// Where |x| is beyond 2**exponent, by the number of bits of the type.
Value *beyond(const ScalarCall &call, int exponent_of_single, int exponent_of_double) {
  const int exponent = call.llvm_type()->isFloatTy() ? exponent_of_single : exponent_of_double;
  return call.b.CreateFCmpOGT(fabs(call, call[0]), number(call, std::ldexp(1, exponent)));
}

/// log(1 + x) is log(x / 2**64) + 64 log(2).
Leaves log1p(const ScalarCall &call) {
  llvm::IRBuilder<> &b = call.b;
  Value *large = beyond(call, 100, 1000), *x = call[0];
  Value *scaled = b.CreateSelect(large, b.CreateFMul(x, number(call, 0x1p-64)), x);
  Value *rest = b.CreateSelect(large, number(call, 64 * std::numbers::ln2), number(call, -0.0));
  return {b.CreateFAdd(call_libm(call, "log1p", {scaled}), rest)};
}

/// exp(x) / 2 is e exp(x - 1) / 2.
Leaves hyperbolic(const ScalarCall &call, const char *name) {
  llvm::IRBuilder<> &b = call.b;
  Value *x = call[0];
  const double limit = call.llvm_type()->isFloatTy() ? 88 : 709;
  Value *large = b.CreateFCmpOGT(fabs(call, x), number(call, limit));
  Value *smaller = b.CreateFSub(x, copysign(call, number(call, 1), x));
  Value *result = call_libm(call, name, {b.CreateSelect(large, smaller, x)});
  Value *factor = b.CreateSelect(large, number(call, std::numbers::e), number(call, 1));
  return {b.CreateFMul(result, factor)};
}
Leaves sinh(const ScalarCall &call) { return hyperbolic(call, "sinh"); }
Leaves cosh(const ScalarCall &call) { return hyperbolic(call, "cosh"); }

/// log(2 x) is 2 log(2 sqrt(x / 2)).
Leaves inverse_hyperbolic(const ScalarCall &call, const char *name) {
  llvm::IRBuilder<> &b = call.b;
  Value *large = beyond(call, 60, 500), *x = call[0];
  Value *half = b.CreateFMul(fabs(call, x), number(call, 0.5));
  Value *root = copysign(call, unary(call, intrinsic::sqrt, half), x);
  Value *result = call_libm(call, name, {b.CreateSelect(large, root, x)});
  return {b.CreateFMul(result, b.CreateSelect(large, number(call, 2), number(call, 1)))};
}
Leaves asinh(const ScalarCall &call) { return inverse_hyperbolic(call, "asinh"); }
Leaves acosh(const ScalarCall &call) { return inverse_hyperbolic(call, "acosh"); }

// --- rounding to integers ---

Leaves rounded(const ScalarCall &call, llvm::Intrinsic::ID how) {
  Value *whole = unary(call, how, call[0]);
  return emit_cast(call.b, call.type, call.result, whole);
}
Leaves round_to_int(const ScalarCall &call) { return rounded(call, intrinsic::roundeven); }
Leaves floor_to_int(const ScalarCall &call) { return rounded(call, intrinsic::floor); }
Leaves ceil_to_int(const ScalarCall &call) { return rounded(call, intrinsic::ceil); }
Leaves trunc_to_int(const ScalarCall &call) {
  return emit_cast(call.b, call.type, call.result, call.x);
}

// --- parts ---

/// Builtin min and max keep the first operand unless the second is better, so NaN stays where it
/// is.
Leaves python_min(const ScalarCall &call) {
  return {call.b.CreateSelect(call.b.CreateFCmpOLT(call[1], call[0]), call[1], call[0])};
}
Leaves python_max(const ScalarCall &call) {
  return {call.b.CreateSelect(call.b.CreateFCmpOGT(call[1], call[0]), call[1], call[0])};
}

Leaves sign(const ScalarCall &call) {
  llvm::IRBuilder<> &b = call.b;
  Value *zero = number(call, 0);
  Value *unit = copysign(call, number(call, 1), call[0]);
  Value *other = b.CreateSelect(b.CreateFCmpOEQ(call[0], zero), zero, call[0]); // 0 or NaN
  return {b.CreateSelect(b.CreateFCmpONE(call[0], zero), unit, other)};
}

Leaves radians(const ScalarCall &call) {
  return {call.b.CreateFMul(call[0], number(call, std::numbers::pi / 180))};
}
Leaves degrees(const ScalarCall &call) {
  return {call.b.CreateFMul(call[0], number(call, 180 / std::numbers::pi))};
}

/// Distance to the next larger magnitude; of the largest number, to the next smaller one.
Value *gap(const ScalarCall &call) {
  llvm::IRBuilder<> &b = call.b;
  Value *x = fabs(call, call[0]);
  Value *up = call_libm(call, "nextafter", {x, infinity(call)});
  Value *down = call_libm(call, "nextafter", {x, number(call, 0)});
  Value *largest = b.CreateFCmpOEQ(up, infinity(call));
  return b.CreateSelect(largest, b.CreateFSub(x, down), b.CreateFSub(up, x));
}
Leaves spacing(const ScalarCall &call) {
  llvm::IRBuilder<> &b = call.b;
  Value *infinite = isinf(call).front();
  Value *nan = llvm::ConstantFP::getNaN(call.llvm_type());
  // That of -0.0 is positive too.
  Value *zero = number(call, 0);
  Value *sign = b.CreateSelect(b.CreateFCmpOEQ(call[0], zero), zero, call[0]);
  return {b.CreateSelect(infinite, nan, copysign(call, gap(call), sign))};
}
Leaves ulp(const ScalarCall &call) {
  return {call.b.CreateSelect(isinf(call).front(), infinity(call), gap(call))};
}

Leaves heaviside(const ScalarCall &call) {
  llvm::IRBuilder<> &b = call.b;
  Value *zero = number(call, 0);
  Value *step = b.CreateSelect(b.CreateFCmpOLT(call[0], zero), zero, number(call, 1));
  Value *at_zero = b.CreateSelect(b.CreateFCmpOEQ(call[0], zero), call[1], step);
  return {b.CreateSelect(isnan(call).front(), call[0], at_zero)};
}

/// Exponents beyond 32 bits have the result of the largest of 32 bits: 0 or infinity.
Leaves ldexp(const ScalarCall &call) {
  llvm::IRBuilder<> &b = call.b;
  Value *exponent = call[1];
  if (exponent->getType()->isFloatingPointTy())
    exponent = emit_cast(b, call.second, types::int64(), exponent).front();
  auto limit = [&](int64_t value) { return b.getInt64(static_cast<uint64_t>(value)); };
  exponent = b.CreateBinaryIntrinsic(intrinsic::smax, exponent, limit(INT32_MIN));
  exponent = b.CreateBinaryIntrinsic(intrinsic::smin, exponent, limit(INT32_MAX));
  return {b.CreateIntrinsic(intrinsic::ldexp, {call.llvm_type(), b.getInt32Ty()},
                            {call[0], b.CreateTrunc(exponent, b.getInt32Ty())})};
}

Value *frexp(const ScalarCall &call, unsigned part) {
  Value *both =
      call.b.CreateIntrinsic(intrinsic::frexp, {call.llvm_type(), call.b.getInt32Ty()}, {call[0]});
  return call.b.CreateExtractValue(both, part);
}
Leaves frexp_mantissa(const ScalarCall &call) { return {frexp(call, 0)}; }
/// Of infinity and NaN, whose exponent C leaves open, it is 0 as in CPython.
Leaves frexp_exponent(const ScalarCall &call) {
  Value *exponent = call.b.CreateSExt(frexp(call, 1), call.module.i64());
  return {call.b.CreateSelect(isfinite(call).front(), exponent, call.b.getInt64(0))};
}

Leaves modf_fraction(const ScalarCall &call) {
  llvm::IRBuilder<> &b = call.b;
  Value *fraction = b.CreateFSub(call[0], unary(call, intrinsic::trunc, call[0]));
  Value *finite = b.CreateSelect(isinf(call).front(), number(call, 0), fraction);
  return {copysign(call, finite, call[0])};
}

Leaves lgamma(const ScalarCall &call) {
  llvm::IRBuilder<> &b = call.b;
  llvm::Function *callee = call.module.runtime(tir::runtime_op_row(tir::RuntimeOp::LGamma));
  Value *wide = b.CreateFPCast(call[0], b.getDoubleTy());
  return {b.CreateFPCast(b.CreateCall(callee, {wide}), call.llvm_type())};
}

Leaves angle(const ScalarCall &call) {
  llvm::IRBuilder<> &b = call.b;
  Value *direction =
      b.CreateSelect(signbit(call).front(), number(call, std::numbers::pi), number(call, 0));
  return {b.CreateSelect(isnan(call).front(), call[0], direction)};
}

/// NumPy's sinc; the quotient is not used at 0, where it is NaN.
Leaves sinc(const ScalarCall &call) {
  llvm::IRBuilder<> &b = call.b;
  Value *y = b.CreateFMul(call[0], number(call, std::numbers::pi));
  Value *quotient = b.CreateFDiv(call_libm(call, "sin", {y}), y);
  return {b.CreateSelect(b.CreateFCmpOEQ(y, number(call, 0)), number(call, 1), quotient)};
}

Leaves hypot(const ScalarCall &call) { return {emit_hypot(call, call[0], call[1])}; }
Leaves make_complex(const ScalarCall &call) { return {call[0], call[1]}; }

constexpr LoweringRow kRows[] = {
    {"isnan", isnan},
    {"isinf", isinf},
    {"isposinf", isposinf},
    {"isneginf", isneginf},
    {"isfinite", isfinite},
    {"signbit", signbit},
    {"fmod", fmod},
    {"mod", mod},
    {"floordiv", floordiv},
    {"pow", power},
    {"square", square},
    {"reciprocal", reciprocal},
    {"log1p", log1p},
    {"sinh", sinh},
    {"cosh", cosh},
    {"asinh", asinh},
    {"acosh", acosh},
    {"logaddexp", logaddexp},
    {"logaddexp2", logaddexp2},
    {"round_to_int", round_to_int},
    {"floor_to_int", floor_to_int},
    {"ceil_to_int", ceil_to_int},
    {"trunc_to_int", trunc_to_int},
    {"python_min", python_min},
    {"python_max", python_max},
    {"sign", sign},
    {"radians", radians},
    {"degrees", degrees},
    {"spacing", spacing},
    {"ulp", ulp},
    {"heaviside", heaviside},
    {"ldexp", ldexp},
    {"frexp_mantissa", frexp_mantissa},
    {"frexp_exponent", frexp_exponent},
    {"modf_fraction", modf_fraction},
    {"lgamma", lgamma},
    {"sinc", sinc},
    {"hypot", hypot},
    {"angle", angle},
    {"make_complex", make_complex},
    {"replace_nan", replace_nan},
    {"add_any_order", add_any_order},
};

} // namespace

llvm::ArrayRef<LoweringRow> real_lowerings() { return kRows; }

Value *emit_add_any_order(llvm::IRBuilder<> &b, Value *x, Value *y) {
  llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  llvm::FastMathFlags flags = b.getFastMathFlags();
  flags.setAllowReassoc();
  b.setFastMathFlags(flags);
  return b.CreateFAdd(x, y);
}

/// Floats are computed as doubles, whose range no square of a float leaves. Doubles are computed
/// directly where the sum of squares is far from both ends of the range, else by libm.
Value *emit_hypot(const ScalarCall &call, Value *x, Value *y) {
  llvm::IRBuilder<> &b = call.b;
  llvm::Type *type = x->getType();
  auto root_of_squares = [&](Value *u, Value *v) {
    Value *sum = b.CreateFAdd(b.CreateFMul(u, u), b.CreateFMul(v, v));
    return std::pair{sum, unary(call, intrinsic::sqrt, sum)};
  };
  if (type->isFloatTy()) {
    llvm::Type *wide = b.getDoubleTy();
    Value *root = root_of_squares(b.CreateFPExt(x, wide), b.CreateFPExt(y, wide)).second;
    Value *result = b.CreateFPTrunc(root, type);
    NoFastMath exact(call); // hypot(inf, nan) is inf
    Value *infinite = b.CreateOr(b.CreateFCmpOEQ(fabs(call, x), infinity(call)),
                                 b.CreateFCmpOEQ(fabs(call, y), infinity(call)));
    return b.CreateSelect(infinite, infinity(call), result);
  }
  auto [sum, root] = root_of_squares(x, y);
  if (b.getFastMathFlags().noInfs() && b.getFastMathFlags().noNaNs())
    return root;
  llvm::Function *function = b.GetInsertBlock()->getParent();
  auto block = [&](const char *name) {
    return llvm::BasicBlock::Create(call.module.context(), name, function);
  };
  llvm::BasicBlock *usual = b.GetInsertBlock(), *slow = block("hypot_slow"),
                   *done = block("hypot_done");
  Value *in_range = b.CreateAnd(b.CreateFCmpOGT(sum, llvm::ConstantFP::get(type, 0x1p-900)),
                                b.CreateFCmpOLT(sum, llvm::ConstantFP::get(type, 0x1p1000)));
  b.CreateCondBr(in_range, done, slow, call.module.likely());
  b.SetInsertPoint(slow);
  Value *called = call_libm(call, "hypot", {x, y});
  b.CreateBr(done);
  b.SetInsertPoint(done);
  llvm::PHINode *result = b.CreatePHI(type, 2);
  result->addIncoming(root, usual);
  result->addIncoming(called, slow);
  return result;
}

} // namespace numjit::codegen
