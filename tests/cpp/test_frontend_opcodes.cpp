// The opcode table against what the interpreters say about themselves.
#include "frontend/opcodes.h"
#include "tests/cpp/code_fixture.h"

#include <gtest/gtest.h>

using namespace numjit;

namespace {

class EveryVersion : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Opcodes, EveryVersion,
                         testing::ValuesIn(known_versions().begin(), known_versions().end()),
                         [](const auto &info) { return "py3" + std::to_string(info.param); });

TEST_P(EveryVersion, HasTheInterpretersNumbersAndCaches) {
  const OpcodeTable &table = *opcode_table(GetParam());
  std::ifstream file = fixture::open("opcodes-3." + std::to_string(GetParam()) + ".txt");
  std::set<std::string> known;
  std::string name;
  for (int number, caches; file >> name >> number >> caches;) {
    known.insert(name);
    ASSERT_TRUE(table[number].name) << "no row for " << name;
    EXPECT_EQ(table[number].name, name);
    EXPECT_EQ(table[number].caches, caches) << name;
  }
  EXPECT_GT(known.size(), 100u);
  for (const OpcodeRow &row : table)
    EXPECT_TRUE(!row.name || known.count(row.name)) << row.name << " is not in the interpreter";
}

TEST_P(EveryVersion, RefusesWithText) {
  for (const OpcodeRow &row : *opcode_table(GetParam())) {
    if (row.name && row.first == Opcode::Unsupported && row.form != OpcodeForm::Intrinsic1) {
      EXPECT_TRUE(row.refusal && !row.refusal->empty()) << row.name;
    }
  }
}

TEST(Opcodes, UnknownVersionHasNoTable) {
  EXPECT_EQ(opcode_table(10), nullptr);
  EXPECT_EQ(opcode_table(99), nullptr);
}

TEST(Opcodes, OperatorRowsAreInOrder) {
  // The decoder negates `is` and `in` by taking the next row.
  EXPECT_EQ(static_cast<int>(Operator::IsNot), static_cast<int>(Operator::Is) + 1);
  EXPECT_EQ(static_cast<int>(Operator::NotIn), static_cast<int>(Operator::In) + 1);
  EXPECT_EQ(operator_row(Operator::FloorDiv).symbol, "//");
  EXPECT_EQ(operator_row(Operator::NotIn).form, OperatorForm::Compare);
  EXPECT_EQ(operator_row(Operator::Truth).name, "truth");
}

} // namespace
