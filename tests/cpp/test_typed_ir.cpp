// Typed IR as text: what prints parses, what is wrong is refused at its line.
#include "typeinfer/ir/typed_ir.h"

#include <gtest/gtest.h>

using namespace numjit;
using namespace numjit::tir;

namespace {

/// One function with every kind of operation that has a form of its own in the text.
const char *const everything = R"(may_run_long
function @f(a: array(float64, 2d, I), n: int64) -> float64 may_raise fastmath=127 {
b0:
  %0: array(float64, 2d, I) = param.0 name="a"
  %1: int64 = param.1 name="n"
  %2: int64 = const 0 nonneg
  %3: float64 = const 0.5 !3:4
  %4: complex128 = const 1, -2.5
  %5: float64* = const 0
  %6: float64* = field.0 %0
  %7: owner = alloc.1 %1
  %8: float64 = load.1 %6 alias=ArrayData
  store %6, %8 alias=ArrayData
  %9: float64 = call @g(%8, %1) cleanup(%7)
  %10: int64* = stack_alloc 64
  %11: none* = function_address @g
  %12 = call_runtime.Print %5, %6
  %13: float64 = undef
  %14 = struct
  jump b1
b1: from b0, b2
  %15: int64 = phi [b0: %2, b2: %18] nonneg name="i"
  %16: bool = scalar.lt %15, %1
  branch.1 %16, b2, b3
b2: from b1
  %17: int64 = const 1
  %18: int64 = index_add %15, %17 nonneg
  %19 = poll cleanup(%7)
  jump b1
b3: from b1
  %20: bool = scalar.lt %8, %3
  branch %20, b4, b5
b4: from b3
  raise ValueError("a \"quoted\" text\nof two lines")
b5: from b3
  return %9
}

function @g(float64, n: int64) -> float64 {
b0:
  %0: float64 = param.0
  return %0
}

function @handlers(n: int64) -> int64 may_raise {
b0:
  %0: int64 = param.0 name="n"
  %1: owner = alloc %0
  try b1, b2
b1: from b0
  raise ValueError("handled") -> b2
b2: from b0, b1
  reraise
}
)";

TEST(TypedIr, PrintsWhatItParsed) {
  ParseError error;
  std::unique_ptr<Module> module = parse(everything, error);
  ASSERT_TRUE(module) << error.line << ": " << error.message;
  EXPECT_EQ(print(*module), everything);
  for (const auto &function : module->functions)
    EXPECT_EQ(verify(*function), "");
}

TEST(TypedIr, ParserRefusesBadText) {
  const std::tuple<const char *, int, const char *> cases[] = {
      {"function @f() -> none {\nb0:\n  %0 = nonsense\n}\n", 3, "unknown operation 'nonsense'"},
      {"function @f() -> none {\nb0:\n  jump b1\n}\n", 4, "block b1 of @f is not defined"},
      {"function @f() -> int64 {\nb0:\n  return %3\n}\n", 4, "value %3 of @f is not defined"},
      {"function @f() -> flaot {\n", 1, "unknown type 'flaot'"},
      {"function @f() -> none {\nb0:\n  %0: int64 = call @g()\n}\n", 3, "unknown function @g"},
      {"function @f() -> none {\nb0:\n  %0: bool = scalar.foo\n}\n", 3,
       "unknown scalar operation 'foo'"},
      {"function @f() -> none {\nb0:\n  %0: int64 = const 1 2\n}\n", 3,
       "unexpected text after the operation"},
      {"function @f() -> none {\nb0:\n  %0: int64 = const 1\n  %0: int64 = const 1\n}\n", 4,
       "a second definition of the value"},
      {"function @f() -> none may_raise {\nb0:\n  raise ValueError(\"a\\", 3, "expected '\"'"},
      {"nothing", 1, "expected 'function'"},
  };
  for (const auto &[text, line, message] : cases) {
    ParseError error;
    EXPECT_EQ(parse(text, error), nullptr) << text;
    EXPECT_EQ(error.message, message) << text;
    EXPECT_EQ(error.line, line) << text;
  }
}

TEST(TypedIr, EveryOperationHasItsRow) {
  for (size_t i = 0; i < op_count(); ++i)
    EXPECT_EQ(op_row(static_cast<Op>(i)).id, static_cast<Op>(i));
  for (size_t i = 0; i < runtime_op_count(); ++i)
    EXPECT_EQ(runtime_op_row(static_cast<RuntimeOp>(i)).id, static_cast<RuntimeOp>(i));
}

} // namespace
