// Kernels for the simulator: the thread as a parameter, loops over the threads of a block.
#include "tests/cpp/pass_test.h"

using namespace numjit;

namespace {

std::string simulated(const std::string &text, bool race_check = false,
                      tir::SimulatedKernel *kernel = nullptr) {
  std::unique_ptr<tir::Module> module = parse_module(text);
  module->target = tir::Target::Simulator;
  module->simulated.race_check = race_check;
  passes::simulate(*module, {});
  for (const auto &function : module->functions)
    EXPECT_EQ(tir::verify(*function), "") << print(*function);
  if (kernel)
    *kernel = module->simulated;
  return print(*module);
}

const char *const kStore = "function @k(p: float64*) -> none {\n"
                           "b0:\n"
                           "  %0: float64* = param.0\n"
                           "  %1: int32 = device.thread_idx_x\n"
                           "  %2: int64 = cast %1\n"
                           "  %3: float64* = ptr_add %0, %2\n"
                           "  %4: float64 = const 1\n"
                           "  store %3, %4 alias=ArrayData\n"
                           "  %5 = undef\n"
                           "  return %5\n"
                           "}\n";

} // namespace

TEST(Simulate, LoopsOverTheThreadsOfABlock) {
  tir::SimulatedKernel kernel;
  const std::string text = simulated(kStore, false, &kernel);
  EXPECT_TRUE(kernel.whole_block);
  EXPECT_NE(text.find("function @k$block("), text.npos) << text;
  EXPECT_EQ(text.find("device."), text.npos) << text;
}

TEST(Simulate, KernelsThatWaitAreOneThread) {
  tir::SimulatedKernel kernel;
  const std::string text = simulated("function @k() -> none {\n"
                                     "b0:\n"
                                     "  %0 = device.syncthreads\n"
                                     "  %1 = undef\n"
                                     "  return %1\n"
                                     "}\n",
                                     false, &kernel);
  EXPECT_FALSE(kernel.whole_block);
  EXPECT_EQ(text.find("$block"), text.npos) << text;
  EXPECT_NE(text.find("call_runtime.SimBarrier"), text.npos) << text;
}

TEST(Simulate, RaceCheckHearsOfStores) {
  EXPECT_NE(simulated(kStore, true).find("call_runtime.SimAccess"), std::string::npos);
}
