// Operations on complex numbers: two leaves, real and imaginary part.
#include "codegen/emit/lowering_functions.h"
#include "typeinfer/errors.h"

#include <llvm/IR/Intrinsics.h>

#include <cmath>
#include <numbers>

namespace numjit::codegen {

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
Complex scaled(const ScalarCall &call, Complex z, double factor) {
  Value *by = number(call, factor);
  return {call.b.CreateFMul(z.real, by), call.b.CreateFMul(z.imag, by)};
}
Complex libm(const ScalarCall &call, const char *name, Complex z) {
  Leaves result = call_complex_libm(call, name, Leaves(z));
  return {result[0], result[1]};
}

// --- arithmetic ---

Leaves add(const ScalarCall &call) {
  return {call.b.CreateFAdd(call[0], call[2]), call.b.CreateFAdd(call[1], call[3])};
}
Leaves add_any_order(const ScalarCall &call) {
  return {emit_add_any_order(call.b, call[0], call[2]),
          emit_add_any_order(call.b, call[1], call[3])};
}
Leaves sub(const ScalarCall &call) {
  return {call.b.CreateFSub(call[0], call[2]), call.b.CreateFSub(call[1], call[3])};
}
Leaves neg(const ScalarCall &call) {
  return {call.b.CreateFNeg(call[0]), call.b.CreateFNeg(call[1])};
}
Leaves conj(const ScalarCall &call) { return {call[0], call.b.CreateFNeg(call[1])}; }

Complex product(const ScalarCall &call, Complex x, Complex y) {
  llvm::IRBuilder<> &b = call.b;
  return {b.CreateFSub(b.CreateFMul(x.real, y.real), b.CreateFMul(x.imag, y.imag)),
          b.CreateFAdd(b.CreateFMul(x.real, y.imag), b.CreateFMul(x.imag, y.real))};
}
Leaves mul(const ScalarCall &call) { return product(call, first(call), second(call)); }
Leaves square(const ScalarCall &call) { return product(call, first(call), first(call)); }

/// Smith's algorithm, as CPython and NumPy do: dividing by the larger part first avoids overflow.
/// Without branches, so that loops vectorise. A divisor of 0 gives infinities and NaN.
Complex quotient(const ScalarCall &call, Complex x, Complex y) {
  llvm::IRBuilder<> &b = call.b;
  Value *real_larger = b.CreateFCmpOGE(fabs(call, y.real), fabs(call, y.imag));
  Value *large = b.CreateSelect(real_larger, y.real, y.imag);
  Value *small = b.CreateSelect(real_larger, y.imag, y.real);
  Value *zero = number(call, 0);
  Value *is_zero = b.CreateFCmpOEQ(large, zero);
  Value *ratio = b.CreateSelect(is_zero, zero, b.CreateFDiv(small, large));
  Value *sum = b.CreateFAdd(large, b.CreateFMul(small, ratio));
  Value *divisor = b.CreateSelect(is_zero, zero, sum);
  Value *real_scaled = b.CreateFMul(x.real, ratio), *imag_scaled = b.CreateFMul(x.imag, ratio);
  Value *real = b.CreateSelect(real_larger, b.CreateFAdd(x.real, imag_scaled),
                               b.CreateFAdd(real_scaled, x.imag));
  Value *imag = b.CreateSelect(real_larger, b.CreateFSub(x.imag, real_scaled),
                               b.CreateFSub(imag_scaled, x.real));
  return {b.CreateFDiv(real, divisor), b.CreateFDiv(imag, divisor)};
}
Leaves div(const ScalarCall &call) { return quotient(call, first(call), second(call)); }
Leaves reciprocal(const ScalarCall &call) {
  return quotient(call, {number(call, 1), number(call, 0)}, first(call));
}

Leaves abs(const ScalarCall &call) { return {emit_hypot(call, call[0], call[1])}; }

/// z / |z|; of infinite numbers the direction of their infinite part.
Leaves sign(const ScalarCall &call) {
  llvm::IRBuilder<> &b = call.b;
  Value *zero = number(call, 0), *one = number(call, 1);
  Value *infinity = llvm::ConstantFP::getInfinity(call.llvm_type());
  Value *size = emit_hypot(call, call[0], call[1]);
  Value *is_zero = b.CreateFCmpOEQ(size, zero), *is_infinite = b.CreateFCmpOEQ(size, infinity);
  auto direction = [&](Value *part) {
    Value *unit = b.CreateBinaryIntrinsic(intrinsic::copysign, one, part);
    return b.CreateSelect(b.CreateFCmpOEQ(fabs(call, part), infinity), unit, zero);
  };
  Complex usual{b.CreateFDiv(call[0], size), b.CreateFDiv(call[1], size)};
  Complex infinite{direction(call[0]), direction(call[1])};
  return choose(call, is_zero, {zero, zero}, choose(call, is_infinite, infinite, usual));
}

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

Leaves power(const ScalarCall &call) {
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

// --- comparisons: NumPy's order, by real part, then by imaginary part ---

Value *ordered(const ScalarCall &call, llvm::CmpInst::Predicate outer,
               llvm::CmpInst::Predicate inner) {
  llvm::IRBuilder<> &b = call.b;
  Value *comparable = b.CreateFCmpORD(call[1], call[3]);
  Value *by_real = b.CreateAnd(b.CreateFCmp(outer, call[0], call[2]), comparable);
  Value *by_imag =
      b.CreateAnd(b.CreateFCmpOEQ(call[0], call[2]), b.CreateFCmp(inner, call[1], call[3]));
  return b.CreateOr(by_real, by_imag);
}
using Predicate = llvm::CmpInst::Predicate;
Leaves lt(const ScalarCall &call) {
  return {ordered(call, Predicate::FCMP_OLT, Predicate::FCMP_OLT)};
}
Leaves le(const ScalarCall &call) {
  return {ordered(call, Predicate::FCMP_OLT, Predicate::FCMP_OLE)};
}
Leaves gt(const ScalarCall &call) {
  return {ordered(call, Predicate::FCMP_OGT, Predicate::FCMP_OGT)};
}
Leaves ge(const ScalarCall &call) {
  return {ordered(call, Predicate::FCMP_OGT, Predicate::FCMP_OGE)};
}
Leaves eq(const ScalarCall &call) {
  llvm::IRBuilder<> &b = call.b;
  return {b.CreateAnd(b.CreateFCmpOEQ(call[0], call[2]), b.CreateFCmpOEQ(call[1], call[3]))};
}
Leaves ne(const ScalarCall &call) {
  llvm::IRBuilder<> &b = call.b;
  return {b.CreateOr(b.CreateFCmpUNE(call[0], call[2]), b.CreateFCmpUNE(call[1], call[3]))};
}

Value *is_nan(const ScalarCall &call, Complex z) {
  llvm::IRBuilderBase::FastMathFlagGuard guard(call.b);
  call.b.clearFastMathFlags();
  return call.b.CreateFCmpUNO(z.real, z.imag);
}
Leaves minimum(const ScalarCall &call) {
  Value *keep = call.b.CreateOr(is_nan(call, first(call)), le(call).front());
  return choose(call, keep, first(call), second(call));
}
Leaves maximum(const ScalarCall &call) {
  Value *keep = call.b.CreateOr(is_nan(call, first(call)), ge(call).front());
  return choose(call, keep, first(call), second(call));
}
Leaves fmin(const ScalarCall &call) {
  Value *keep = call.b.CreateOr(is_nan(call, second(call)), le(call).front());
  return choose(call, keep, first(call), second(call));
}
Leaves fmax(const ScalarCall &call) {
  Value *keep = call.b.CreateOr(is_nan(call, second(call)), ge(call).front());
  return choose(call, keep, first(call), second(call));
}

Value *any_infinite(const ScalarCall &call) {
  llvm::IRBuilderBase::FastMathFlagGuard guard(call.b);
  call.b.clearFastMathFlags();
  Value *infinity = llvm::ConstantFP::getInfinity(call.llvm_type());
  return call.b.CreateOr(call.b.CreateFCmpOEQ(fabs(call, call[0]), infinity),
                         call.b.CreateFCmpOEQ(fabs(call, call[1]), infinity));
}
Leaves isreal(const ScalarCall &call) {
  return {call.b.CreateFCmpOEQ(call[1], llvm::ConstantFP::getZero(call[1]->getType()))};
}
Leaves iscomplex(const ScalarCall &call) {
  return {call.b.CreateFCmpUNE(call[1], llvm::ConstantFP::getZero(call[1]->getType()))};
}
Leaves isnan(const ScalarCall &call) { return {is_nan(call, first(call))}; }
Leaves replace_nan(const ScalarCall &call) {
  return choose(call, is_nan(call, first(call)), second(call), first(call));
}
Leaves isinf(const ScalarCall &call) { return {any_infinite(call)}; }
Leaves isfinite(const ScalarCall &call) {
  return {call.b.CreateNot(call.b.CreateOr(is_nan(call, first(call)), any_infinite(call)))};
}

// --- parts ---

Leaves real(const ScalarCall &call) { return {call[0]}; }
Leaves imag(const ScalarCall &call) { return {call[1]}; }
Leaves angle(const ScalarCall &call) { return {call_libm(call, "atan2", {call[1], call[0]})}; }
Leaves rint(const ScalarCall &call) {
  return {call.b.CreateUnaryIntrinsic(intrinsic::roundeven, call[0]),
          call.b.CreateUnaryIntrinsic(intrinsic::roundeven, call[1])};
}

// --- functions that libm has no complex form of ---

Leaves sinc(const ScalarCall &call) {
  llvm::IRBuilder<> &b = call.b;
  Complex x = scaled(call, first(call), std::numbers::pi);
  Value *zero = number(call, 0);
  Value *is_zero = b.CreateAnd(b.CreateFCmpOEQ(x.real, zero), b.CreateFCmpOEQ(x.imag, zero));
  return choose(call, is_zero, {number(call, 1), zero}, quotient(call, libm(call, "csin", x), x));
}
Leaves exp2(const ScalarCall &call) {
  return libm(call, "cexp", scaled(call, first(call), std::numbers::ln2));
}
Leaves log2(const ScalarCall &call) {
  return scaled(call, libm(call, "clog", first(call)), std::numbers::log2e);
}
Leaves log10(const ScalarCall &call) {
  return scaled(call, libm(call, "clog", first(call)), std::numbers::log10e);
}
Leaves log1p(const ScalarCall &call) {
  Value *shifted = call.b.CreateFAdd(call[0], number(call, 1));
  return {call_libm(call, "log", {emit_hypot(call, shifted, call[1])}),
          call_libm(call, "atan2", {call[1], shifted})};
}
/// exp(x) cos(y) - 1 = expm1(x) cos(y) - 2 sin(y/2)**2, which keeps the digits of small x and y.
Leaves expm1(const ScalarCall &call) {
  llvm::IRBuilder<> &b = call.b;
  Value *half_sine = call_libm(call, "sin", {b.CreateFMul(call[1], number(call, 0.5))});
  Value *loss = b.CreateFMul(number(call, 2), b.CreateFMul(half_sine, half_sine));
  Value *growth =
      b.CreateFMul(call_libm(call, "expm1", {call[0]}), call_libm(call, "cos", {call[1]}));
  return {b.CreateFSub(growth, loss),
          b.CreateFMul(call_libm(call, "sin", {call[1]}), call_libm(call, "exp", {call[0]}))};
}

constexpr LoweringRow kRows[] = {
    {"complex_add", add},
    {"complex_sub", sub},
    {"complex_mul", mul},
    {"complex_div", div},
    {"complex_neg", neg},
    {"complex_abs", abs},
    {"complex_pow", power},
    {"complex_square", square},
    {"complex_reciprocal", reciprocal},
    {"complex_sign", sign},
    {"complex_conj", conj},
    {"complex_lt", lt},
    {"complex_le", le},
    {"complex_gt", gt},
    {"complex_ge", ge},
    {"complex_eq", eq},
    {"complex_ne", ne},
    {"complex_minimum", minimum},
    {"complex_maximum", maximum},
    {"complex_fmin", fmin},
    {"complex_fmax", fmax},
    {"complex_isreal", isreal},
    {"complex_iscomplex", iscomplex},
    {"complex_isnan", isnan},
    {"complex_isinf", isinf},
    {"complex_isfinite", isfinite},
    {"complex_real", real},
    {"complex_imag", imag},
    {"complex_angle", angle},
    {"complex_rint", rint},
    {"complex_sinc", sinc},
    {"complex_exp2", exp2},
    {"complex_log2", log2},
    {"complex_log10", log10},
    {"complex_log1p", log1p},
    {"complex_expm1", expm1},
    {"complex_replace_nan", replace_nan},
    {"complex_add_any_order", add_any_order},
};

} // namespace

llvm::ArrayRef<LoweringRow> complex_lowerings() { return kRows; }

// --- libm on a GPU, from functions of its real one ---

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

Leaves device_complex_libm(const ScalarCall &call, const std::string &name,
                           llvm::ArrayRef<Value *> x) {
  const DeviceMath math{call};
  const Complex z{x[0], x[1]};
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
