// Code generation: functions in typed IR are compiled and called.
#include "frontend/code.h"
#include "runtime/runtime.h"
#include "tests/cpp/codegen_test.h"

#include <atomic>
#include <cmath>
#include <thread>

using namespace numjit;

namespace {

TEST(Codegen, ReturnsAParameter) {
  Compiled f("function @f(x: int64) -> int64 {\nb0:\n  %0: int64 = param.0\n  return %0\n}\n");
  EXPECT_EQ(f.run(Slots(int64_t(-7))), 0);
  EXPECT_EQ(f.get<int64_t>(), -7);
}

TEST(Codegen, SmallIntegersFillTheirSlots) {
  Compiled f(R"(
function @f(a: int8, b: uint8, c: bool) -> Tuple(int8, uint8, bool) {
b0:
  %0: int8 = param.0
  %1: uint8 = param.1
  %2: bool = param.2
  %3: Tuple(int8, uint8, bool) = struct %0, %1, %2
  return %3
}
)");
  EXPECT_EQ(f.run(Slots(-1, 255, 1)), 0);
  EXPECT_EQ(f.get<int64_t>(0), -1);
  EXPECT_EQ(f.get<int64_t>(1), 255);
  EXPECT_EQ(f.get<int64_t>(2), 1);
}

TEST(Codegen, LoopsOverArrays) {
  Compiled f(axpy_text);
  std::vector<double> a(1001), b(1001), d(1001);
  for (int i = 0; i < 1001; ++i)
    b[i] = i * 0.5, d[i] = 3 - i;
  Slots arguments;
  add_array(arguments, a);
  add_array(arguments, b);
  arguments.add(2.5);
  add_array(arguments, d);
  EXPECT_EQ(f.run(arguments), 0);
  for (int i = 0; i < 1001; ++i)
    ASSERT_EQ(a[i], b[i] * 2.5 + d[i]) << i;
}

TEST(Codegen, CallsRaiseAndReleaseOnTheWayOut) {
  Compiled f(R"(
function @f(n: int64) -> int64 may_raise {
b0:
  %0: int64 = param.0
  %1: owner = alloc.1 %0
  %2: int64 = call @g(%0) cleanup(%1)
  %3 = release %1
  return %2
}
function @g(n: int64) -> int64 may_raise {
b0:
  %0: int64 = param.0
  %1: int64 = const 100
  %2: bool = scalar.lt %0, %1
  branch.1 %2, b1, b2
b1: from b0
  %3: int64 = scalar.add %0, %1
  return %3
b2: from b0
  raise ValueError("too big")
}
)");
  const int64_t before = nj_live_blocks();
  EXPECT_EQ(f.run(Slots(int64_t(5))), 0);
  EXPECT_EQ(f.get<int64_t>(), 105);
  EXPECT_EQ(nj_live_blocks(), before);
  EXPECT_NE(f.run(Slots(int64_t(500))), 0);
  EXPECT_EQ(nj_live_blocks(), before);
  const nj_error *error = nj_pending_error();
  ASSERT_EQ(error->kind, 1);
  EXPECT_STREQ(error->site->builtin, "ValueError");
  EXPECT_STREQ(error->site->message, "too big");
  EXPECT_STREQ(error->site->function, "g");
  nj_clear_error();
}

TEST(Codegen, ImpossibleAllocationsRaise) {
  Compiled f(R"(
function @f(n: int64) -> none may_raise {
b0:
  %0: int64 = param.0
  %1: owner = alloc %0
  %2 = release %1
  %3: none = struct
  return %3
}
)");
  EXPECT_EQ(f.run(Slots(int64_t(64))), 0);
  EXPECT_NE(f.run(Slots(int64_t(1) << 62)), 0);
  EXPECT_NE(nj_pending_error()->kind, 0);
  nj_clear_error();
}

TEST(Codegen, RaisesWithArguments) {
  Compiled f(R"(
function @f(x: float64, n: int32) -> none may_raise {
b0:
  %0: float64 = param.0
  %1: int32 = param.1
  raise KeyError(%0, %1)
}
)");
  EXPECT_NE(f.run(Slots(2.5, -3)), 0);
  const nj_error *error = nj_pending_error();
  ASSERT_EQ(error->kind, 1);
  ASSERT_EQ(error->site->argument_count, 2);
  EXPECT_EQ(error->site->message, nullptr);
  EXPECT_EQ(error->site->argument_types[0], types::float64());
  EXPECT_EQ(error->site->argument_types[1], types::scalar(ScalarId::Int32));
  EXPECT_EQ(error->site->slot_count, 2);
  EXPECT_EQ(std::bit_cast<double>(error->slots[0]), 2.5);
  EXPECT_EQ(static_cast<int64_t>(error->slots[1]), -3);
  nj_clear_error();
}

const char *const fib_text = R"(
function @fib(n: int64) -> int64 may_raise recursive {
b0:
  %0: int64 = param.0
  %9 = stack_check
  %1: int64 = const 2
  %2: bool = scalar.lt %0, %1
  branch %2, b1, b2
b1: from b0
  return %0
b2: from b0
  %3: int64 = const 1
  %4: int64 = scalar.sub %0, %3
  %5: int64 = call @fib(%4)
  %6: int64 = scalar.sub %0, %1
  %7: int64 = call @fib(%6)
  %8: int64 = scalar.add %5, %7
  return %8
}
)";

TEST(Codegen, RecursesAndChecksTheStack) {
  Compiled f(fib_text);
  EXPECT_EQ(f.run(Slots(int64_t(20))), 0);
  EXPECT_EQ(f.get<int64_t>(), 6765);
  Compiled endless(R"(
function @f(n: int64) -> int64 may_raise recursive {
b0:
  %0: int64 = param.0
  %1 = stack_check
  %2: int64 = const 1
  %3: int64 = scalar.add %0, %2
  %4: int64 = call @f(%3)
  %5: int64 = scalar.mul %4, %3
  return %5
}
)");
  EXPECT_NE(endless.run(Slots(int64_t(0))), 0);
  EXPECT_STREQ(nj_pending_error()->builtin, "RecursionError");
  nj_clear_error();
}

TEST(Codegen, PollsLeaveWhenTheHostSaysSo) {
  Compiled f(R"(may_run_long
function @f() -> none may_raise {
b0:
  jump b1
b1: from b0, b1
  %0 = poll
  jump b1
}
)");
  auto saved = nj_host.poll;
  nj_host.poll = [] { return int32_t(1); };
  nj_poll_flag = 1;
  EXPECT_NE(f.run(Slots()), 0);
  nj_host.poll = saved;
  nj_poll_flag = 0;
  nj_clear_error();
}

std::string field_of(const std::string &tuple) {
  return "function @f(t: " + tuple + ", i: int64) -> float64 {\nb0:\n  %0: " + tuple +
         " = param.0\n  %1: int64 = param.1\n  %2: float64 = field_at %0, %1\n  return %2\n}\n";
}

TEST(Codegen, FieldsByVariableIndex) {
  for (int count : {3, 7}) {
    Compiled f(field_of("UniTuple(float64, " + std::to_string(count) + ")"));
    Slots arguments;
    for (int i = 0; i < count; ++i)
      arguments.add(i * 1.5);
    for (int i = 0; i < count; ++i) {
      Slots call = arguments;
      call.add(int64_t(i));
      EXPECT_EQ(f.run(call), 0);
      EXPECT_EQ(f.get<double>(), i * 1.5);
    }
  }
}

TEST(Codegen, StoresAndLoadsStructsInMemory) {
  Compiled f(R"(
function @f(p: Tuple(bool, float64, int16)*, t: Tuple(bool, float64, int16)) -> Tuple(bool, float64, int16) {
b0:
  %0: Tuple(bool, float64, int16)* = param.0
  %1: Tuple(bool, float64, int16) = param.1
  %2: Tuple(bool, float64, int16) = load %0 alias=ListData
  store %0, %1 alias=ListData
  return %2
}
)");
  struct Item {
    bool flag;
    double number;
    int16_t small;
  } item{true, 2.5, -4};
  EXPECT_EQ(f.run(Slots(static_cast<const void *>(&item), 0, 7.5, 12)), 0);
  EXPECT_EQ(f.get<int64_t>(0), 1);
  EXPECT_EQ(f.get<double>(1), 2.5);
  EXPECT_EQ(f.get<int64_t>(2), -4);
  EXPECT_EQ(item.flag, false);
  EXPECT_EQ(item.number, 7.5);
  EXPECT_EQ(item.small, 12);
}

double times_three(double x) { return 3 * x; }

TEST(Codegen, CallsThroughPointers) {
  Compiled f(R"(
function @f(p: none*, x: float64) -> float64 {
b0:
  %0: none* = param.0
  %1: float64 = param.1
  %2: float64 = call_pointer %0, %1
  %3: none* = function_address @g
  %4: float64 = call_pointer %3, %2
  return %4
}
function @g(x: float64) -> float64 {
b0:
  %0: float64 = param.0
  %1: float64 = const 1
  %2: float64 = scalar.add %0, %1
  return %2
}
)");
  EXPECT_EQ(f.run(Slots(reinterpret_cast<const void *>(&times_three), 2.0)), 0);
  EXPECT_EQ(f.get<double>(), 7);
}

TEST(Codegen, AtomicAddGivesTheOldValue) {
  Compiled f(R"(
function @f(p: int64*, x: int64) -> int64 {
b0:
  %0: int64* = param.0
  %1: int64 = param.1
  %2: int64 = device.atomic_add %0, %1
  return %2
}
)");
  int64_t cell = 40;
  EXPECT_EQ(f.run(Slots(static_cast<const void *>(&cell), 2)), 0);
  EXPECT_EQ(f.get<int64_t>(), 40);
  EXPECT_EQ(cell, 42);
}

TEST(Codegen, ConvertsOutOfRangeFloatsAsC) {
  Compiled f(R"(
function @f(x: float64) -> Tuple(int8, uint8, int64, bool) {
b0:
  %0: float64 = param.0
  %1: int8 = cast %0
  %2: uint8 = cast %0
  %3: int64 = cast %0
  %4: bool = cast %0
  %5: Tuple(int8, uint8, int64, bool) = struct %1, %2, %3, %4
  return %5
}
)");
  EXPECT_EQ(f.run(Slots(300.7)), 0);
  EXPECT_EQ(f.get<int64_t>(0), 44);
  EXPECT_EQ(f.get<int64_t>(1), 44);
  EXPECT_EQ(f.get<int64_t>(2), 300);
  EXPECT_EQ(f.get<int64_t>(3), 1);
  EXPECT_EQ(f.run(Slots(std::nan(""))), 0);
  EXPECT_EQ(f.get<int64_t>(3), 1);
}

TEST(Codegen, UserFunctionsAreNotTakenForLibm) {
  Compiled f(R"(
function @f(x: float64) -> float64 {
b0:
  %0: float64 = param.0
  %1: float64 = call @exp(%0)
  %2: float64 = scalar.exp %1
  return %2
}
function @exp(x: float64) -> float64 inline_never {
b0:
  %0: float64 = param.0
  %1: float64 = const 1
  %2: float64 = scalar.add %0, %1
  return %2
}
)");
  EXPECT_EQ(f.run(Slots(0.0)), 0);
  EXPECT_EQ(f.get<double>(), std::exp(1.0));
}

TEST(Codegen, DebugInfoOnRequest) {
  auto module = parse_verified(fib_text);
  FunctionDef def;
  def.code.name = "fib";
  def.code.filename = "folder/file.py";
  def.code.first_line = 7;
  module->functions[0]->def = &def;
  EXPECT_EQ(codegen::llvm_text(*module, false).find("DISubprogram"), std::string::npos);
  def.options.debug = true;
  const std::string text = codegen::llvm_text(*module, true);
  EXPECT_NE(text.find("DISubprogram(name: \"fib\""), std::string::npos) << text;
  EXPECT_NE(codegen::compile(std::move(module)), nullptr);
}

TEST(Codegen, CompilesInManyThreads) {
  std::vector<std::thread> threads;
  std::vector<int64_t> results(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5; ++i) {
        Compiled f(fib_text);
        f.run(Slots(int64_t(10 + t)));
        results[t] = f.get<int64_t>();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(results, (std::vector<int64_t>{55, 89, 144, 233}));
}

TEST(Codegen, RareFunctionsAreCompiledWhenTheyAreCalled) {
  static std::atomic<int> compiled;
  codegen::report_deferred([](const codegen::Timings &) { ++compiled; });
  Compiled f(R"(
function @f(x: int64) -> Tuple(int64, int64) may_raise {
b0:
  %0: int64 = param.0
  %1: int64 = const 10
  %2: bool = scalar.lt %0, %1
  branch %2, b1, b2
b1: from b0
  %3: Tuple(int64, int64) = struct %0, %1
  return %3
b2: from b0
  %4: Tuple(int64, int64) = call @swap(%0, %1)
  return %4
}
function @swap(x: int64, y: int64) -> Tuple(int64, int64) may_raise rare {
b0:
  %0: int64 = param.0
  %1: int64 = param.1
  %2: int64 = call @twice(%0)
  %3: Tuple(int64, int64) = struct %1, %2
  return %3
}
function @twice(x: int64) -> int64 may_raise rare {
b0:
  %0: int64 = param.0
  %1: int64 = scalar.add %0, %0
  return %1
}
)");
  EXPECT_EQ(f.run(Slots(int64_t(3))), 0);
  EXPECT_EQ(f.get<int64_t>(), 3);
  EXPECT_EQ(compiled, 0);
  for (int64_t x : {20, 30}) {
    EXPECT_EQ(f.run(Slots(x)), 0);
    EXPECT_EQ(f.get<int64_t>(0), 10);
    EXPECT_EQ(f.get<int64_t>(1), 2 * x);
    EXPECT_EQ(compiled, 2);
  }
  codegen::report_deferred(nullptr);
}

TEST(Codegen, ReportsItsStages) {
  codegen::Timings timings;
  std::shared_ptr<tir::Module> module = parse_verified(axpy_text);
  auto code = codegen::compile(module, &timings);
  std::vector<std::string> names;
  for (const auto &[name, milliseconds] : timings)
    names.push_back(name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"llvm emit", "llvm optimise", "code emission", "link"}));
  EXPECT_GT(code->code_bytes(), 0u);
}

} // namespace
