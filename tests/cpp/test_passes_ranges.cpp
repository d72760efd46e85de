// The ranges pass is never wrong. What it finds out is in tests/stage/passes/ranges.tir.
#include "tests/cpp/int_interpreter.h"
#include "tests/cpp/pass_test.h"

#include <random>

using namespace numjit;
using namespace numjit::tir;

namespace {

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
