// The list of passes. What each does is in tests/stage/passes.
#include "tests/cpp/pass_test.h"

#include <algorithm>

using namespace numjit;
using namespace numjit::tir;

TEST(Passes, AreTimed) {
  std::unique_ptr<Module> module = parse_module(
      "function @f(n: int64) -> int64 {\nb0:\n  %0: int64 = param.0\n  return %0\n}\n");
  std::vector<std::pair<std::string, double>> timings;
  passes::PassOptions options;
  options.timings = &timings;
  passes::run_passes(*module, options);
  const auto run = std::ranges::count_if(
      passes::all_passes(), [](const passes::Pass &pass) { return pass.runs_for(Target::Host); });
  EXPECT_EQ(timings.size(), static_cast<size_t>(run));
  EXPECT_FALSE(module->may_run_long);
}
