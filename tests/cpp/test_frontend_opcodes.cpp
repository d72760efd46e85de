// The opcode tables. That their numbers are those of the interpreters, tests/stage/test_opcodes.py
// checks on each interpreter.
#include "frontend/opcodes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

using namespace numjit;

namespace {

class EveryVersion : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Opcodes, EveryVersion, testing::ValuesIn(known_versions()),
                         [](const auto &info) { return "py3" + std::to_string(info.param); });

const OpcodeRow *row_of(int minor, std::string_view name) {
  for (const OpcodeRow &row : *opcode_table(minor))
    if (row.name && row.name == name)
      return &row;
  return nullptr;
}

TEST_P(EveryVersion, HasEachInstructionOnce) {
  std::set<std::string> names;
  for (const OpcodeRow &row : *opcode_table(GetParam()))
    EXPECT_TRUE(!row.name || names.insert(row.name).second) << row.name;
  EXPECT_GT(names.size(), 100u);
  EXPECT_STREQ((*opcode_table(GetParam()))[0].name, "CACHE");
}

TEST_P(EveryVersion, RefusesWithText) {
  for (const OpcodeRow &row : *opcode_table(GetParam())) {
    if (row.name && row.first == Opcode::Unsupported && row.form != OpcodeForm::Intrinsic1) {
      EXPECT_TRUE(row.refusal && !row.refusal->empty()) << row.name;
    }
  }
}

TEST(Opcodes, FormsChangeWithTheVersion) {
  const OpcodeForm jumps[] = {OpcodeForm::LoopExit, OpcodeForm::LoopExitSkip1,
                              OpcodeForm::LoopExitSkip2};
  for (int minor : known_versions()) {
    EXPECT_EQ(row_of(minor, "FOR_ITER")->form, jumps[std::min(minor, 13) - 11]) << minor;
    EXPECT_EQ(row_of(minor, "LOAD_ATTR")->form,
              minor < 12 ? OpcodeForm::Name : OpcodeForm::NameNullBit)
        << minor;
    EXPECT_EQ(row_of(minor, "PRECALL") != nullptr, minor == 11) << minor;
  }
}

TEST(Opcodes, WithStatementsAreFoundInBytecode) {
  for (int minor : known_versions()) {
    const OpcodeTable &table = *opcode_table(minor);
    for (size_t number = 0; number < table.size(); ++number) {
      const uint8_t code[] = {9, 0, static_cast<uint8_t>(number), 1};
      const std::string_view name = table[number].name ? table[number].name : "";
      const bool expected =
          name == "BEFORE_WITH" || name == "LOAD_SPECIAL" || name == "WITH_EXCEPT_START";
      EXPECT_EQ(has_with_statement(minor, code), expected) << minor << " " << name;
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
