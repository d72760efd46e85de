// Strip-mining: that loops still do the same iterations. Where polls go is in
// tests/stage/passes/polls.tir.
#include "tests/cpp/int_interpreter.h"
#include "tests/cpp/pass_test.h"

using namespace numjit;
using namespace numjit::tir;

namespace {

/// A loop over `i` with the given condition; returns a number that tells apart how it went.
std::string loop(const std::string &condition, const std::string &next) {
  return R"(function @f(start: int64, stop: int64, step: int64, other: int64) -> int64 {
b0:
  %0: int64 = param.0
  %1: int64 = param.1
  %2: int64 = param.2
  %3: int64 = param.3
  %4: int64 = const 0
  %5: int64 = const 31
  jump b1
b1: from b0, b2
  %6: int64 = phi [b0: %0, b2: %12]
  %7: int64 = phi [b0: %4, b2: %9]
)" + condition +
         R"(
  branch %10, b2, b3
b2: from b1
  %8: int64 = scalar.mul %7, %5
  %9: int64 = scalar.add %8, %6
)" + next +
         R"(
  jump b1
b3: from b1
  %11: int64 = scalar.add %7, %6
  return %11
}
)";
}

struct Run {
  int64_t start, stop, step, other, polls;
};

void same_result(const std::string &text, const std::vector<Run> &runs) {
  std::unique_ptr<Module> plain = parse_module(text), mined = parse_module(text);
  passes::PassOptions options;
  options.poll_distance = 65536;
  passes::polls(*mined, options);
  ASSERT_EQ(verify(*mined->functions[0]), "");
  for (const Run &run : runs) {
    const std::vector<int64_t> arguments = {run.start, run.stop, run.step, run.other};
    IntInterpreter before(*plain->functions[0]), after(*mined->functions[0]);
    after.may_overflow = true; // the end of the last chunk
    EXPECT_EQ(before.run(arguments), after.run(arguments))
        << run.start << " " << run.stop << " " << run.step;
    EXPECT_EQ(after.polls, run.polls) << run.start << " " << run.stop << " " << run.step;
  }
}

constexpr int64_t least = INT64_MIN, most = INT64_MAX;

TEST(StripMine, Upwards) {
  same_result(loop("  %10: bool = scalar.lt %6, %1",
                   "  %13: int64 = const 1\n  %12: int64 = index_add %6, %13"),
              {{0, 0, 0, 0, 0},
               {5, -5, 0, 0, 0},
               {0, 65536, 0, 0, 0},
               {0, 65537, 0, 0, 1},
               {-3, 200000, 0, 0, 3},
               {0, least, 0, 0, 0},
               {most, least + 5, 0, 0, 0},
               {most - 70000, most, 0, 0, 1},
               {least, least + 70000, 0, 0, 1}});
}

TEST(StripMine, WithSteps) {
  same_result(loop("  %10: bool = scalar.lt %6, %1",
                   "  %13: int64 = const 3\n  %12: int64 = scalar.add %6, %13"),
              {{0, 65536, 0, 0, 0},
               {1, 200000, 0, 0, 1},
               {0, 3 * 65536, 0, 0, 0},
               {0, 3 * 65536 + 1, 0, 0, 1}});
  same_result(loop("  %10: bool = scalar.gt %6, %1",
                   "  %13: int64 = const -1\n  %12: int64 = scalar.add %6, %13"),
              {{0, 5, 0, 0, 0},
               {70000, -1, 0, 0, 1},
               {least + 70000, least, 0, 0, 1},
               {least, most, 0, 0, 0}});
}

TEST(StripMine, WithStepsKnownAtRunTime) {
  const std::string next = "  %12: int64 = scalar.add %6, %2";
  same_result(
      loop("  %10: bool = scalar.lt %6, %1", next),
      {{0, 70000, 1, 0, 1}, {0, 1000000, 7, 0, 2}, {5, 0, 1, 0, 0}, {0, most / 2, most / 3, 0, 0}});
  same_result(loop("  %14: bool = scalar.gt %2, %4\n  %15: bool = scalar.lt %6, %1\n"
                   "  %16: bool = scalar.gt %6, %1\n  %10: bool = select %14, %15, %16",
                   next),
              {{0, 70000, 1, 0, 1},
               {70000, 0, -1, 0, 1},
               {0, 1000000, 7, 0, 2},
               {1000000, 0, -7, 0, 2},
               {0, 5, -1, 0, 0},
               {most / 2, least / 2, least / 3, 0, 0}});
}

TEST(StripMine, WithOtherConditions) {
  const std::string next = "  %13: int64 = const 1\n  %12: int64 = index_add %6, %13";
  // As zip: two ends.
  same_result(loop("  %14: bool = scalar.lt %6, %1\n  %15: bool = scalar.lt %7, %3\n"
                   "  %10: bool = scalar.and %14, %15",
                   next),
              {{0, 70000, 0, most, 1}, {0, 10, 0, most, 0}});
  // An end that moves.
  same_result(loop("  %14: int64 = scalar.sub %1, %6\n  %10: bool = scalar.lt %6, %14", next),
              {{0, 10, 0, 0, 0}, {0, 200000, 0, 0, 1}, {most - 10, 0, 0, 0, 0}});
}

} // namespace
