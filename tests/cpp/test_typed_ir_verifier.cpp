// Each rule of the verifier, broken once.
#include "typeinfer/ir/typed_ir.h"

#include <gtest/gtest.h>

using namespace numjit;
using namespace numjit::tir;

namespace {

std::unique_ptr<Module> parse_or_fail(const std::string &text) {
  ParseError error;
  std::unique_ptr<Module> module = parse(text, error);
  EXPECT_TRUE(module) << "line " << error.line << ": " << error.message << "\n" << text;
  return module;
}

struct Case {
  const char *rule; ///< a part of the message
  const char *body; ///< blocks of a function (n: int64, x: float64, a: array(...)) -> int64
};

class VerifierRefuses : public testing::TestWithParam<Case> {};

TEST_P(VerifierRefuses, This) {
  std::unique_ptr<Module> module =
      parse_or_fail("function @f(n: int64, x: float64, a: array(float64, 1d, C)) -> int64 {\n" +
                    std::string(GetParam().body) +
                    "\n}\nfunction @g(float64) -> none {\nb0:\n  unreachable\n}\n");
  ASSERT_TRUE(module);
  EXPECT_NE(verify(*module->functions[0]).find(GetParam().rule), std::string::npos)
      << verify(*module->functions[0]);
}

#define PARAMS                                                                                     \
  "b0:\n %0: int64 = param.0\n %1: float64 = param.1\n %2: array(float64, 1d, C) = param.2\n"

const Case cases[] = {
    {"the entry has no predecessors", "b0: from b0\n jump b0"},
    {"phis come first", PARAMS " %3: int64 = phi []\n return %0"},
    {"a successor lists the block", PARAMS " jump b1\nb1:\n return %0"},
    {"a predecessor lists the block",
     PARAMS " jump b1\nb1: from b0, b2\n return %0\nb2:\n return %0"},
    {"successors of a branch are different",
     PARAMS " %3: bool = const 1\n branch %3, b1, b1\nb1: from b0\n return %0"},
    {"as many operands as its row says", PARAMS " %3: float64 = cast %0, %0\n return %0"},
    {"an operand for every predecessor",
     PARAMS " jump b1\nb1: from b0\n %3: int64 = phi [%0, %0]\n return %0"},
    {"defined before it is used",
     "b0:\n %1: int64 = index_add %0, %0\n %0: int64 = param.0\n return %0"},
    {"defined before it is used",
     PARAMS " %3: bool = const 1\n branch %3, b1, b2\nb1: from b0\n %4: int64 = const 1\n jump b3\n"
            "b2: from b0\n jump b3\nb3: from b1, b2\n return %4"},
    {"defined before it is used", PARAMS
     " %3: bool = const 1\n branch %3, b1, b2\nb1: from b0\n %4: int64 = const 1\n jump b3\n"
     "b2: from b0\n jump b3\nb3: from b1, b2\n %5: int64 = phi [b1: %0, b2: %4]\n return %5"},
    {"parameters stand in the entry",
     PARAMS " jump b1\nb1: from b0\n %3: int64 = param.0\n return %0"},
    {"a parameter's index and type", "b0:\n %0: int64 = param.1\n return %0"},
    {"a parameter's index and type", "b0:\n %0: int64 = param.7\n return %0"},
    {"undefined value is not counted", PARAMS " %3: owner = undef\n return %0"},
    {"only what may raise has a cleanup",
     PARAMS " %3: int64 = index_add %0, %0 cleanup(%2)\n return %0"},
    {"a cleanup lists counted values", PARAMS " %3 = poll cleanup(%0)\n return %0"},
    {"a constant is a scalar", PARAMS " %3: Tuple() = const 0\n return %0"},
    {"operands of a phi have its type",
     PARAMS " jump b1\nb1: from b0\n %3: float64 = phi [b0: %0]\n return %0"},
    {"as many operands as its row", PARAMS " %3: int64 = scalar.add %0\n return %0"},
    {"scalars of one type", PARAMS " %3: float64 = scalar.add %0, %1\n return %0"},
    {"a comparison gives a bool", PARAMS " %3: int64 = scalar.lt %0, %0\n return %0"},
    {"casts are between scalars", PARAMS " %3: int64 = cast %2\n return %0"},
    {"the condition is a bool", PARAMS " %3: int64 = select %0, %0, %0\n return %0"},
    {"both sides of a select",
     PARAMS " %3: bool = const 0\n %4: int64 = select %3, %0, %1\n return %0"},
    {"a struct has an operand per field",
     PARAMS " %3: Tuple(int64, float64) = struct %0\n return %0"},
    {"operands of a struct have its fields' types",
     PARAMS " %3: Tuple(int64, float64) = struct %1, %0\n return %0"},
    {"the field exists", PARAMS " %3: owner = field.3 %2\n return %0"},
    {"a field has the type", PARAMS " %3: owner = field.0 %2\n return %0"},
    {"field_at takes an item", PARAMS " %3: Tuple(int64, float64) = struct %0, %1\n"
                                      " %4: int64 = field_at %3, %0\n return %0"},
    {"ptr_add takes", PARAMS " %3: float64* = ptr_add %0, %0\n return %0"},
    {"ptr_to_int takes", PARAMS " %3: int64 = ptr_to_int %0\n return %0"},
    {"index arithmetic", PARAMS " %3: int64 = index_mul %0, %1\n return %0"},
    {"owner_data takes", PARAMS " %3: float64* = owner_data %0\n return %0"},
    {"function_address has", PARAMS " %3: int64 = function_address @g\n return %0"},
    {"a load gives", PARAMS " %3: float64* = field.0 %2\n %4: int64 = load %3\n return %0"},
    {"a store takes", PARAMS " %3: float64* = field.0 %2\n store %3, %0\n return %0"},
    {"memcpy takes", PARAMS " %3: float64* = field.0 %2\n %4 = memcpy %3, %3, %1\n return %0"},
    {"alloc takes", PARAMS " %3: owner = alloc %1\n return %0"},
    {"stack_alloc gives", PARAMS " %3: owner = stack_alloc 8\n return %0"},
    {"only counted values", PARAMS " %3 = retain %0\n return %0"},
    {"a call gives the callee's result type", PARAMS " %3: int64 = call @g(%1)\n return %0"},
    {"an argument for every parameter", PARAMS " %3 = call @g()\n return %0"},
    {"types of the callee's parameters", PARAMS " %3 = call @g(%0)\n return %0"},
    {"the result is of the runtime",
     PARAMS " %3: float64 = call_runtime.PowInt %0, %0\n return %0"},
    {"gets as many arguments as its row", PARAMS " %3: int64 = call_runtime.PowInt %0\n return %0"},
    {"arguments of a runtime function",
     PARAMS " %3: int64 = call_runtime.PowInt %0, %1\n return %0"},
    {"call_pointer takes a pointer", PARAMS " %3: int64 = call_pointer %0\n return %0"},
    {"arguments of call_pointer",
     PARAMS " %3: float64* = field.0 %2\n %4: int64 = call_pointer %3, %2\n return %0"},
    {"the condition is a bool",
     PARAMS " branch %0, b1, b2\nb1: from b0\n return %0\nb2: from b0\n return %0"},
    {"the function's result type", PARAMS " return %1"},
    {"the operation has no result", PARAMS " %3: int64 = poll\n return %0"},
};

INSTANTIATE_TEST_SUITE_P(Rules, VerifierRefuses, testing::ValuesIn(cases));

/// Rules that text cannot break.
class VerifierShape : public testing::Test {
protected:
  VerifierShape() { block->values = {add(Op::Unreachable)}; }
  Value *add(Op op) {
    Value *value = function.new_value(op, types::none(), {});
    value->block = block;
    return value;
  }
  Function function;
  Block *block = function.new_block();
};

TEST_F(VerifierShape, AcceptsTheSmallestFunction) { EXPECT_EQ(verify(function), ""); }

TEST_F(VerifierShape, NeedsABlock) {
  function.blocks.clear();
  EXPECT_NE(verify(function).find("a function has a block"), std::string::npos);
}

TEST_F(VerifierShape, NeedsOneTerminator) {
  block->values.clear();
  EXPECT_NE(verify(function).find("only terminator"), std::string::npos);
  block->values = {add(Op::Unreachable), add(Op::Unreachable)};
  EXPECT_NE(verify(function).find("only terminator"), std::string::npos);
  block->values = {add(Op::Poll)};
  EXPECT_NE(verify(function).find("only terminator"), std::string::npos);
}

TEST_F(VerifierShape, NeedsSuccessorsAsTheTerminatorSays) {
  block->succs = {function.new_block()};
  EXPECT_NE(verify(function).find("how many successors"), std::string::npos);
}

TEST_F(VerifierShape, NeedsValuesInOnePlace) {
  Value *poll = add(Op::Poll);
  block->values = {poll, poll, add(Op::Unreachable)};
  EXPECT_NE(verify(function).find("stands in one place"), std::string::npos);
  poll->block = nullptr;
  EXPECT_NE(verify(function).find("stands in its block"), std::string::npos);
  poll->block = block;
  poll->id = 77;
  EXPECT_NE(verify(function).find("place in the arena"), std::string::npos);
}

TEST_F(VerifierShape, NeedsASiteAndCallees) {
  Value *raise = add(Op::Raise);
  block->values = {raise};
  EXPECT_NE(verify(function).find("a raise has a site"), std::string::npos);
  block->values = {add(Op::Call), add(Op::Unreachable)};
  EXPECT_NE(verify(function).find("a call has a callee"), std::string::npos);
  Value *poll = add(Op::Poll);
  poll->type = nullptr;
  block->values = {poll, add(Op::Unreachable)};
  EXPECT_NE(verify(function).find("a value has a type"), std::string::npos);
  poll = add(Op::Release);
  poll->operands = {nullptr};
  block->values = {poll, add(Op::Unreachable)};
  EXPECT_NE(verify(function).find("operands exist"), std::string::npos);
}

} // namespace
