// Conversions between scalar types.
#include "codegen/emit/scalar_lowering.h"

#include <cmath>
#include <limits>

namespace numjit::codegen {

namespace {

using llvm::Value;

Value *to_bool(llvm::IRBuilder<> &b, Value *x) {
  if (!x->getType()->isFloatingPointTy())
    return b.CreateIsNotNull(x);
  // NaN is true, also where fast-math assumes that there is none.
  llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  return b.CreateFCmpUNE(x, llvm::ConstantFP::get(x->getType(), 0));
}

/// What x86 makes of a number: the least integer where it does not fit, or is NaN.
int64_t truncated(double x, unsigned bits) {
  const double limit = std::ldexp(1.0, static_cast<int>(bits) - 1);
  return x >= -limit && x < limit ? static_cast<int64_t>(x)
                                  : std::numeric_limits<int64_t>::min() >> (64 - bits);
}

/// A signed integer of a float. Numbers out of range would be poison, and LLVM folds those of
/// constants to anything: they become what x86 makes of them, as in C programs and NumPy.
Value *to_signed(llvm::IRBuilder<> &b, Value *x, llvm::Type *type) {
  const auto *constant = llvm::dyn_cast<llvm::ConstantFP>(x);
  if (!constant)
    return b.CreateFreeze(b.CreateFPToSI(x, type));
  llvm::APFloat number = constant->getValueAPF();
  bool loses = false;
  number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &loses);
  const int64_t value = truncated(number.convertToDouble(), type->getIntegerBitWidth());
  return llvm::ConstantInt::getSigned(type, value);
}

/// Small integers are cut from 32 bits, which wraps them and vectorises. Unsigned ones of 64 bits
/// are signed ones, less 2^63 before and more behind from there on: C compilers do so for NumPy.
Value *float_to_integer(llvm::IRBuilder<> &b, Value *x, const Type *to, llvm::Type *type) {
  const int bits = to->bits();
  if (bits < 64)
    return b.CreateTrunc(
        to_signed(b, x, bits == 32 && !to->is_signed() ? b.getInt64Ty() : b.getInt32Ty()), type);
  if (to->is_signed() || x->getType()->isHalfTy())
    return to_signed(b, x, type);
  llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  Value *half = llvm::ConstantFP::get(x->getType(), std::ldexp(1.0, 63));
  Value *upper = to_signed(b, b.CreateFSub(x, half), type);
  Value *top = b.getInt64(uint64_t(1) << 63);
  return b.CreateSelect(b.CreateFCmpOGE(x, half), b.CreateXor(upper, top), to_signed(b, x, type));
}

/// A double as a float that rounds to a float of 16 bits as the double does: what is lost is noted
/// in the last bit.
Value *round_to_odd(llvm::IRBuilder<> &b, Value *x) {
  Value *nearest = b.CreateFPTrunc(x, b.getFloatTy());
  Value *back = b.CreateFPExt(nearest, x->getType());
  Value *bits = b.CreateBitCast(nearest, b.getInt32Ty());
  Value *inexact = b.CreateFCmpONE(back, x);
  Value *even = b.CreateIsNull(b.CreateAnd(bits, 1));
  Value *is_smaller = b.CreateFCmpOLT(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back),
                                      b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x));
  Value *step = b.CreateSelect(is_smaller, b.getInt32(1), b.getInt32(-1));
  Value *odd = b.CreateBitCast(b.CreateAdd(bits, step), b.getFloatTy());
  return b.CreateSelect(b.CreateAnd(inexact, even), odd, nearest);
}

Value *cast_part(llvm::IRBuilder<> &b, Value *x, const Type *from, const Type *to,
                 llvm::Type *type) {
  if (x->getType()->isFloatingPointTy()) {
    if (to->bits() == 16 && to->is_float() && x->getType()->isDoubleTy())
      return round_to_odd(b, x);
    if (type->isFloatingPointTy())
      return b.CreateFPCast(x, type);
    return float_to_integer(b, x, to, type);
  }
  if (type->isFloatingPointTy())
    return from->is_signed() ? b.CreateSIToFP(x, type) : b.CreateUIToFP(x, type);
  return b.CreateIntCast(x, type, from->is_signed());
}

} // namespace

Value *to_memory_form(llvm::IRBuilder<> &b, Leaf leaf, Value *value) {
  switch (leaf) {
  case Leaf::I1: return b.CreateZExt(value, b.getInt8Ty());
  case Leaf::F16: return b.CreateFPTrunc(value, b.getHalfTy());
  case Leaf::BF16: // the upper half of the float
    return b.CreateTrunc(b.CreateLShr(b.CreateBitCast(value, b.getInt32Ty()), 16), b.getInt16Ty());
  default: return value;
  }
}

Value *from_memory_form(llvm::IRBuilder<> &b, Leaf leaf, Value *value) {
  switch (leaf) {
  case Leaf::I1: return b.CreateIsNotNull(value);
  case Leaf::F16: return b.CreateFPExt(value, b.getFloatTy());
  case Leaf::BF16:
    return b.CreateBitCast(b.CreateShl(b.CreateZExt(value, b.getInt32Ty()), 16), b.getFloatTy());
  default: return value;
  }
}

/// To the nearest bfloat16, of two the even one. By integers: no processor before the newest has an
/// instruction, and LLVM calls a function of its runtime library.
static Value *rounded_to_bfloat(llvm::IRBuilder<> &b, Value *x) {
  llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  Value *bits = b.CreateBitCast(x, b.getInt32Ty());
  Value *last = b.CreateAnd(b.CreateLShr(bits, 16), 1);
  Value *sum = b.CreateAdd(b.CreateAdd(bits, b.getInt32(0x7FFF)), last);
  Value *quiet = b.CreateOr(bits, b.getInt32(0x00400000));
  Value *either = b.CreateSelect(b.CreateFCmpUNO(x, x), quiet, sum);
  return b.CreateBitCast(b.CreateAnd(either, b.getInt32(0xFFFF0000)), x->getType());
}

Value *rounded(llvm::IRBuilder<> &b, const Type *type, Value *x) {
  if (type->is(ScalarId::BFloat16))
    return rounded_to_bfloat(b, x);
  if (!type->is(ScalarId::Float16))
    return x;
  return b.CreateFPExt(b.CreateFPTrunc(x, b.getHalfTy()), x->getType());
}

Leaves emit_cast(llvm::IRBuilder<> &b, const Type *from, const Type *to,
                 llvm::ArrayRef<Value *> x) {
  if (from == to)
    return Leaves(x.begin(), x.end());
  if (to->is_bool()) {
    Value *truth = to_bool(b, x[0]);
    return {from->is_complex() ? b.CreateOr(truth, to_bool(b, x[1])) : truth};
  }
  AnyFloats any(b);
  const auto &layout = layout_of(to).leaves;
  llvm::Type *type = register_type(b.getContext(), layout[0].leaf);
  Leaves parts{rounded(b, to, cast_part(b, x[0], from, to, type))};
  if (to->is_complex())
    parts.push_back(from->is_complex() ? cast_part(b, x[1], from, to, type)
                                       : llvm::ConstantFP::get(type, 0));
  return parts;
}

} // namespace numjit::codegen
