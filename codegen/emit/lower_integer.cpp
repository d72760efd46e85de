// Integer operations that are more than one instruction. None of them traps, whatever the operands:
// division by zero gives 0 (inference raises before, where Python does), INT_MIN // -1 wraps.
#include "codegen/emit/lowering_functions.h"

#include <llvm/IR/Intrinsics.h>

namespace numjit::codegen {

namespace integers { // each of these three has a pow
namespace {

using llvm::Value;
using llvm::Intrinsic::ID;
namespace intrinsic = llvm::Intrinsic;

llvm::Constant *number(const ScalarCall &call, int64_t value) {
  return llvm::ConstantInt::getSigned(call.llvm_type(), value);
}
bool is_constant_other_than(Value *value, std::initializer_list<int64_t> excluded) {
  auto *constant = llvm::dyn_cast<llvm::ConstantInt>(value);
  if (!constant)
    return false;
  for (int64_t other : excluded)
    if (constant->getSExtValue() == other)
      return false;
  return true;
}

/// Division without traps: what the divisor really was is in `zero` and `minus_one` (null: it
/// wasn't).
struct Division {
  Value *quotient, *remainder, *divisor;
  Value *zero = nullptr, *minus_one = nullptr;
};

Division divide(const ScalarCall &call) {
  llvm::IRBuilder<> &b = call.b;
  Value *dividend = call[0], *divisor = call[1];
  Division result;
  const bool is_signed = call.is_signed() && !call.nonneg;
  Value *unsafe = nullptr;
  if (!is_constant_other_than(divisor, {0}))
    unsafe = result.zero = b.CreateICmpEQ(divisor, number(call, 0));
  if (is_signed && !is_constant_other_than(divisor, {-1})) {
    result.minus_one = b.CreateICmpEQ(divisor, number(call, -1));
    unsafe = unsafe ? b.CreateOr(unsafe, result.minus_one) : result.minus_one;
  }
  if (unsafe)
    divisor = b.CreateSelect(unsafe, number(call, 1), divisor);
  result.divisor = divisor;
  result.quotient = is_signed ? b.CreateSDiv(dividend, divisor) : b.CreateUDiv(dividend, divisor);
  result.remainder = is_signed ? b.CreateSRem(dividend, divisor) : b.CreateURem(dividend, divisor);
  return result;
}

/// Whether dividend and divisor, or remainder and divisor, have different signs. A remainder but 0
/// has the sign of the dividend, which is known before the division ends.
Value *signs_differ(const ScalarCall &call, const Division &division) {
  llvm::IRBuilder<> &b = call.b;
  Value *sign_of = llvm::isa<llvm::Constant>(division.divisor) ? division.remainder : call[0];
  return b.CreateICmpSLT(b.CreateXor(sign_of, division.divisor), number(call, 0));
}

/// Python rounds quotients down: true where a truncated one is too large.
Value *needs_adjustment(const ScalarCall &call, const Division &division) {
  return call.b.CreateAnd(call.b.CreateIsNotNull(division.remainder), signs_differ(call, division));
}

/// Logarithm of a constant divisor that is a power of two, else -1: rounding down is then a shift,
/// which LLVM does not see in a division that is corrected afterwards.
int32_t shift_of(Value *divisor) {
  auto *constant = llvm::dyn_cast<llvm::ConstantInt>(divisor);
  return constant && !constant->isNegative() ? constant->getValue().exactLogBase2() : -1;
}

Leaves floordiv(const ScalarCall &call) {
  llvm::IRBuilder<> &b = call.b;
  if (const int32_t shift = shift_of(call[1]); shift >= 0)
    return {call.is_signed() ? b.CreateAShr(call[0], shift) : b.CreateLShr(call[0], shift)};
  Division division = divide(call);
  Value *result = division.quotient;
  if (call.is_signed() && !call.nonneg) {
    Value *adjust = b.CreateZExt(needs_adjustment(call, division), call.llvm_type());
    result = b.CreateSub(result, adjust);
  }
  if (division.minus_one)
    result = b.CreateSelect(division.minus_one, b.CreateNeg(call[0]), result);
  if (division.zero)
    result = b.CreateSelect(division.zero, number(call, 0), result);
  return {result};
}

/// The divisor of 0 and of -1 was replaced by 1, whose remainder is the 0 wanted for both.
Leaves mod(const ScalarCall &call) {
  llvm::IRBuilder<> &b = call.b;
  if (shift_of(call[1]) >= 0)
    return {b.CreateAnd(call[0], b.CreateSub(call[1], number(call, 1)))};
  Division division = divide(call);
  if (!call.is_signed() || call.nonneg)
    return {division.remainder};
  if (llvm::isa<llvm::Constant>(division.divisor)) {
    Value *adjusted = b.CreateAdd(division.remainder, division.divisor);
    return {b.CreateSelect(needs_adjustment(call, division), adjusted, division.remainder)};
  }
  // Behind the division a comparison beside an addition, then a choice: sums of powers modulo a
  // number wait for each.
  Value *zero = number(call, 0);
  Value *adjustment = b.CreateSelect(signs_differ(call, division), division.divisor, zero);
  return {b.CreateSelect(b.CreateIsNotNull(division.remainder),
                         b.CreateAdd(division.remainder, adjustment), zero)};
}

/// C's remainder (np.fmod).
Leaves remainder(const ScalarCall &call) { return {divide(call).remainder}; }

// --- shifts: counts of the width and more shift everything out; negative ones count as such ---

Leaves lshift(const ScalarCall &call) {
  llvm::IRBuilder<> &b = call.b;
  Value *in_range = b.CreateICmpULT(call[1], number(call, call.type->bits()));
  return {b.CreateSelect(in_range, b.CreateShl(call[0], call[1]), number(call, 0))};
}

Leaves rshift(const ScalarCall &call) {
  llvm::IRBuilder<> &b = call.b;
  const int bits = call.type->bits();
  if (call.is_signed()) {
    Value *count = b.CreateBinaryIntrinsic(intrinsic::umin, call[1], number(call, bits - 1));
    return {b.CreateAShr(call[0], count)};
  }
  Value *in_range = b.CreateICmpULT(call[1], number(call, bits));
  return {b.CreateSelect(in_range, b.CreateLShr(call[0], call[1]), number(call, 0))};
}

// --- powers ---

llvm::Function *power_helper(const ScalarCall &call) {
  ModuleEmitter &module = call.module;
  llvm::Type *i64 = module.i64();
  auto *type = llvm::FunctionType::get(i64, {i64, i64}, false);
  return module.helper("numjit.power", type, [&](llvm::Function *function) {
    auto block = [&](const char *name) {
      return llvm::BasicBlock::Create(module.context(), name, function);
    };
    llvm::BasicBlock *entry = block("entry"), *loop = block("loop"), *body = block("body"),
                     *done = block("done");
    llvm::IRBuilder<> b(entry);
    b.CreateBr(loop);
    b.SetInsertPoint(loop);
    llvm::PHINode *base = b.CreatePHI(i64, 2), *exponent = b.CreatePHI(i64, 2),
                  *result = b.CreatePHI(i64, 2);
    b.CreateCondBr(b.CreateIsNull(exponent), done, body);
    b.SetInsertPoint(body);
    Value *odd = b.CreateTrunc(exponent, module.i1());
    Value *product = b.CreateSelect(odd, b.CreateMul(result, base), result);
    Value *next_exponent = b.CreateLShr(exponent, 1), *next_base = b.CreateMul(base, base);
    b.CreateBr(loop);
    base->addIncoming(function->getArg(0), entry);
    base->addIncoming(next_base, body);
    exponent->addIncoming(function->getArg(1), entry);
    exponent->addIncoming(next_exponent, body);
    result->addIncoming(b.getInt64(1), entry);
    result->addIncoming(product, body);
    b.SetInsertPoint(done);
    b.CreateRet(result);
  });
}

/// Modulo 2**bits; x ** -n is 1 / x ** n rounded towards zero, and 0 for x = 0.
Leaves pow(const ScalarCall &call) {
  llvm::IRBuilder<> &b = call.b;
  if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(call[1]);
      constant && !constant->isNegative()) {
    if (constant->isZero())
      return {number(call, 1)};
    return {power_by_squaring(call[0], constant->getZExtValue(),
                              [&](Value *x, Value *y) { return b.CreateMul(x, y); })};
  }
  // 64-bit products have the right low bits for every width and signedness.
  llvm::Type *i64 = call.module.i64();
  llvm::CallInst *product =
      b.CreateCall(power_helper(call), {b.CreateIntCast(call[0], i64, call.is_signed()),
                                        b.CreateIntCast(call[1], i64, call.is_signed())});
  product->setCallingConv(llvm::CallingConv::Fast);
  Value *result = b.CreateTrunc(product, call.llvm_type());
  if (!call.is_signed() || call.nonneg)
    return {result};
  Value *one = number(call, 1), *minus_one = number(call, -1), *zero = number(call, 0);
  Value *odd = b.CreateTrunc(call[1], b.getInt1Ty());
  Value *inverse = b.CreateSelect(b.CreateICmpEQ(call[0], one), one,
                                  b.CreateSelect(b.CreateICmpEQ(call[0], minus_one),
                                                 b.CreateSelect(odd, minus_one, one), zero));
  return {b.CreateSelect(b.CreateICmpSLT(call[1], zero), inverse, result)};
}

// --- common divisors ---

Value *magnitude(const ScalarCall &call, Value *x) {
  return call.is_signed() ? call.b.CreateBinaryIntrinsic(intrinsic::abs, x, call.b.getFalse()) : x;
}

/// Euclid's algorithm on magnitudes.
Value *gcd_of(const ScalarCall &call, Value *x, Value *y) {
  ModuleEmitter &module = call.module;
  llvm::Type *i64 = module.i64();
  auto *type = llvm::FunctionType::get(i64, {i64, i64}, false);
  llvm::Function *helper = module.helper("numjit.gcd", type, [&](llvm::Function *function) {
    auto block = [&](const char *name) {
      return llvm::BasicBlock::Create(module.context(), name, function);
    };
    llvm::BasicBlock *entry = block("entry"), *loop = block("loop"), *body = block("body"),
                     *done = block("done");
    llvm::IRBuilder<> b(entry);
    b.CreateBr(loop);
    b.SetInsertPoint(loop);
    llvm::PHINode *large = b.CreatePHI(i64, 2), *small = b.CreatePHI(i64, 2);
    b.CreateCondBr(b.CreateIsNull(small), done, body);
    b.SetInsertPoint(body);
    Value *rest = b.CreateURem(large, small);
    b.CreateBr(loop);
    large->addIncoming(function->getArg(0), entry);
    large->addIncoming(small, body);
    small->addIncoming(function->getArg(1), entry);
    small->addIncoming(rest, body);
    b.SetInsertPoint(done);
    b.CreateRet(large);
  });
  llvm::CallInst *result =
      call.b.CreateCall(helper, {call.b.CreateZExt(x, i64), call.b.CreateZExt(y, i64)});
  result->setCallingConv(llvm::CallingConv::Fast);
  return call.b.CreateTrunc(result, call.llvm_type());
}

Leaves gcd(const ScalarCall &call) {
  return {gcd_of(call, magnitude(call, call[0]), magnitude(call, call[1]))};
}

Leaves lcm(const ScalarCall &call) {
  llvm::IRBuilder<> &b = call.b;
  Value *x = magnitude(call, call[0]), *y = magnitude(call, call[1]);
  Value *divisor = gcd_of(call, x, y), *zero = number(call, 0);
  Value *both_zero = b.CreateICmpEQ(divisor, zero);
  Value *safe = b.CreateSelect(both_zero, number(call, 1), divisor);
  return {b.CreateMul(b.CreateUDiv(x, safe), y)};
}

// --- one operand ---

Leaves abs(const ScalarCall &call) { return {magnitude(call, call[0])}; }
Leaves sign(const ScalarCall &call) {
  llvm::IRBuilder<> &b = call.b;
  if (!call.is_signed())
    return {b.CreateZExt(b.CreateIsNotNull(call[0]), call.llvm_type())};
  return {b.CreateIntrinsic(intrinsic::scmp, {call.llvm_type(), call.llvm_type()},
                            {call[0], number(call, 0)})};
}

Leaves counted(const ScalarCall &call, Value *count) {
  llvm::Type *type =
      register_type(call.module.context(), layout_of(call.result).leaves.front().leaf);
  return {call.b.CreateZExtOrTrunc(count, type)};
}
/// As in Python and NumPy, the ones of the magnitude.
Leaves bit_count(const ScalarCall &call) {
  return counted(call, call.b.CreateUnaryIntrinsic(intrinsic::ctpop, magnitude(call, call[0])));
}
Leaves leading_zeros(const ScalarCall &call) {
  return counted(call, call.b.CreateBinaryIntrinsic(intrinsic::ctlz, call[0], call.b.getFalse()));
}
Leaves trailing_zeros(const ScalarCall &call) {
  return counted(call, call.b.CreateBinaryIntrinsic(intrinsic::cttz, call[0], call.b.getFalse()));
}

/// Whether the exact result does not fit.
Leaves overflows(const ScalarCall &call, ID of_signed, ID of_unsigned) {
  Value *both =
      call.b.CreateBinaryIntrinsic(call.is_signed() ? of_signed : of_unsigned, call[0], call[1]);
  return {call.b.CreateExtractValue(both, 1)};
}
Leaves add_overflows(const ScalarCall &call) {
  return overflows(call, intrinsic::sadd_with_overflow, intrinsic::uadd_with_overflow);
}
Leaves sub_overflows(const ScalarCall &call) {
  return overflows(call, intrinsic::ssub_with_overflow, intrinsic::usub_with_overflow);
}
Leaves mul_overflows(const ScalarCall &call) {
  return overflows(call, intrinsic::smul_with_overflow, intrinsic::umul_with_overflow);
}

} // namespace
} // namespace integers

const LoweringFunction *integer_lowerings() {
  static constexpr LoweringFunction functions[] = {
#define FN(name) integers::name
#define NUMJIT_SCALAR_OP(id, name, arity, oper, numpy, other, rule, check, boolean, integer, ...)  \
  function_of(integer),
#include "typeinfer/ir/scalar_ops.def"
#undef NUMJIT_SCALAR_OP
#undef FN
  };
  return functions;
}

} // namespace numjit::codegen
