// The checks pass: what is the same in all iterations is asked in front of the loop.
#include "tests/cpp/pass_test.h"

using namespace numjit;
using namespace numjit::tir;

namespace {

/// for i in range(n): for k in range(m): x += i, with `inner` in the body of the inner loop in
/// front of block 7, which adds; what it raises is in block 6.
std::string nest(const std::string &inner, const std::string &raised = "\"text\"") {
  return R"(function @f(n: int64, m: int64, limit: int64) -> int64 {
b0:
  %0: int64 = param.0
  %1: int64 = param.1
  %2: int64 = param.2
  %3: int64 = const 0
  %4: int64 = const 1
  jump b1
b1: from b0, b4
  %5: int64 = phi [b0: %3, b4: %7]
  %6: int64 = phi [b0: %3, b4: %11]
  %8: bool = scalar.lt %5, %0
  %7: int64 = index_add %5, %4
  branch %8, b2, b8
b2: from b1
  jump b3
b3: from b2, b7
  %10: int64 = phi [b2: %3, b7: %13]
  %11: int64 = phi [b2: %6, b7: %20]
  %12: bool = scalar.lt %10, %1
  %13: int64 = index_add %10, %4
  branch %12, b5, b4
b4: from b3
  jump b1
b5: from b3
)" + inner +
         R"(b6: from b5
  raise IndexError()" +
         raised + R"()
b7: from b5
  %20: int64 = scalar.add %11, %5
  jump b3
b8: from b1
  return %6
}
)";
}

bool is_asked_inside(const std::string &text) {
  const std::string run = run_on(text, {passes::checks});
  const size_t body = run.find("b5: from b3");
  return run.substr(body, run.find("b6:") - body).find("branch") != std::string::npos;
}

TEST(Checks, LeaveLoopsThatTheyDoNotDependOn) {
  const std::string of_the_outer = "  %15: bool = scalar.ge %5, %2\n  branch %15, b6, b7\n";
  EXPECT_FALSE(is_asked_inside(nest(of_the_outer)));
  EXPECT_FALSE(is_asked_inside(nest(of_the_outer, "\"{}\" %5")));
  const std::string text = run_on(nest(of_the_outer), {passes::checks});
  // Only if there is an iteration.
  EXPECT_NE(text.find("scalar.lt %3, %1"), std::string::npos) << text;
  EXPECT_NE(text.find("b6: from b2"), std::string::npos) << text;
}

TEST(Checks, LeaveAllLoopsWhereTheyCan) {
  const std::string text =
      run_on(nest("  %15: bool = scalar.ge %1, %2\n  branch %15, b6, b7\n"), {passes::checks});
  EXPECT_NE(text.find("scalar.lt %3, %0"), std::string::npos) << text;
  EXPECT_NE(text.find("b6: from b0"), std::string::npos) << text;
}

TEST(Checks, StayWhereSomethingHappensBefore) {
  EXPECT_TRUE(is_asked_inside(nest("  %15: bool = scalar.ge %10, %2\n  branch %15, b6, b7\n")));
  EXPECT_TRUE(is_asked_inside(nest("  %14: none = poll\n"
                                   "  %15: bool = scalar.ge %5, %2\n  branch %15, b6, b7\n")));
  // What it tells is of the iteration.
  EXPECT_TRUE(is_asked_inside(
      nest("  %15: bool = scalar.ge %5, %2\n  branch %15, b6, b7\n", "\"{}\" %10")));
}

} // namespace
