// Operations on complex numbers: two leaves, real and imaginary part.
#include "codegen/emit/lowering_functions.h"
#include "typeinfer/errors.h"

#include <llvm/IR/Intrinsics.h>

#include <cmath>

namespace numjit::codegen {

namespace complexes { // each of these three has a pow
namespace {

using llvm::Value;
namespace intrinsic = llvm::Intrinsic;

struct Complex {
  Value *real, *imag;
  operator Leaves() const { return {real, imag}; }
};

Complex first(const ScalarCall &call) { return {call[0], call[1]}; }
Complex second(const ScalarCall &call) { return {call[2], call[3]}; }

llvm::Constant *number(const ScalarCall &call, double value) {
  return llvm::ConstantFP::get(call.llvm_type(), value);
}
Value *fabs(const ScalarCall &call, Value *x) {
  return call.b.CreateUnaryIntrinsic(intrinsic::fabs, x);
}
Complex choose(const ScalarCall &call, Value *condition, Complex yes, Complex no) {
  return {call.b.CreateSelect(condition, yes.real, no.real),
          call.b.CreateSelect(condition, yes.imag, no.imag)};
}
// --- arithmetic ---

Complex product(const ScalarCall &call, Complex x, Complex y) {
  llvm::IRBuilder<> &b = call.b;
  return {b.CreateFSub(b.CreateFMul(x.real, y.real), b.CreateFMul(x.imag, y.imag)),
          b.CreateFAdd(b.CreateFMul(x.real, y.imag), b.CreateFMul(x.imag, y.real))};
}
Leaves mul(const ScalarCall &call) { return product(call, first(call), second(call)); }

/// Smith's algorithm, as CPython and NumPy do: dividing by the larger part first avoids overflow.
/// Without branches, so that loops vectorise. A divisor of 0 divides both parts, as in NumPy, which
/// gives infinities and NaN.
Complex quotient(const ScalarCall &call, Complex x, Complex y) {
  llvm::IRBuilder<> &b = call.b;
  Value *real_size = fabs(call, y.real), *imag_size = fabs(call, y.imag);
  Value *real_larger = b.CreateFCmpOGE(real_size, imag_size);
  Value *large = b.CreateSelect(real_larger, y.real, y.imag);
  Value *small = b.CreateSelect(real_larger, y.imag, y.real);
  Value *zero = number(call, 0);
  Value *is_zero = b.CreateFCmpOEQ(b.CreateFAdd(real_size, imag_size), zero); // and not NaN
  Value *ratio = b.CreateSelect(is_zero, zero, b.CreateFDiv(small, large));
  Value *sum = b.CreateFAdd(large, b.CreateFMul(small, ratio));
  Value *divisor = b.CreateSelect(is_zero, zero, sum);
  Value *real_scaled = b.CreateFMul(x.real, ratio), *imag_scaled = b.CreateFMul(x.imag, ratio);
  Complex numerator = choose(
      call, real_larger, {b.CreateFAdd(x.real, imag_scaled), b.CreateFSub(x.imag, real_scaled)},
      {b.CreateFAdd(real_scaled, x.imag), b.CreateFSub(imag_scaled, x.real)});
  numerator = choose(call, is_zero, x, numerator);
  return {b.CreateFDiv(numerator.real, divisor), b.CreateFDiv(numerator.imag, divisor)};
}
Leaves div(const ScalarCall &call) { return quotient(call, first(call), second(call)); }

/// Exponents up to this one are multiplied out where they are integers, as Python and NumPy do.
constexpr int kLargestMultiplied = 100;

/// x ** n for 0 < n <= kLargestMultiplied, known at run time.
Complex multiplied_power(const ScalarCall &call, Complex x, Value *n) {
  llvm::IRBuilder<> &b = call.b;
  llvm::BasicBlock *before = b.GetInsertBlock();
  auto block = [&](const char *name) {
    return llvm::BasicBlock::Create(call.module.context(), name, before->getParent());
  };
  llvm::BasicBlock *loop = block("power_loop"), *done = block("power_multiplied");
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  llvm::Type *type = x.real->getType();
  auto carried = [&](llvm::Type *of, Value *start) {
    llvm::PHINode *phi = b.CreatePHI(of, 2);
    phi->addIncoming(start, before);
    return phi;
  };
  llvm::PHINode *square_real = carried(type, x.real), *square_imag = carried(type, x.imag),
                *real = carried(type, number(call, 1)), *imag = carried(type, number(call, 0)),
                *is_first = carried(b.getInt1Ty(), b.getTrue()), *bits = carried(n->getType(), n);
  Complex square{square_real, square_imag}, result{real, imag};
  Value *odd = b.CreateTrunc(bits, b.getInt1Ty());
  Complex taken = choose(call, is_first, square, product(call, result, square));
  Complex next = choose(call, odd, taken, result), next_square = product(call, square, square);
  Value *rest = b.CreateLShr(bits, 1);
  for (auto [phi, value] : {std::pair{square_real, next_square.real},
                            {square_imag, next_square.imag},
                            {real, next.real},
                            {imag, next.imag},
                            {is_first, b.CreateAnd(is_first, b.CreateNot(odd))},
                            {bits, rest}})
    phi->addIncoming(value, loop);
  b.CreateCondBr(b.CreateIsNull(rest), done, loop);
  b.SetInsertPoint(done);
  return next;
}

Value *is_zero(const ScalarCall &call, Complex z) {
  Value *zero = number(call, 0);
  return call.b.CreateAnd(call.b.CreateFCmpOEQ(z.real, zero), call.b.CreateFCmpOEQ(z.imag, zero));
}

/// x ** -n, of x ** n. NaN for x = 0, as in NumPy.
Complex inverse_power(const ScalarCall &call, Complex x, Complex power) {
  Value *nan = llvm::ConstantFP::getNaN(call.llvm_type());
  Complex inverse = quotient(call, {number(call, 1), number(call, 0)}, power);
  return choose(call, is_zero(call, x), {nan, nan}, inverse);
}

/// By logarithms. 0 ** 0 is 1, 0 to a positive power is 0 and to any other NaN, which the logarithm
/// behind cpow does not see.
Complex general_power(const ScalarCall &call, Complex x, Complex y) {
  llvm::IRBuilder<> &b = call.b;
  Value *zero = number(call, 0);
  Leaves general = call_complex_libm(call, "cpow", call.x);
  Value *of_zero = b.CreateSelect(b.CreateFCmpOGT(y.real, zero), zero,
                                  llvm::ConstantFP::getNaN(zero->getType()));
  Complex result = choose(call, is_zero(call, x), {of_zero, of_zero}, {general[0], general[1]});
  return choose(call, is_zero(call, y), {number(call, 1), zero}, result);
}

Leaves pow(const ScalarCall &call) {
  llvm::IRBuilder<> &b = call.b;
  Complex x = first(call), y = second(call);
  auto *real = llvm::dyn_cast<llvm::ConstantFP>(y.real);
  auto *imag = llvm::dyn_cast<llvm::ConstantFP>(y.imag);
  Complex one{number(call, 1), number(call, 0)};
  if (real && imag) {
    const double exponent = real->getType()->isFloatTy() ? real->getValueAPF().convertToFloat()
                                                         : real->getValueAPF().convertToDouble();
    const double magnitude = std::fabs(exponent);
    if (!imag->isZero() || magnitude > kLargestMultiplied || magnitude != std::floor(magnitude))
      return general_power(call, x, y);
    if (exponent == 0)
      return one;
    Complex result = power_by_squaring(x, static_cast<uint64_t>(magnitude),
                                       [&](Complex u, Complex v) { return product(call, u, v); });
    return exponent > 0 ? result : inverse_power(call, x, result);
  }
  auto block = [&](const char *name) {
    return llvm::BasicBlock::Create(call.module.context(), name, b.GetInsertBlock()->getParent());
  };
  llvm::BasicBlock *multiply = block("power_integer"), *general = block("power_general"),
                   *done = block("power_done");
  Value *magnitude = fabs(call, y.real), *zero = number(call, 0);
  Value *is_integer =
      b.CreateFCmpOEQ(b.CreateUnaryIntrinsic(intrinsic::floor, magnitude), magnitude);
  Value *is_small = b.CreateAnd(b.CreateFCmpOLE(magnitude, number(call, kLargestMultiplied)),
                                b.CreateFCmpOGT(magnitude, zero));
  b.CreateCondBr(b.CreateAnd(b.CreateFCmpOEQ(y.imag, zero), b.CreateAnd(is_integer, is_small)),
                 multiply, general);
  b.SetInsertPoint(multiply);
  Complex positive = multiplied_power(call, x, b.CreateFPToUI(magnitude, b.getInt32Ty()));
  Complex integer_power =
      choose(call, b.CreateFCmpOGT(y.real, zero), positive, inverse_power(call, x, positive));
  multiply = b.GetInsertBlock();
  b.CreateBr(done);
  b.SetInsertPoint(general);
  Complex other = general_power(call, x, y);
  general = b.GetInsertBlock();
  b.CreateBr(done);
  b.SetInsertPoint(done);
  auto joined = [&](Value *of_integer, Value *of_other) {
    llvm::PHINode *phi = b.CreatePHI(of_other->getType(), 2);
    phi->addIncoming(of_integer, multiply);
    phi->addIncoming(of_other, general);
    return phi;
  };
  return {joined(integer_power.real, other.real), joined(integer_power.imag, other.imag)};
}

} // namespace
} // namespace complexes

const LoweringFunction *complex_lowerings() {
  static constexpr LoweringFunction functions[] = {
#define FN(name) complexes::name
#define NUMJIT_SCALAR_OP(id, name, arity, oper, numpy, other, rule, check, boolean, integer, real, \
                         complex, ...)                                                             \
  function_of(complex),
#include "typeinfer/ir/scalar_ops.def"
#undef NUMJIT_SCALAR_OP
#undef FN
  };
  return functions;
}

// --- libm on a GPU, from functions of its real one ---

namespace complexes {
namespace {

/// What lowerings of other functions are made of, in terms of real ones; the rest is in
/// pyext/numjit/library/python/complex_functions.py.
struct DeviceMath {
  const ScalarCall &call;

  llvm::IRBuilder<> &b() const { return call.b; }
  Value *real(const char *name, Value *x) const { return call_libm(call, name, {x}); }
  Value *mul(Value *x, Value *y) const { return b().CreateFMul(x, y); }
  Complex times(Complex u, Complex v) const {
    return {b().CreateFSub(mul(u.real, v.real), mul(u.imag, v.imag)),
            b().CreateFAdd(mul(u.real, v.imag), mul(u.imag, v.real))};
  }
  /// i z, and -i z.
  Complex turned(Complex z) const { return {b().CreateFNeg(z.imag), z.real}; }
  Complex turned_back(Complex z) const { return {z.imag, b().CreateFNeg(z.real)}; }

  /// A product with sin(y); a y of 0 stays what it is, also beside infinity.
  Value *times_sine(Value *x, Value *y) const {
    Value *is_zero = b().CreateFCmpOEQ(y, llvm::ConstantFP::get(y->getType(), 0));
    return b().CreateSelect(is_zero, y, mul(x, real("sin", y)));
  }

  Complex exp(Complex z) const {
    Value *size = real("exp", z.real);
    return {mul(size, real("cos", z.imag)), times_sine(size, z.imag)};
  }
  Complex log(Complex z) const {
    return {real("log", call_libm(call, "hypot", {z.real, z.imag})),
            call_libm(call, "atan2", {z.imag, z.real})};
  }
  Complex sinh(Complex z) const {
    return {mul(real("sinh", z.real), real("cos", z.imag)),
            times_sine(real("cosh", z.real), z.imag)};
  }
};

} // namespace
} // namespace complexes

Leaves device_complex_libm(const ScalarCall &call, const std::string &name,
                           llvm::ArrayRef<llvm::Value *> x) {
  const complexes::DeviceMath math{call};
  const complexes::Complex z{x[0], x[1]};
  if (name == "cexp")
    return math.exp(z);
  if (name == "clog")
    return math.log(z);
  if (name == "csin")
    return math.turned_back(math.sinh(math.turned(z)));
  if (name == "cpow")
    return math.exp(math.times({x[2], x[3]}, math.log(z)));
  throw InternalError("no complex function " + name + " for GPUs");
}

} // namespace numjit::codegen
