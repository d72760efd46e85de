// The cleanup pass, rule by rule.
#include "tests/cpp/pass_test.h"

using namespace numjit;
using namespace numjit::tir;

namespace {

/// Text of the only block after cleanup, for functions that fold to one.
std::string folded(const std::string &body) {
  std::string text =
      run_on("function @f(n: int64, x: float64, c: bool) -> int64 {\nb0:\n"
             "  %0: int64 = param.0\n  %1: float64 = param.1\n  %2: bool = param.2\n" +
                 body + "}\n",
             {passes::cleanup});
  size_t start = text.find("b0:\n") + 4;
  std::string block = text.substr(start, text.find("}\n") - start);
  for (const char *parameter :
       {"  %0: int64 = param.0\n", "  %1: float64 = param.1\n", "  %2: bool = param.2\n"})
    if (size_t found = block.find(parameter); found != std::string::npos)
      block.erase(found, std::string(parameter).size());
  return block;
}

TEST(Cleanup, FoldsConstants) {
  EXPECT_EQ(folded("  %3: int64 = const 6\n  %4: int64 = const 7\n  %5: int64 = scalar.mul %3, "
                   "%4\n  return %5\n"),
            "  %5: int64 = const 42 nonneg\n  return %5\n");
  EXPECT_EQ(folded("  %3: int64 = const 9223372036854775807\n  %4: int64 = const 1\n"
                   "  %5: int64 = scalar.add %3, %4\n  return %5\n"),
            "  %5: int64 = const -9223372036854775808\n  return %5\n");
  EXPECT_EQ(folded("  %3: int64 = const 0\n  %4: int64 = index_add %0, %3\n  return %4\n"),
            "  return %0\n");
  EXPECT_EQ(folded("  %3: int64 = const 1\n  %4: int64 = index_mul %3, %0\n  return %4\n"),
            "  return %0\n");
  EXPECT_EQ(folded("  %3: bool = const 1\n  %4: int64 = cast %3\n  return %4\n"),
            "  %4: int64 = const 1 nonneg\n  return %4\n");
  EXPECT_EQ(folded("  %3: int64 = cast %0\n  return %3\n"), "  return %0\n");
}

TEST(Cleanup, FoldsSelects) {
  EXPECT_EQ(folded("  %3: int64 = const 5\n  %4: int64 = const 0\n  %5: bool = scalar.gt %3, %4\n"
                   "  %6: int64 = select %5, %0, %3\n  return %6\n"),
            "  return %0\n");
  EXPECT_EQ(folded("  %3: int64 = select %2, %0, %0\n  return %3\n"), "  return %0\n");
}

TEST(Cleanup, FoldsWhatIsNotNegative) {
  EXPECT_EQ(folded("  %3: int64 = scalar.abs %0 nonneg\n  %4: int64 = const 0\n  %5: bool = "
                   "scalar.lt %3, %4\n"
                   "  %6: int64 = select %5, %0, %3\n  return %6\n"),
            "  %3: int64 = scalar.abs %0 nonneg\n  return %3\n");
}

TEST(Cleanup, FoldsFields) {
  EXPECT_EQ(
      folded(
          "  %3: Tuple(float64, int64) = struct %1, %0\n  %4: int64 = field.1 %3\n  return %4\n"),
      "  return %0\n");
  EXPECT_EQ(folded("  %3: UniTuple(int64 x 2) = struct %0, %0\n  %4: int64 = const 1\n"
                   "  %5: int64 = field_at %3, %4\n  return %5\n"),
            "  return %0\n");
}

TEST(Cleanup, RebuiltStructsAreTheOriginal) {
  EXPECT_EQ(run_on(R"(function @f(a: Tuple(int64, float64)) -> Tuple(int64, float64) {
b0:
  %0: Tuple(int64, float64) = param.0
  %1: int64 = field.0 %0
  %2: float64 = field.1 %0
  %3: Tuple(int64, float64) = struct %1, %2
  return %3
}
)",
                   {passes::cleanup}),
            R"(function @f(a: Tuple(int64, float64)) -> Tuple(int64, float64) {
b0:
  %0: Tuple(int64, float64) = param.0
  return %0
}
)");
}

TEST(Cleanup, FoldsBranches) {
  EXPECT_EQ(folded("  %3: bool = const 0\n  branch %3, b1, b2\nb1: from b0\n  %4: int64 = const "
                   "1\n  jump b3\n"
                   "b2: from b0\n  jump b3\nb3: from b1, b2\n  %5: int64 = phi [b1: %4, b2: %0]\n  "
                   "return %5\n"),
            "  return %0\n");
}

TEST(Cleanup, KeepsWhatHasEffects) {
  const std::string body = "  %3: owner* = stack_alloc 8\n  %4: owner = load.2 %3\n"
                           "  %5 = poll\n  store %3, %4\n  return %0\n";
  EXPECT_EQ(folded(body), body);
  EXPECT_EQ(folded("  %3: int64* = stack_alloc 8\n  %4: int64 = load %3\n  return %0\n"),
            "  return %0\n");
  EXPECT_EQ(folded("  %3: int64 = call_runtime.PowInt %0, %0\n  return %0\n"), "  return %0\n");
}

TEST(Cleanup, SplitsPhisOfIterators) {
  // for x in a_list: only the index is left in the phi.
  EXPECT_EQ(run_on(R"(function @f(a: reflected list(int64), n: int64) -> int64 {
b0:
  %0: reflected list(int64) = param.0
  %1: int64 = param.1
  %2: int64 = const 0
  %3: iter(reflected list(int64), reflected list(int64), int64) = struct %0, %2
  jump b1
b1: from b0, b2
  %4: iter(reflected list(int64), reflected list(int64), int64) = phi [b0: %3, b2: %9] name="it"
  %5: int64 = field.1 %4
  %6: bool = scalar.lt %5, %1
  %7: int64 = const 1
  %8: int64 = index_add %5, %7
  %10: reflected list(int64) = field.0 %4
  %9: iter(reflected list(int64), reflected list(int64), int64) = struct %10, %8
  branch %6, b2, b3
b2: from b1
  jump b1
b3: from b1
  %11: int64 = field.1 %4
  return %11
}
)",
                   {passes::cleanup}),
            R"(function @f(a: reflected list(int64), n: int64) -> int64 {
b0:
  %1: int64 = param.1
  %2: int64 = const 0
  jump b1
b1: from b0, b2
  %17: int64 = phi [b0: %2, b2: %8] name="it.1"
  %6: bool = scalar.lt %17, %1
  %7: int64 = const 1
  %8: int64 = index_add %17, %7
  branch %6, b2, b3
b2: from b1
  jump b1
b3: from b1
  return %17
}
)");
}

TEST(Cleanup, KeepsArraysWhole) {
  const char *text =
      R"(function @f(a: array(float64, 1d, C), b: array(float64, 1d, C), c: bool) -> array(float64, 1d, C) {
b0:
  %0: array(float64, 1d, C) = param.0
  %1: array(float64, 1d, C) = param.1
  %2: bool = param.2
  branch %2, b1, b2
b1: from b0
  jump b3
b2: from b0
  jump b3
b3: from b1, b2
  %3: array(float64, 1d, C) = phi [b1: %0, b2: %1]
  return %3
}
)";
  EXPECT_EQ(run_on(text, {passes::cleanup}), text);
}

TEST(Cleanup, DropsUnreachableBlocks) {
  EXPECT_EQ(folded("  jump b1\nb1: from b0, b2\n  %3: int64 = phi [b0: %0, b2: %4]\n  return %3\n"
                   "b2:\n  %4: int64 = const 3\n  jump b1\n"),
            "  return %0\n");
}

// --- effects ---

TEST(Effects, RecursionIsFoundThroughOthers) {
  std::unique_ptr<Module> module = parse_module(R"(function @main() -> none {
b0:
  %0 = call @even()
  %1 = struct
  return %1
}
function @even() -> none {
b0:
  %0 = call @odd()
  %1 = struct
  return %1
}
function @odd() -> none {
b0:
  %0 = call @even()
  %1 = call @leaf()
  %2 = struct
  return %2
}
function @leaf() -> none {
b0:
  %0 = struct
  return %0
}
function @self(n: int64) -> none {
b0:
  %0: int64 = param.0
  %1 = call @self(%0)
  %2 = struct
  return %2
}
)");
  for (const auto &pass : passes::all_passes())
    pass.run(*module, {});
  std::string found;
  for (const auto &function : module->functions) {
    EXPECT_EQ(verify(*function), "");
    found += function->name + (function->recursive ? " recursive" : "") +
             (function->may_raise ? " raises" : "") + "\n";
    const auto &values = function->blocks[0]->values;
    bool checks = values[0]->op == Op::StackCheck || values[1]->op == Op::StackCheck;
    EXPECT_EQ(checks, function->recursive) << function->name;
  }
  EXPECT_EQ(
      found,
      "main raises\neven recursive raises\nodd recursive raises\nleaf\nself recursive raises\n");
  EXPECT_TRUE(module->may_run_long);
}

TEST(Effects, ArithmeticDoesNotRaise) {
  std::unique_ptr<Module> module = parse_module(
      "function @f(n: int64) -> int64 {\nb0:\n  %0: int64 = param.0\n  return %0\n}\n");
  passes::run_passes(*module);
  EXPECT_FALSE(module->functions[0]->may_raise);
  EXPECT_FALSE(module->may_run_long);
}

TEST(Passes, AreTimed) {
  std::unique_ptr<Module> module = parse_module(
      "function @f(n: int64) -> int64 {\nb0:\n  %0: int64 = param.0\n  return %0\n}\n");
  std::vector<std::pair<std::string, double>> timings;
  passes::PassOptions options;
  options.timings = &timings;
  passes::run_passes(*module, options);
  EXPECT_EQ(timings.size(), passes::all_passes().size());
}

} // namespace
