// Damaged bytecode never crashes the frontend, and broken SSA is noticed by the verifier.
#include "frontend/opcodes.h"
#include "tests/cpp/code_fixture.h"

#include <gtest/gtest.h>

#include <random>

using namespace numjit;

namespace {

TEST(Damage, NeverCrashes) {
  fixture::Names names;
  std::mt19937 random(20240607);
  constexpr int tries = 40;
  for (int minor : fixture::minors)
    for (const FunctionDef *original : fixture::functions(minor).all)
      for (int attempt = 0; attempt < tries; ++attempt) {
        FunctionDef def;
        def.code = original->code;
        std::vector<uint8_t> *parts[] = {&def.code.bytecode, &def.code.bytecode, &def.code.bytecode,
                                         &def.code.linetable, &def.code.exceptiontable};
        for (unsigned changes = 1 + random() % 4; changes > 0; --changes) {
          std::vector<uint8_t> &bytes = *parts[random() % std::size(parts)];
          if (!bytes.empty())
            bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
        }
        if (random() % 8 == 0)
          def.code.bytecode.resize(random() % (def.code.bytecode.size() + 1));
        auto function = build_ssa(def, names);
        ASSERT_EQ(ssa::verify(*function), "") << print_bytecode(def) << "\n"
                                              << ssa::print(*function);
      }
}

TEST(Damage, ToTablesAloneKeepsTheCode) {
  fixture::Names names;
  FunctionDef def;
  def.code = fixture::functions(12)["straight"].code;
  def.code.linetable = {0xff, 0xff, 0xff};
  def.code.exceptiontable = {0x80};
  auto function = build_ssa(def, names);
  EXPECT_EQ(ssa::verify(*function), "");
  EXPECT_EQ(function->blocks[0].terminator()->op, ssa::Op::Return);
}

TEST(Damage, EmptyOrUnknownCodeIsRefused) {
  fixture::Names names;
  for (int minor : {3, 12}) {
    FunctionDef def;
    def.code.minor = minor;
    auto function = build_ssa(def, names);
    EXPECT_EQ(ssa::verify(*function), "");
    EXPECT_EQ(function->blocks[0].values[0]->op, ssa::Op::Unsupported);
  }
}

/// A copy of a function's SSA that may be broken.
class Verifier : public testing::Test {
protected:
  Verifier()
      : function_(std::const_pointer_cast<ssa::Function>(
            build_ssa(fixture::functions(12)["for_else"], names_))) {}

  ssa::Value *first(ssa::Op op) {
    for (ssa::Block &block : function_->blocks)
      for (ssa::Value *value : block.values)
        if (value->op == op)
          return value;
    return nullptr;
  }

  fixture::Names names_;
  std::shared_ptr<ssa::Function> function_;
};

TEST_F(Verifier, AcceptsGoodFunctions) { EXPECT_EQ(ssa::verify(*function_), ""); }

TEST_F(Verifier, FindsMissingDefinitions) {
  // The loop's item doesn't exist behind the loop.
  first(ssa::Op::IterValue)->uses++;
  first(ssa::Op::Const)->uses--;
  function_->blocks.back().terminator()->operands = {first(ssa::Op::IterValue)};
  EXPECT_NE(ssa::verify(*function_).find("not defined on every way"), std::string::npos);
}

TEST_F(Verifier, FindsTrivialPhis) {
  ssa::Value *phi = first(ssa::Op::Phi);
  phi->operands[1] = phi->operands[0];
  EXPECT_NE(ssa::verify(*function_).find("trivial phi"), std::string::npos);
}

TEST_F(Verifier, FindsMissingOperands) {
  first(ssa::Op::Phi)->operands.pop_back();
  EXPECT_NE(ssa::verify(*function_).find("one operand per predecessor"), std::string::npos);
}

TEST_F(Verifier, FindsBrokenEdges) {
  function_->blocks[1].preds.pop_back();
  EXPECT_NE(ssa::verify(*function_).find("is not there once"), std::string::npos);
}

TEST_F(Verifier, FindsMisplacedTerminators) {
  function_->blocks[0].values.pop_back();
  EXPECT_NE(ssa::verify(*function_).find("terminator"), std::string::npos);
}

TEST_F(Verifier, FindsWrongConditions) {
  ssa::Value *truth = first(ssa::Op::Operator);
  truth->oper = Operator::Neg;
  EXPECT_NE(ssa::verify(*function_).find("neither a truth"), std::string::npos);
}

TEST_F(Verifier, FindsWrongCounts) {
  first(ssa::Op::Param)->uses++;
  EXPECT_NE(ssa::verify(*function_).find("wrong count of uses"), std::string::npos);
}

} // namespace
