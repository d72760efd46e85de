// The table of scalar operations and its typing rules.
#include "typeinfer/ir/scalar_ops.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

using namespace numjit;
using namespace numjit::scalar;

namespace {

struct RuleRow {
  Form form;
  const char *name;
  const char *results; ///< a NumPy type character per operand type or pair of them, see
                       ///< data/make_scalar_rules.py
};
const RuleRow kRules[] = {
#include "tests/cpp/data/scalar_rules.inc"
};

/// float16 and bfloat16 are not in the tables.
constexpr int kTypes = kScalarCount - 2;

const Type *type_at(int index) { return types::scalar(static_cast<ScalarId>(index)); }

TEST(ScalarOps, ResultsAreThoseOfNumbaAndNumPy) {
  for (const RuleRow &rule : kRules) {
    const Row *row = by_name(rule.name);
    ASSERT_TRUE(row) << rule.name;
    const std::string expected = rule.results;
    ASSERT_EQ(expected.size(), static_cast<size_t>(row->arity == 1 ? kTypes : kTypes * kTypes));
    for (size_t i = 0; i < expected.size(); ++i) {
      std::vector<const Type *> operands;
      if (row->arity == 2)
        operands.push_back(type_at(i / kTypes));
      operands.push_back(type_at(i % kTypes));
      auto signature = resolve(*row, operands, rule.form);
      std::string text = rule.name;
      for (const Type *operand : operands)
        text += " " + operand->text;
      EXPECT_EQ(signature ? scalar_row(signature->result->scalar).numpy_char : '.', expected[i])
          << text;
    }
  }
}

TEST(ScalarOps, NamesLeadToRows) {
  EXPECT_EQ(by_operator(Operator::Add)->id, OpId::Add);
  EXPECT_EQ(by_operator(Operator::In), nullptr);
  EXPECT_EQ(by_name("operator.iand")->id, OpId::And);
  EXPECT_EQ(by_name("operator.truediv")->id, OpId::TrueDiv);
  EXPECT_EQ(by_name("numpy.true_divide")->id, OpId::TrueDiv);
  EXPECT_EQ(by_name("math.sin")->id, OpId::Sin);
  EXPECT_EQ(by_name("cmath.phase")->id, OpId::Angle);
  EXPECT_EQ(by_name("numpy.nonsense"), nullptr);
  EXPECT_EQ(by_printed_name("floordiv")->id, OpId::FloorDiv);
  for (const Row &row : rows()) {
    EXPECT_EQ(by_printed_name(row.name), &row);
    EXPECT_EQ(&scalar::row(row.id), &row);
  }
}

TEST(ScalarOps, MixedComparisonsKeepBothTypes) {
  auto operand = [](std::array<const Type *, 2> operands, size_t i) {
    const auto signature = resolve(*by_operator(Operator::Lt), operands, Form::Python);
    return signature ? signature->operand(i) : nullptr;
  };
  EXPECT_EQ(operand({types::int64(), types::uint64()}, 0), types::int64());
  EXPECT_EQ(operand({types::int64(), types::uint64()}, 1), types::uint64());
  EXPECT_EQ(operand({types::uint64(), types::uint64()}, 1), types::uint64());
}

TEST(ScalarOps, RefusesWhatIsNoScalarOrTooMany) {
  const Type *tuple[] = {types::uniform_tuple(types::int64(), 2), types::int64()};
  EXPECT_FALSE(resolve(*by_operator(Operator::Add), tuple, Form::Python));
  const Type *one[] = {types::int64()};
  EXPECT_FALSE(resolve(*by_operator(Operator::Add), one, Form::Python));
}

TEST(ScalarOps, ConversionsAreRanked) {
  auto named = [](const char *name) { return types::scalar_named(name); };
  EXPECT_EQ(conversion(named("int32"), named("int32")), Conversion::Exact);
  EXPECT_EQ(conversion(named("int32"), named("int64")), Conversion::Promote);
  EXPECT_EQ(conversion(named("float32"), named("float64")), Conversion::Promote);
  EXPECT_EQ(conversion(named("uint8"), named("int16")), Conversion::Safe);
  EXPECT_EQ(conversion(named("int64"), named("float64")), Conversion::Safe);
  EXPECT_EQ(conversion(named("bool"), named("complex64")), Conversion::Safe);
  EXPECT_EQ(conversion(named("uint16"), named("float32")), Conversion::Unsafe);
  EXPECT_EQ(conversion(named("float64"), named("int64")), Conversion::Unsafe);
  EXPECT_EQ(conversion(named("complex64"), named("float64")), Conversion::None);
}

} // namespace
