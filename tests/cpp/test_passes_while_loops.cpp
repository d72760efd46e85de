#include "tests/cpp/pass_test.h"

using namespace numjit;

namespace {

std::string changed(const std::string &text) {
  return run_on(text, {passes::cleanup, passes::while_loops});
}

size_t count(const std::string &text, const std::string &part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

/// s = 0; i = 0; while i < <bound>: s ^= i; i += <step>; return <s or what is last>
std::string loop(const std::string &first, const std::string &later, const std::string &last) {
  return "function @f(n: int64, m: int64) -> int64 {\n"
         "b0:\n  %0: int64 = param.0\n  %1: int64 = param.1\n  %2: int64 = const 0\n"
         "  %3: bool = scalar.lt %2, " +
         first +
         "\n  branch %3, b1, b4\n"
         "b1: from b0\n  %5: int64 = const 0\n  jump b2\n"
         "b2: from b1, b3\n  %7: int64 = phi [b1: %5, b3: %10]\n"
         "  %8: int64 = phi [b1: %5, b3: %11]\n  %9: int64 = const 1\n"
         "  %10: int64 = scalar.xor %7, %8\n  %11: int64 = scalar.add %8, %9\n"
         "  %12: bool = scalar.lt %11, " +
         later +
         "\n  branch %12, b3, b5\n"
         "b3: from b2\n  jump b2\n"
         "b4: from b0\n  %15: int64 = const 0\n  jump b6\n"
         "b5: from b2\n  jump b6\n"
         "b6: from b4, b5\n  %18: int64 = phi [b4: %15, b5: " +
         last + "]\n  return %18\n}\n";
}

} // namespace

TEST(WhileLoops, CountingOnesAreTestedAtTheirStart) {
  std::string text = changed(loop("%0", "%0", "%10"));
  EXPECT_EQ(count(text, "scalar.lt"), 1u) << text;
  EXPECT_EQ(count(text, "phi"), 2u) << text;
  EXPECT_NE(text.find("scalar.lt %8, %0"), text.npos) << text; // of the phi
}

TEST(WhileLoops, WhatTheBodyLeavesBecomesAVariable) {
  std::string text = changed(loop("%0", "%0", "%9")); // 1 behind the loop, 0 without an iteration
  EXPECT_EQ(count(text, "scalar.lt"), 1u) << text;
  EXPECT_EQ(count(text, "phi"), 2u) << text; // nobody asks for s
}

TEST(WhileLoops, TwoDifferentTestsStay) {
  EXPECT_EQ(count(changed(loop("%0", "%1", "%10")), "scalar.lt"), 2u);
}
