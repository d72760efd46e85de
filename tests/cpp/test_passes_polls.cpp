// Polls and strip-mining: where polls go, and that loops still do the same iterations.
#include "tests/cpp/int_interpreter.h"
#include "tests/cpp/pass_test.h"

using namespace numjit;
using namespace numjit::tir;

namespace {

/// Which blocks poll after cleanup and polls.
std::string polling_blocks(const std::string &text) {
  std::unique_ptr<Module> module = parse_module(text);
  for (auto pass : {passes::cleanup, passes::recursion, passes::polls}) {
    pass(*module, {});
    EXPECT_EQ(verify(*module->functions[0]), "") << print(*module);
  }
  std::string found;
  for (const Block *block : module->functions[0]->blocks)
    for (const Value *value : block->values)
      if (value->op == Op::Poll)
        found += (found.empty() ? "b" : " b") + std::to_string(block->id);
  return found;
}

TEST(Polls, CountingLoopRunsInChunks) {
  EXPECT_EQ(run_on(R"(function @f(n: int64) -> int64 {
b0:
  %0: int64 = param.0
  %1: int64 = const 0
  jump b1
b1: from b0, b2
  %2: int64 = phi [b0: %1, b2: %5] name="i"
  %3: bool = scalar.lt %2, %0
  branch %3, b2, b3
b2: from b1
  %4: int64 = const 1
  %5: int64 = index_add %2, %4
  jump b1
b3: from b1
  return %2
}
)",
                   {passes::polls}),
            R"(function @f(n: int64) -> int64 {
b0:
  %0: int64 = param.0
  %1: int64 = const 0
  %4: int64 = const 1
  jump b4
b1: from b4, b2
  %2: int64 = phi [b4: %10, b2: %5] name="i"
  %3: bool = scalar.lt %2, %0
  %24: bool = scalar.lt %2, %22
  branch %24, b2, b5
b2: from b1
  %5: int64 = index_add %2, %4
  jump b1
b3: from b5
  return %2
b4: from b0, b6
  %10: int64 = phi [b0: %1, b6: %22] name="i"
  %14: int64 = const 65536 nonneg
  %15: int64 = index_add %10, %14
  %16: bool = scalar.lt %10, %0
  %17: int64 = scalar.sub %0, %10
  %18: uint64 = cast %14
  %19: uint64 = cast %17
  %20: bool = scalar.lt %18, %19
  %21: bool = scalar.and %16, %20
  %22: int64 = select %21, %15, %0
  jump b1
b5: from b1
  branch %21, b6, b3
b6: from b5
  %12 = poll
  jump b4
}
)");
}

TEST(Polls, ChunksOfIndicesThatAreNotNegative) {
  const std::string text = run_on(R"(function @f(n: int64) -> int64 {
b0:
  %0: int64 = param.0
  %1: int64 = const 0 nonneg
  jump b1
b1: from b0, b2
  %2: int64 = phi [b0: %1, b2: %5] nonneg name="i"
  %3: bool = scalar.lt %2, %0
  branch %3, b2, b3
b2: from b1
  %4: int64 = const 1
  %5: int64 = index_add %2, %4
  jump b1
b3: from b1
  return %2
}
)",
                                  {passes::polls});
  // The distance to the bound says by itself whether there are more chunks.
  EXPECT_EQ(text.find("cast"), std::string::npos) << text;
  EXPECT_NE(text.find("scalar.gt"), std::string::npos) << text;
}

TEST(Polls, UncountedLoopsPollEachTime) {
  EXPECT_EQ(polling_blocks(R"(function @f(c: bool*) -> none {
b0:
  %0: bool* = param.0
  jump b1
b1: from b0, b2
  %1: bool = load %0
  branch %1, b2, b3
b2: from b1
  jump b1
b3: from b1
  %2 = struct
  return %2
}
)"),
            "b1");
}

/// for i in range(n): for j in range(BOUND): pass
std::string nest(const std::string &bound) {
  return R"(function @f(a: array(float64, 2d, C), n: int64) -> int64 {
b0:
  %0: array(float64, 2d, C) = param.0
  %1: int64 = param.1
  %2: int64 = const 0
  %3: int64 = const 1
  %20: UniTuple(int64 x 2) = field.2 %0
)" + bound +
         R"(
  jump b1
b1: from b0, b5
  %4: int64 = phi [b0: %2, b5: %5]
  %5: int64 = index_add %4, %3
  %6: bool = scalar.lt %4, %1
  branch %6, b2, b6
b2: from b1
  jump b3
b3: from b2, b4
  %7: int64 = phi [b2: %2, b4: %8]
  %8: int64 = index_add %7, %3
  %9: bool = scalar.lt %7, %30
  branch %9, b4, b5
b4: from b3
  jump b3
b5: from b3
  jump b1
b6: from b1
  return %1
}
)";
}

TEST(Polls, LoopsOverArraysInsideLoopsDoNotPoll) {
  EXPECT_EQ(polling_blocks(nest("  %30: int64 = field.1 %20")), "b1");
  // range(n - 2), range(min(n, x))
  EXPECT_EQ(polling_blocks(nest("  %31: int64 = field.1 %20\n  %30: int64 = scalar.sub %31, %1")),
            "b1");
  EXPECT_EQ(polling_blocks(nest("  %31: int64 = field.1 %20\n  %30: int64 = scalar.min %1, %31")),
            "b1");
}

TEST(Polls, OtherInnerLoopsRunInChunks) {
  EXPECT_EQ(polling_blocks(nest("  %30: int64 = scalar.add %1, %1")), "b1 b9");
}

TEST(Polls, ShortLoopsCountAsCode) {
  // The inner loop is short, so the outer one is innermost: in chunks, one poll.
  EXPECT_EQ(polling_blocks(nest("  %30: int64 = const 5")), "b9");
  EXPECT_EQ(polling_blocks(nest("  %30: int64 = const 100000")), "b1 b9");
  std::string both = nest("  %30: int64 = const 5");
  both.replace(both.find("%4, %1"), 6, "%4, %30");
  EXPECT_EQ(polling_blocks(both), "");
}

TEST(Polls, LoopsUpToAMinimumWithAConstantAreShort) {
  auto polling = [](const std::string &limit) {
    return polling_blocks(R"(function @f(n: int64) -> int64 {
b0:
  %0: int64 = param.0
  %1: int64 = const 0
  %6: int64 = const )" + limit +
                          R"(
  %7: int64 = scalar.min %0, %6
  jump b1
b1: from b0, b2
  %2: int64 = phi [b0: %1, b2: %5] name="i"
  %3: bool = scalar.lt %2, %7
  branch %3, b2, b3
b2: from b1
  %4: int64 = const 1
  %5: int64 = index_add %2, %4
  jump b1
b3: from b1
  return %2
}
)");
  };
  EXPECT_EQ(polling("1024"), "");
  EXPECT_NE(polling("100000"), "");
}

TEST(Polls, CallsOfLongFunctionsPoll) {
  const std::string head = R"(function @f(n: int64) -> int64 {
b0:
  %0: int64 = param.0
  %1: int64 = const 0
  %2: int64 = const 1
  jump b1
b1: from b0, b2
  %3: int64 = phi [b0: %1, b2: %4]
  %4: int64 = index_add %3, %2
  %5: bool = scalar.lt %3, %0
  branch %5, b2, b3
b2: from b1
  %6: int64 = call @g(%3)
  jump b1
b3: from b1
  return %0
}

)";
  EXPECT_EQ(
      polling_blocks(head +
                     "function @g(int64) -> int64 {\nb0:\n  %0: int64 = param.0\n  return %0\n}\n"),
      "b6");
  EXPECT_EQ(polling_blocks(head + "function @g(int64) -> int64 {\nb0:\n  %0: int64 = param.0\n"
                                  "  %1: int64 = call @g(%0)\n  return %1\n}\n"),
            "b1");
}

TEST(Polls, LoopsThatAreDeclaredToBeShortDoNotPoll) {
  const std::string loop = R"((n: int64) -> int64 short_loops {
b0:
  %0: int64 = param.0
  %1: int64 = const 0
  %2: int64 = const 1
  jump b1
b1: from b0, b2
  %3: int64 = phi [b0: %1, b2: %4]
  %5: bool = scalar.lt %3, %0
  branch %5, b2, b3
b2: from b1
  %4: int64 = scalar.add %3, %2
  jump b1
b3: from b1
  return %3
}
)";
  EXPECT_EQ(print(*parse_module("function @f" + loop)), "function @f" + loop);
  EXPECT_EQ(polling_blocks("function @f" + loop), "");
  // A loop around its calls polls in its header: chunks would make it longer.
  const std::string caller = R"(function @f(n: int64) -> int64 {
b0:
  %0: int64 = param.0
  %1: int64 = const 0
  %2: int64 = const 1
  jump b1
b1: from b0, b2
  %3: int64 = phi [b0: %1, b2: %4]
  %4: int64 = index_add %3, %2
  %5: bool = scalar.lt %3, %0
  branch %5, b2, b3
b2: from b1
  %6: int64 = call @g(%3)
  jump b1
b3: from b1
  return %0
}

)";
  EXPECT_EQ(polling_blocks(caller + "function @g" + loop), "b1");
}

TEST(Polls, CanBeTurnedOff) {
  std::unique_ptr<Module> module = parse_module(nest("  %30: int64 = const 100000"));
  std::string before = print(*module);
  passes::PassOptions options;
  options.polls = false;
  passes::polls(*module, options);
  EXPECT_EQ(print(*module), before);
}

// --- strip-mined loops do the same ---

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
  passes::polls(*mined, {});
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
