// Formulas of scalar_ops.def: how they are read, and what is refused. What the rows mean is in
// test_codegen_scalars.cpp.
#include "codegen/emit/module_emitter.h"
#include "codegen/emit/scalar_expression.h"
#include "typeinfer/errors.h"

#include <gtest/gtest.h>

#include <string>

using namespace numjit;

namespace {

std::string problem(std::string_view formula) {
  try {
    codegen::ScalarExpression expression(formula);
    return "";
  } catch (const InternalError &error) {
    return error.what();
  }
}

TEST(ScalarExpression, ReadsFormulas) {
  for (const char *formula :
       {"x", "-x * 2", "x < 0 | x > 0 ? copysign(1, x) : 0", "a = fabs(x); b = a * a; a + b",
        "fabs(x) > at(0x1p60, 0x1p500)", "libm.atan2(y, x)", "result(!signbit(x))",
        "x != x ? nan : -0.0", "x * (180 / pi)"})
    EXPECT_EQ(problem(formula), "") << formula;
}

TEST(ScalarExpression, RefusesWhatIsNoFormula) {
  const std::pair<const char *, const char *> cases[] = {
      {"", "expected a value"},
      {"x +", "expected a value"},
      {"x y", "'y' is left"},
      {"(x", "expected ')'"},
      {"x ? 1", "expected ':'"},
      {"w + 1", "no value is named 'w'"},
      {"sinn(x)", "no row 'sinn'"},
      {"sin(x, y)", "no row 'sin' takes 2"},
      {"a = x", "expected ';'"},
      {"a = x; b", "no value is named 'b'"},
      {"1 < 2 ? x : y", "are compared"},
      {"0x * x", "bad number"},
  };
  for (auto [formula, expected] : cases)
    EXPECT_NE(problem(formula).find(expected), std::string::npos)
        << formula << ": " << problem(formula);
}

TEST(ScalarExpression, NumbersAloneAreOfTheOperandsType) {
  const tir::Module source;
  llvm::LLVMContext context;
  const codegen::EmitOptions options;
  codegen::ModuleEmitter emitter(source, context, options);
  llvm::IRBuilder<> b(context);
  llvm::Type *real = b.getDoubleTy();
  llvm::Function *function =
      llvm::Function::Create(llvm::FunctionType::get(real, {real}, false),
                             llvm::Function::ExternalLinkage, "f", emitter.module());
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "", function));
  llvm::Value *x = function->getArg(0);
  const codegen::ScalarCall call{b, emitter, types::float64(), types::float64(), types::float64(),
                                 x};
  for (const char *formula :
       {"1", "sqrt(2) * x", "a = 2; exp(a)", "libm.sin(1)", "result(1) + x"}) {
    const codegen::Leaves leaves = codegen::ScalarExpression(formula).emit(call);
    ASSERT_EQ(leaves.size(), 1) << formula;
    EXPECT_EQ(leaves[0]->getType(), real) << formula;
  }
}

} // namespace
