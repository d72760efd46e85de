// The lowering columns of scalar_ops.def, KIND:NAME, become emitters once; emitting is then an
// indexed call. Kinds:
//
//   instr:add    the instruction for integers or floats
//   cmp:lt       a comparison of integers or floats
//   llvm:sqrt    an intrinsic overloaded on the operand
//   libm:sin     sin or sinf
//   clibm:csin   csin or csinf
//   is:same      the operand, or its `first` or `last` part; other names are constants
//   expr:x * x   a formula, see scalar_expression.h
//   exact:x != x a formula that means what it says under fast-math too
//   FN(floordiv) a function of lower_*.cpp
#include "codegen/emit/scalar_expression.h"
#include "typeinfer/errors.h"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>

namespace numjit::codegen {

namespace {

using llvm::Value;
using llvm::Intrinsic::ID;

/// An emitter and what distinguishes it from others of its kind.
struct Lowering {
  Leaves (*emit)(const ScalarCall &call, const Lowering &self) = nullptr;
  LoweringFunction function = nullptr;
  std::shared_ptr<const ScalarExpression> expression;
  unsigned signed_code = 0, unsigned_code = 0, float_code = 0; ///< opcodes, predicates, intrinsics
  bool flag = false;
  std::string name;
};

// --- instr ---

using Instruction = llvm::Instruction;
struct InstructionRow {
  std::string_view name;
  unsigned signed_code, unsigned_code, float_code;
};
constexpr InstructionRow kInstructions[] = {
    {"add", Instruction::Add, Instruction::Add, Instruction::FAdd},
    {"sub", Instruction::Sub, Instruction::Sub, Instruction::FSub},
    {"mul", Instruction::Mul, Instruction::Mul, Instruction::FMul},
    {"div", Instruction::SDiv, Instruction::UDiv, Instruction::FDiv},
    {"and", Instruction::And, Instruction::And, 0},
    {"or", Instruction::Or, Instruction::Or, 0},
    {"xor", Instruction::Xor, Instruction::Xor, 0},
};

unsigned code_for(const ScalarCall &call, const Lowering &self) {
  return call.type->is_float() ? self.float_code
         : call.is_signed()    ? self.signed_code
                               : self.unsigned_code;
}

Leaves emit_instruction(const ScalarCall &call, const Lowering &self) {
  auto code = static_cast<Instruction::BinaryOps>(code_for(call, self));
  return {call.b.CreateBinOp(code, call[0], call[1])};
}

/// A condition, then the leaves of one value and of another.
Leaves emit_select(const ScalarCall &call, const Lowering &) {
  const size_t leaves = (call.x.size() - 1) / 2;
  Leaves result;
  for (size_t i = 1; i <= leaves; ++i)
    result.push_back(call.b.CreateSelect(call[0], call[i], call[i + leaves]));
  return result;
}

Leaves emit_not(const ScalarCall &call, const Lowering &) { return {call.b.CreateNot(call[0])}; }
Leaves emit_neg(const ScalarCall &call, const Lowering &) {
  return {call.type->is_float() ? call.b.CreateFNeg(call[0]) : call.b.CreateNeg(call[0])};
}

// --- cmp ---

using Compare = llvm::CmpInst;
constexpr InstructionRow kComparisons[] = {
    {"lt", Compare::ICMP_SLT, Compare::ICMP_ULT, Compare::FCMP_OLT},
    {"le", Compare::ICMP_SLE, Compare::ICMP_ULE, Compare::FCMP_OLE},
    {"gt", Compare::ICMP_SGT, Compare::ICMP_UGT, Compare::FCMP_OGT},
    {"ge", Compare::ICMP_SGE, Compare::ICMP_UGE, Compare::FCMP_OGE},
    {"eq", Compare::ICMP_EQ, Compare::ICMP_EQ, Compare::FCMP_OEQ},
    {"ne", Compare::ICMP_NE, Compare::ICMP_NE, Compare::FCMP_UNE},
};

/// Exact comparison of an int64 with a uint64: a negative number is less than any unsigned one.
Value *compare_mixed(const ScalarCall &call, const Lowering &self) {
  const bool first_is_signed = call.is_signed();
  Value *negative = call.b.CreateICmpSLT(call[first_is_signed ? 0 : 1], call.b.getInt64(0));
  auto predicate = static_cast<Compare::Predicate>(self.unsigned_code);
  Value *by_size = call.b.CreateICmp(predicate, call[0], call[1]);
  // What the operator says of (-1, 0) or (0, -1).
  const bool less = predicate == Compare::ICMP_ULT || predicate == Compare::ICMP_ULE;
  const bool greater = predicate == Compare::ICMP_UGT || predicate == Compare::ICMP_UGE;
  const bool answer = predicate == Compare::ICMP_NE || (first_is_signed ? less : greater);
  return call.b.CreateSelect(negative, call.b.getInt1(answer), by_size);
}

Leaves emit_comparison(const ScalarCall &call, const Lowering &self) {
  if (call.type != call.second)
    return {compare_mixed(call, self)};
  auto predicate = static_cast<Compare::Predicate>(code_for(call, self));
  // Infinity is what values are compared with, by programs that mean arithmetic by ninf.
  llvm::IRBuilderBase::FastMathFlagGuard guard(call.b);
  llvm::FastMathFlags flags = call.b.getFastMathFlags();
  flags.setNoInfs(false);
  call.b.setFastMathFlags(flags);
  return {call.b.CreateCmp(predicate, call[0], call[1])};
}

// --- llvm ---

namespace intrinsic = llvm::Intrinsic;
constexpr InstructionRow kIntrinsics[] = {
    {"fabs", 0, 0, intrinsic::fabs},
    {"sqrt", 0, 0, intrinsic::sqrt},
    {"floor", 0, 0, intrinsic::floor},
    {"ceil", 0, 0, intrinsic::ceil},
    {"trunc", 0, 0, intrinsic::trunc},
    {"roundeven", 0, 0, intrinsic::roundeven},
    {"copysign", 0, 0, intrinsic::copysign},
    {"fma", 0, 0, intrinsic::fma},
    {"minimum", 0, 0, intrinsic::minimum},
    {"maximum", 0, 0, intrinsic::maximum},
    {"minnum", 0, 0, intrinsic::minnum},
    {"maxnum", 0, 0, intrinsic::maxnum},
    {"min", intrinsic::smin, intrinsic::umin, 0},
    {"max", intrinsic::smax, intrinsic::umax, 0},
    {"bitreverse", intrinsic::bitreverse, intrinsic::bitreverse, 0},
};

Leaves emit_intrinsic(const ScalarCall &call, const Lowering &self) {
  const auto id = static_cast<ID>(code_for(call, self));
  llvm::CallInst *result = call.b.CreateIntrinsic(id, {call.llvm_type()}, call.x);
  // NumPy does not say which of 0.0 and -0.0 is the less; to order them takes twice the
  // instructions.
  if (llvm::is_contained(
          {intrinsic::minimum, intrinsic::maximum, intrinsic::minnum, intrinsic::maxnum}, id))
    result->setHasNoSignedZeros(true);
  return {result};
}

// --- libm ---

Leaves emit_libm(const ScalarCall &call, const Lowering &self) {
  return {call_libm(call, self.name, call.x)};
}
Leaves emit_complex_libm(const ScalarCall &call, const Lowering &self) {
  return call_complex_libm(call, self.name, call.x);
}

// --- is, expr, FN ---

Leaves emit_same(const ScalarCall &call, const Lowering &) {
  return Leaves(call.x.begin(), call.x.end());
}
Leaves emit_first(const ScalarCall &call, const Lowering &) { return {call.x.front()}; }
Leaves emit_last(const ScalarCall &call, const Lowering &) { return {call.x.back()}; }
Leaves emit_constant_bool(const ScalarCall &call, const Lowering &self) {
  return {call.b.getInt1(self.flag)};
}
Leaves emit_zero(const ScalarCall &call, const Lowering &) {
  return {llvm::Constant::getNullValue(call.llvm_type())};
}
Leaves emit_expression(const ScalarCall &call, const Lowering &self) {
  llvm::IRBuilderBase::FastMathFlagGuard guard(call.b);
  if (self.flag)
    call.b.clearFastMathFlags();
  return self.expression->emit(call);
}
Leaves emit_function(const ScalarCall &call, const Lowering &self) { return self.function(call); }

// --- parsing ---

bool from_rows(Lowering &lowering, std::span<const InstructionRow> rows, std::string_view name) {
  for (const InstructionRow &row : rows)
    if (row.name == name) {
      lowering.signed_code = row.signed_code;
      lowering.unsigned_code = row.unsigned_code;
      lowering.float_code = row.float_code;
      return true;
    }
  return false;
}

struct NamedEmitter {
  std::string_view name;
  Leaves (*emit)(const ScalarCall &call, const Lowering &self);
};
constexpr NamedEmitter kPlain[] = {
    {"instr:not", emit_not}, {"instr:neg", emit_neg},  {"instr:select", emit_select},
    {"is:same", emit_same},  {"is:first", emit_first}, {"is:last", emit_last},
    {"is:zero", emit_zero},
};

/// What a column says: a text, or a function of lower_*.cpp.
Lowering parse(std::string_view text, LoweringFunction function = nullptr) {
  Lowering lowering;
  if (function) {
    lowering.function = function;
    lowering.emit = emit_function;
    return lowering;
  }
  if (text.empty() || text == "none")
    return lowering;
  for (const NamedEmitter &row : kPlain)
    if (row.name == text) {
      lowering.emit = row.emit;
      return lowering;
    }
  const size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon), name = text.substr(colon + 1);
  lowering.name = name;
  bool known = true;
  if (kind == "instr") {
    lowering.emit = emit_instruction;
    known = from_rows(lowering, kInstructions, name);
  } else if (kind == "cmp") {
    lowering.emit = emit_comparison;
    known = from_rows(lowering, kComparisons, name);
  } else if (kind == "llvm") {
    lowering.emit = emit_intrinsic;
    known = from_rows(lowering, kIntrinsics, name);
  } else if (kind == "libm") {
    lowering.emit = emit_libm;
  } else if (kind == "clibm") {
    lowering.emit = emit_complex_libm;
  } else if (kind == "expr" || kind == "exact") {
    lowering.flag = kind == "exact";
    lowering.expression = std::make_shared<const ScalarExpression>(name);
    lowering.emit = emit_expression;
  } else {
    lowering.flag = name == "true";
    lowering.emit = emit_constant_bool;
    known = text == "is:true" || text == "is:false";
  }
  if (!known)
    throw InternalError("unknown lowering " + std::string(text));
  return lowering;
}

/// Lowerings of a row for bool, integers, floats and complex numbers.
using RowLowerings = std::array<Lowering, 4>;

const std::vector<RowLowerings> &lowerings() {
  static const std::vector<RowLowerings> table = [] {
    std::vector<RowLowerings> rows;
    for (const scalar::Row &row : scalar::rows()) {
      const auto i = static_cast<size_t>(row.id);
      rows.push_back({parse(row.boolean), parse(row.integer, integer_lowerings()[i]),
                      parse(row.real, real_lowerings()[i]),
                      parse(row.complex, complex_lowerings()[i])});
    }
    return rows;
  }();
  return table;
}

size_t column_of(ScalarClass cls) {
  switch (cls) {
  case ScalarClass::Bool: return 0;
  case ScalarClass::Signed:
  case ScalarClass::Unsigned: return 1;
  case ScalarClass::Float: return 2;
  case ScalarClass::Complex: return 3;
  }
  llvm_unreachable("class");
}

} // namespace

Leaves emit_scalar(scalar::OpId op, const ScalarCall &call) {
  const Lowering &lowering = lowerings()[static_cast<size_t>(op)][column_of(call.type->cls())];
  if (!lowering.emit)
    throw InternalError("operation " + std::string(scalar::row(op).name) + " has no lowering for " +
                        call.type->text);
  return lowering.emit(call, lowering);
}

namespace {

/// The name of a function of libm, for GPUs with fast-math that of the one the hardware has.
std::string libm_symbol(const ScalarCall &call, const std::string &name, bool single) {
  static constexpr std::string_view approximate[] = {"sin", "cos",  "tan",   "exp",
                                                     "log", "log2", "log10", "pow"};
  if (!single)
    return name;
  if (call.module.on_cuda() && call.b.getFastMathFlags().approxFunc() &&
      std::find(std::begin(approximate), std::end(approximate), name) != std::end(approximate))
    return "fast_" + name + "f";
  return name + "f";
}

} // namespace

Value *call_libm(const ScalarCall &call, const std::string &name, llvm::ArrayRef<Value *> x) {
  llvm::Type *type = x[0]->getType();
  llvm::SmallVector<llvm::Type *, 3> parameters(x.size(), type);
  llvm::Function *callee = call.module.pure_function(
      libm_symbol(call, name, type->isFloatTy()), llvm::FunctionType::get(type, parameters, false));
  llvm::CallInst *result = call.b.CreateCall(callee, x);
  result->setFastMathFlags(call.b.getFastMathFlags());
  return result;
}

/// x86-64 passes a complex double as two doubles and a complex float as one vector of two.
Leaves call_complex_libm(const ScalarCall &call, const std::string &name,
                         llvm::ArrayRef<Value *> x) {
  if (call.module.on_cuda())
    return device_complex_libm(call, name, x);
  llvm::IRBuilder<> &b = call.b;
  llvm::Type *part = x[0]->getType();
  if (part->isDoubleTy()) {
    llvm::SmallVector<llvm::Type *, 4> parameters(x.size(), part);
    llvm::Type *pair = llvm::StructType::get(part, part);
    llvm::Value *result = b.CreateCall(
        call.module.pure_function(name, llvm::FunctionType::get(pair, parameters, false)), x);
    return {b.CreateExtractValue(result, 0), b.CreateExtractValue(result, 1)};
  }
  llvm::Type *pair = llvm::FixedVectorType::get(part, 2);
  llvm::SmallVector<llvm::Type *, 4> parameters(x.size() / 2, pair);
  Leaves arguments;
  for (size_t i = 0; i < x.size(); i += 2) {
    Value *both = b.CreateInsertElement(llvm::PoisonValue::get(pair), x[i], uint64_t(0));
    arguments.push_back(b.CreateInsertElement(both, x[i + 1], uint64_t(1)));
  }
  Value *result = b.CreateCall(
      call.module.pure_function(name + "f", llvm::FunctionType::get(pair, parameters, false)),
      arguments);
  return {b.CreateExtractElement(result, uint64_t(0)), b.CreateExtractElement(result, uint64_t(1))};
}

} // namespace numjit::codegen
