// Operations on floats that are more than one instruction or one call.
#include "codegen/emit/lowering_functions.h"

#include <llvm/IR/Intrinsics.h>

#include <cmath>

namespace numjit::codegen {

namespace reals { // each of these three has a pow
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

Value *isfinite(const ScalarCall &call) {
  NoFastMath exact(call);
  return call.b.CreateFCmpOLT(fabs(call, call[0]), infinity(call));
}
Leaves signbit(const ScalarCall &call) {
  llvm::Type *bits = call.b.getIntNTy(call.llvm_type()->getPrimitiveSizeInBits());
  return {call.b.CreateICmpSLT(call.b.CreateBitCast(call[0], bits),
                               llvm::Constant::getNullValue(bits))};
}

// --- sums ---

/// Addition as part of a sum whose order is free, so that the sum's loop vectorises.
Leaves add_any_order(const ScalarCall &call) {
  llvm::IRBuilderBase::FastMathFlagGuard guard(call.b);
  llvm::FastMathFlags flags = call.b.getFastMathFlags();
  flags.setAllowReassoc();
  call.b.setFastMathFlags(flags);
  return {call.b.CreateFAdd(call[0], call[1])};
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
Leaves pow(const ScalarCall &call) {
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

// --- parts ---

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
  return {call.b.CreateSelect(isfinite(call), exponent, call.b.getInt64(0))};
}

Leaves lgamma(const ScalarCall &call) {
  llvm::IRBuilder<> &b = call.b;
  llvm::Function *callee = call.module.runtime(tir::runtime_op_row(tir::RuntimeOp::LGamma));
  Value *wide = b.CreateFPCast(call[0], b.getDoubleTy());
  return {b.CreateFPCast(b.CreateCall(callee, {wide}), call.llvm_type())};
}

/// Floats are computed as doubles, whose range no square of a float leaves. Doubles are computed
/// directly where the sum of squares is far from both ends of the range, else by libm.
Leaves hypot(const ScalarCall &call) {
  llvm::IRBuilder<> &b = call.b;
  Value *x = call[0], *y = call[1];
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
    return {b.CreateSelect(infinite, infinity(call), result)};
  }
  auto [sum, root] = root_of_squares(x, y);
  if (b.getFastMathFlags().noInfs() && b.getFastMathFlags().noNaNs())
    return {root};
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
  return {result};
}

} // namespace
} // namespace reals

const LoweringFunction *real_lowerings() {
  static constexpr LoweringFunction functions[] = {
#define FN(name) reals::name
#define NUMJIT_SCALAR_OP(id, name, arity, oper, numpy, other, rule, check, boolean, integer, real, \
                         ...)                                                                      \
  function_of(real),
#include "typeinfer/ir/scalar_ops.def"
#undef NUMJIT_SCALAR_OP
#undef FN
  };
  return functions;
}

} // namespace numjit::codegen
