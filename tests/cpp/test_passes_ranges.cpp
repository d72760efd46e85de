// The ranges pass: over families of programs, and that it is never wrong. More of what it finds out
// is in tests/stage/passes/ranges.tir.
#include "tests/cpp/int_interpreter.h"
#include "tests/cpp/pass_test.h"

#include <random>

using namespace numjit;
using namespace numjit::tir;

namespace {

TEST(Ranges, TestsThatLeadToABlock) {
  const auto folded = [](const std::string &test, const std::string &ways) {
    const std::string text = run_on("function @f(k: int64, m: int64) -> bool {\n"
                                    "b0:\n"
                                    "  %0: int64 = param.0\n"
                                    "  %1: int64 = param.1\n"
                                    "  %2: int64 = const 0\n"
                                    "  %3: int64 = const -1\n" +
                                        test + "  branch %9, " + ways +
                                        "\n"
                                        "b1: from b0\n"
                                        "  %10: bool = scalar.lt %0, %2\n"
                                        "  return %10\n"
                                        "b2: from b0\n"
                                        "  %11: bool = const 0\n"
                                        "  return %11\n"
                                        "}\n",
                                    {passes::ranges});
    return text.find("%10: bool = scalar.lt") == std::string::npos;
  };
  EXPECT_TRUE(folded("  %9: bool = scalar.le %2, %0\n", "b1, b2"));
  EXPECT_TRUE(folded("  %9: bool = scalar.ge %0, %2\n", "b1, b2"));
  EXPECT_TRUE(folded("  %9: bool = scalar.gt %0, %3\n", "b1, b2"));
  EXPECT_TRUE(folded("  %9: bool = scalar.eq %0, %3\n", "b1, b2")); // always negative
  EXPECT_TRUE(folded("  %9: bool = scalar.lt %0, %2\n", "b2, b1"));
  EXPECT_TRUE(folded("  %9: bool = scalar.gt %2, %0\n", "b2, b1"));
  EXPECT_TRUE(folded("  %7: bool = scalar.ge %0, %2\n  %8: bool = scalar.lt %0, %1\n"
                     "  %9: bool = scalar.and %7, %8\n",
                     "b1, b2"));
  EXPECT_FALSE(folded("  %9: bool = scalar.ge %0, %3\n", "b1, b2"));
  EXPECT_FALSE(folded("  %9: bool = scalar.ge %1, %2\n", "b1, b2"));
  EXPECT_FALSE(folded("  %9: bool = scalar.ne %0, %2\n", "b1, b2"));
  EXPECT_FALSE(folded("  %7: bool = scalar.ge %0, %2\n  %8: bool = scalar.lt %0, %1\n"
                      "  %9: bool = scalar.or %7, %8\n",
                      "b1, b2"));
}

TEST(Ranges, DistancesInLoops) {
  const auto folded = [](const std::string &compare, const std::string &bound,
                         const std::string &step, const std::string &index) {
    const std::string text = run_on("function @f(low: int64, high: int64) -> int64 {\n"
                                    "b0:\n"
                                    "  %0: int64 = param.0\n"
                                    "  %1: int64 = param.1\n"
                                    "  %2: int64 = const 0\n"
                                    "  %3: int64 = const 1\n"
                                    "  %4: int64 = const -1\n"
                                    "  %5: int64 = scalar.sub %1, %3\n"
                                    "  jump b1\n"
                                    "b1: from b0, b2\n"
                                    "  %6: int64 = phi [b0: %0, b2: %13]\n"
                                    "  %7: int64 = phi [b0: %2, b2: %12]\n"
                                    "  %8: bool = scalar." +
                                        compare + " %6, " + bound +
                                        "\n"
                                        "  branch %8, b2, b3\n"
                                        "b2: from b1\n"
                                        "  %9: int64 = scalar.sub " +
                                        index +
                                        "\n"
                                        "  %10: bool = scalar.lt %9, %2\n"
                                        "  %11: int64 = select %10, %3, %9\n"
                                        "  %12: int64 = scalar.xor %7, %11\n"
                                        "  %13: int64 = scalar.add %6, " +
                                        step +
                                        "\n"
                                        "  jump b1\n"
                                        "b3: from b1\n"
                                        "  return %7\n"
                                        "}\n",
                                    {passes::ranges});
    return text.find("select") == std::string::npos;
  };
  EXPECT_TRUE(folded("lt", "%1", "%3", "%6, %0")); // how far it has come
  EXPECT_TRUE(folded("lt", "%1", "%3", "%1, %6")); // how far it has to go
  EXPECT_TRUE(folded("gt", "%1", "%4", "%0, %6"));
  EXPECT_TRUE(folded("gt", "%1", "%4", "%6, %1"));
  EXPECT_TRUE(folded("gt", "%5", "%4", "%6, %1")); // range(low, high - 1, -1)
  EXPECT_FALSE(folded("lt", "%1", "%3", "%0, %6"));
  EXPECT_FALSE(folded("lt", "%1", "%3", "%6, %1"));
  EXPECT_FALSE(folded("gt", "%1", "%4", "%6, %0"));
  EXPECT_FALSE(folded("lt", "%1", "%4", "%6, %0")); // counts the wrong way
}

TEST(Ranges, VariablesThatOnlyGrow) {
  const auto folded = [](const std::string &start, const std::string &step) {
    const std::string text = run_on("function @f(n: int64, m: int64) -> int64 {\n"
                                    "b0:\n"
                                    "  %0: int64 = param.0\n"
                                    "  %1: int64 = param.1\n"
                                    "  %2: int64 = const " +
                                        start +
                                        "\n"
                                        "  %3: int64 = const " +
                                        step +
                                        "\n"
                                        "  %4: int64 = const 0\n"
                                        "  jump b1\n"
                                        "b1: from b0, b4\n"
                                        "  %5: int64 = phi [b0: %2, b4: %8]\n"
                                        "  %6: bool = scalar.lt %5, %0\n"
                                        "  branch %6, b2, b5\n"
                                        "b2: from b1\n"
                                        "  jump b3\n"
                                        "b3: from b2, b3\n"
                                        "  %7: int64 = phi [b2: %5, b3: %8]\n"
                                        "  %8: int64 = scalar.add %7, %3\n"
                                        "  %9: int64 = scalar.mod %8, %1\n"
                                        "  %10: bool = scalar.eq %9, %4\n"
                                        "  branch %10, b4, b3\n"
                                        "b4: from b3\n"
                                        "  jump b1\n"
                                        "b5: from b1\n"
                                        "  %11: bool = scalar.lt %5, %4\n"
                                        "  %12: int64 = select %11, %0, %5\n"
                                        "  return %12\n"
                                        "}\n",
                                    {passes::ranges});
    return text.find("select") == std::string::npos;
  };
  EXPECT_TRUE(folded("0", "1"));
  EXPECT_TRUE(folded("7", "16"));
  EXPECT_FALSE(folded("-1", "1"));
  EXPECT_FALSE(folded("0", "-1"));
  EXPECT_FALSE(folded("0", "4611686018427387904"));
  EXPECT_FALSE(folded("9000000000000000000", "1"));
}

/// A random function with two nested loops, variables that are carried around and arithmetic on
/// all.
std::string random_function(std::mt19937 &random) {
  auto pick = [&](uint32_t below) { return static_cast<int>(random() % below); };
  static const char *const constants[] = {"0", "1",  "2",  "-1",
                                          "3", "-7", "10", "4611686018427387904"};
  std::string text = "function @f(n: int64, m: int64) -> int64 {\nb0:\n  %0: int64 = param.0\n  "
                     "%1: int64 = param.1\n";
  for (int i = 0; i < 8; ++i)
    text += "  %" + std::to_string(i + 2) + ": int64 = const " + constants[i] + "\n";
  int next = 40;
  std::vector<int> known = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  auto operand = [&] {
    return "%" +
           std::to_string(known[static_cast<size_t>(pick(static_cast<uint32_t>(known.size())))]);
  };
  auto arithmetic = [&](int count) {
    static const char *const ops[] = {"add", "add", "sub",      "sub", "mul",   "min",
                                      "max", "mod", "floordiv", "and", "rshift"};
    for (; count > 0; --count) {
      if (pick(4) == 0) {
        static const char *const compares[] = {"lt", "le", "gt", "ge", "eq"};
        text += "  %" + std::to_string(next++) + ": bool = scalar." + compares[pick(5)] + " " +
                operand() + ", " + operand() + "\n";
        text += "  %" + std::to_string(next) + ": int64 = select %" + std::to_string(next - 1) +
                ", " + operand() + ", " + operand() + "\n";
      } else {
        text += "  %" + std::to_string(next) + ": int64 = scalar." + ops[pick(11)] + " " +
                operand() + ", " + operand() + "\n";
      }
      known.push_back(next++);
    }
  };
  arithmetic(3);
  const bool up = pick(4) != 0;
  const std::string start = operand(), stop = operand(), step = up ? (pick(2) ? "%3" : "%6") : "%5";
  text += "  jump b1\nb1: from b0, b5\n  %20: int64 = phi [b0: " + start +
          ", b5: %30]\n"
          "  %21: int64 = phi [b0: %2, b5: %23]\n  %22: bool = scalar." +
          (up ? "lt" : "gt") + " %20, " + stop + "\n  branch %22, b2, b6\nb2: from b1\n";
  known.insert(known.end(), {20, 21});
  arithmetic(3);
  const std::string start2 = operand(), stop2 = operand();
  text += "  jump b3\nb3: from b2, b4\n  %24: int64 = phi [b2: " + start2 +
          ", b4: %31]\n"
          "  %23: int64 = phi [b2: %21, b4: %32]\n  %25: bool = scalar.lt %24, " +
          stop2 + "\n  branch %25, b4, b5\nb4: from b3\n";
  const size_t outside = known.size();
  known.insert(known.end(), {23, 24});
  arithmetic(6);
  text += "  %31: int64 = scalar.add %24, %3\n  %32: int64 = scalar.add %23, " + operand() +
          "\n  jump b3\nb5: from b3\n";
  known.resize(outside);
  text += "  %30: int64 = scalar.add %20, " + step + "\n  jump b1\nb6: from b1\n  return %21\n}\n";
  return text;
}

TEST(Ranges, AreNeverWrong) {
  std::mt19937 random(1);
  int compared = 0;
  for (int i = 0; i < 600; ++i) {
    const std::string text = random_function(random);
    std::unique_ptr<Module> plain = parse_module(text), improved = parse_module(text);
    ASSERT_EQ(verify(*plain->functions[0]), "") << text;
    passes::ranges(*improved, {});
    ASSERT_EQ(verify(*improved->functions[0]), "") << text << print(*improved);
    for (int64_t n : {int64_t(0), int64_t(5), int64_t(-3), INT64_MAX}) {
      IntInterpreter before(*plain->functions[0]), after(*improved->functions[0]);
      before.most_steps = after.most_steps = 3000;
      std::optional<int64_t> expected = before.run({n, 4});
      std::optional<int64_t> found = after.run({n, 4});
      if (expected && found) {
        ASSERT_EQ(*expected, *found) << n << "\n" << text << print(*improved);
        ++compared;
      }
      ASSERT_FALSE(HasFailure()) << n << "\n" << text << print(*improved);
    }
  }
  EXPECT_GT(compared, 300);
}

} // namespace
