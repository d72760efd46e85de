// Loops whose body ends in two branches get one way back.
#include "tests/cpp/pass_test.h"

using namespace numjit;
using namespace numjit::tir;

namespace {

// Counts the odd numbers below n; the `if` jumps back from both of its sides.
constexpr const char *kTwoLatches = R"(function @f(n: int64) -> int64 {
b0:
  %0: int64 = param.0
  %1: int64 = const 0
  %2: int64 = const 1
  jump b1
b1: from b0, b2, b3
  %3: int64 = phi [b0: %1, b2: %7, b3: %7] name="i"
  %4: int64 = phi [b0: %1, b2: %4, b3: %9] name="odd"
  %5: bool = scalar.lt %3, %0
  branch %5, b2, b4
b2: from b1
  %6: int64 = scalar.and %3, %2
  %7: int64 = index_add %3, %2
  %8: bool = scalar.eq %6, %2
  branch %8, b3, b1
b3: from b2
  %9: int64 = index_add %4, %2
  jump b1
b4: from b1
  return %4
}
)";

TEST(Latches, TwoBecomeOne) {
  std::unique_ptr<Module> module = parse_module(kTwoLatches);
  passes::latches(*module, {});
  const Function &function = *module->functions[0];
  EXPECT_EQ(verify(function), "") << print(function);
  EXPECT_EQ(function.blocks[1]->preds.size(), 2U) << print(function);
  // The counter arrives alike from both sides: only the other variable needs a phi.
  const Block &joined = *function.blocks[1]->preds[1];
  EXPECT_EQ(joined.preds.size(), 2U);
  EXPECT_EQ(joined.values.size(), 2U) << print(function);
}

TEST(Latches, ALoopWithOneLatchStays) {
  std::unique_ptr<Module> module = parse_module(kTwoLatches);
  passes::latches(*module, {});
  const std::string once = print(*module);
  passes::latches(*module, {});
  EXPECT_EQ(print(*module), once);
}

} // namespace
