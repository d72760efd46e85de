#include "tests/cpp/pass_test.h"
#include "typeinfer/passes/frames.h"
#include "typeinfer/passes/inline.h"
#include "typeinfer/passes/simplify.h"
#include "typeinfer/passes/ssa_update.h"

using namespace numjit;

namespace {

/// Text of the first function after a change, verified before and after.
std::string changed(const std::string &text, void (*change)(tir::Function &)) {
  std::unique_ptr<tir::Module> module = parse_module(text);
  tir::Function &function = *module->functions[0];
  EXPECT_EQ(tir::verify(function), "");
  change(function);
  EXPECT_EQ(tir::verify(function), "") << print(function);
  passes::tidy(function);
  EXPECT_EQ(tir::verify(function), "") << print(function);
  return print(function);
}

void inline_all(tir::Function &function) {
  std::vector<tir::Value *> calls;
  for (tir::Block *block : function.blocks)
    for (tir::Value *value : block->values)
      if (value->op == tir::Op::Call && tir::may_inline(function, *value))
        calls.push_back(value);
  for (tir::Value *call : calls)
    tir::inline_call(function, *call);
  passes::remove_unreachable(function);
}

void promote(tir::Function &function) { passes::promote_frames(function); }

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

const std::string kCallee = "function @g(x: int64) -> int64 {\n"
                            "b0:\n  %0: int64 = param.0\n  %1: int64 = const 3\n"
                            "  %2: bool = scalar.lt %0, %1\n  branch %2, b1, b2\n"
                            "b1: from b0\n  %4: owner = alloc %1\n  return %1\n"
                            "b2: from b0\n  return %0\n}\n";

} // namespace

TEST(Inline, ReturnsMeetBehindTheCall) {
  std::string text = changed("function @f(n: int64) -> int64 {\n"
                             "b0:\n  %0: int64 = param.0\n  %1: int64 = call @g(%0)\n"
                             "  %2: int64 = index_add %1, %0\n  return %2\n}\n" +
                                 kCallee,
                             inline_all);
  EXPECT_FALSE(has(text, "call")) << text;
  EXPECT_TRUE(has(text, "phi") && has(text, "alloc") && has(text, "index_add")) << text;
}

TEST(Inline, WhatMayRaiseLeadsToTheHandlerOfTheCall) {
  std::string text = changed("function @f(n: int64) -> int64 {\n"
                             "b0:\n  %0: int64 = param.0\n  %1: int64 = call @g(%0)\n"
                             "  try b1, b2\n"
                             "b1: from b0\n  return %1\n"
                             "b2: from b0\n  return %0\n}\n" +
                                 kCallee,
                             inline_all);
  const size_t alloc = text.find("alloc");
  ASSERT_NE(alloc, text.npos) << text;
  EXPECT_EQ(text.find("try", alloc), text.find('\n', alloc) + 3) << text;
}

TEST(Inline, RecursionStaysACall) {
  std::string text = changed("function @f(n: int64) -> int64 {\n"
                             "b0:\n  %0: int64 = param.0\n  %1: int64 = call @h(%0)\n"
                             "  return %1\n}\n"
                             "function @h(n: int64) -> int64 {\n"
                             "b0:\n  %0: int64 = param.0\n  %1: int64 = call @h(%0)\n"
                             "  return %1\n}\n",
                             inline_all);
  EXPECT_TRUE(has(text, "call @h")) << text;
}

TEST(Frames, PlacesBecomePhis) {
  const std::string head = "function @f(c: bool, n: int64) -> int64 {\n"
                           "b0:\n  %0: bool = param.0\n  %1: int64 = param.1\n"
                           "  %2: int64* = const 0\n  %3: int64 = const 24\n"
                           "  %4: owner = call_runtime.FrameNew %3, %2\n"
                           "  %5: int64* = owner_data %4\n  %6: int64 = const 16\n"
                           "  %7: int64* = ptr_add %5, %6\n  store %7, %1 alias=Frame\n"
                           "  branch %0, b1, b2\n"
                           "b1: from b0\n  store %7, %6 alias=Frame\n  jump b2\n";
  std::string text = changed(head + "b2: from b0, b1\n  %12: int64 = load %7 alias=Frame\n"
                                    "  return %12\n}\n",
                             promote);
  EXPECT_FALSE(has(text, "FrameNew") || has(text, "store") || has(text, "load")) << text;
  EXPECT_TRUE(has(text, "phi")) << text;

  // A place that something else knows stays in memory.
  text = changed(head + "b2: from b0, b1\n  %12: int64 = load %7 alias=Frame\n"
                        "  %13: int64 = ptr_to_int %5\n  %14: int64 = index_add %12, %13\n"
                        "  return %14\n}\n",
                 promote);
  EXPECT_TRUE(has(text, "FrameNew") && has(text, "store")) << text;
}

TEST(ThreadJumps, TheStateOfALoopIsNotTested) {
  // state = 0; while True: if state == 0: x = n else: x -= 1; if x < 3: return x; state = 1
  std::string text = changed("function @f(n: int64) -> int64 {\n"
                             "b0:\n  %0: int64 = param.0\n  %1: int64 = const 0\n  jump b1\n"
                             "b1: from b0, b4\n  %3: int64 = phi [b0: %1, b4: %12]\n"
                             "  %4: int64 = phi [b0: %0, b4: %10]\n"
                             "  %5: bool = scalar.eq %3, %1\n  branch %5, b2, b3\n"
                             "b2: from b1\n  jump b4\n"
                             "b3: from b1\n  %8: int64 = const -1\n"
                             "  %9: int64 = index_add %4, %8\n  jump b4\n"
                             "b4: from b2, b3, b5\n"
                             "  %10: int64 = phi [b2: %4, b3: %9, b5: %10]\n"
                             "  %12: int64 = const 1\n  %13: int64 = const 3\n"
                             "  %14: bool = scalar.lt %10, %13\n  branch %14, b6, b1\n"
                             "b5:\n  jump b4\n"
                             "b6: from b4\n  return %10\n}\n",
                             [](tir::Function &function) {
                               passes::tidy(function); // b5
                               passes::thread_jumps(function);
                             });
  EXPECT_FALSE(has(text, "scalar.eq")) << text;
  EXPECT_TRUE(has(text, "index_add") && has(text, "scalar.lt")) << text;
}
