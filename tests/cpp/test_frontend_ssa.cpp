// SSA of real code objects of every Python version (data/frontend_functions.py).
#include "frontend/code_tables.h"
#include "frontend/opcodes.h"
#include "tests/cpp/code_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace numjit;

namespace {

class Ssa : public testing::TestWithParam<int> {
protected:
  void SetUp() override {
    for (const char *name : {"range", "len", "sum", "any", "ValueError", "AssertionError"})
      names_.globals[name] = names_.add_object(ObjectKind::Builtin, name);
    names_.globals["KeyError"] = names_.add_object(ObjectKind::ExceptionClass, "KeyError");
    names_.globals["math"] = names_.add_object(ObjectKind::Module, "math");
    names_.globals["FACTOR"] = constants::integer(3);
    names_.attributes[{"math", "sin"}] = names_.add_object(ObjectKind::Builtin, "math.sin");
  }

  FunctionDef &def(const std::string &name) { return fixture::functions(GetParam())[name]; }

  std::shared_ptr<const ssa::Function> build(const std::string &name, const UnrollPlan &plan = {}) {
    auto function = build_ssa(def(name), names_, plan);
    EXPECT_EQ(ssa::verify(*function), "") << ssa::print(*function);
    return function;
  }

  /// Text without positions and loop offsets, which differ between versions.
  std::string text(const std::string &name, const UnrollPlan &plan = {}) {
    return fixture::without_positions(ssa::print(*build(name, plan)));
  }

  int count(const ssa::Function &function, ssa::Op op) {
    int result = 0;
    for (const ssa::Block &block : function.blocks)
      for (const ssa::Value *value : block.values)
        result += value->op == op;
    return result;
  }

  /// Text and line of the only Unsupported.
  std::pair<std::string, int> refusal(const std::string &name) {
    auto function = build(name);
    EXPECT_EQ(count(*function, ssa::Op::Unsupported), 1) << ssa::print(*function);
    for (const ssa::Block &block : function->blocks)
      for (const ssa::Value *value : block.values)
        if (value->op == ssa::Op::Unsupported)
          return {value->name, value->position.line - def(name).code.first_line};
    return {};
  }

  std::vector<int32_t> loops(const std::string &name) {
    std::vector<int32_t> result;
    auto function = build(name);
    for (const ssa::Block &block : function->blocks)
      if (block.for_loop >= 0)
        result.push_back(block.for_loop);
    return result;
  }

  fixture::Names names_;
};

INSTANTIATE_TEST_SUITE_P(Frontend, Ssa, testing::ValuesIn(fixture::minors),
                         [](const auto &info) { return "py3" + std::to_string(info.param); });

TEST_P(Ssa, HoldsItsRulesForEveryFunction) {
  for (FunctionDef *def : fixture::functions(GetParam()).all) {
    auto function = build_ssa(*def, names_);
    EXPECT_EQ(ssa::verify(*function), "") << ssa::print(*function);
    EXPECT_FALSE(print_bytecode(*def).empty());
  }
}

TEST_P(Ssa, OfStraightCode) {
  EXPECT_EQ(text("straight"), R"(function straight(a, b)
block0:
  %0 = param 0 'a'
  %1 = param 1 'b'
  %2 = op * %0, %1
  %3 = const 1
  %4 = op + %2, %3
  %5 = op -= %4, %0
  %6 = op - %5
  return %6
)");
}

TEST_P(Ssa, ReadsFreeVariables) {
  FunctionDef &closure = *fixture::functions(GetParam()).all.back();
  ASSERT_EQ(closure.code.freevars, std::vector<std::string>{"k"});
  closure.surroundings->closure = {constants::integer(7)};
  closure.runtime_closure = false;
  std::string dump = ssa::print(*build_ssa(closure, names_));
  EXPECT_NE(dump.find("const 7"), std::string::npos) << dump;
  closure.surroundings->closure = {nullptr};
  dump = ssa::print(*build_ssa(closure, names_));
  EXPECT_NE(dump.find("unbound 'k'"), std::string::npos) << dump;
  closure.runtime_closure = true;
  dump = ssa::print(*build_ssa(closure, names_));
  EXPECT_NE(dump.find("(x, k)"), std::string::npos) << dump;
  EXPECT_NE(dump.find("param 1 'k'"), std::string::npos) << dump;
}

TEST_P(Ssa, TakesIteratorsApart) {
  EXPECT_EQ(text("for_else"), R"(function for_else(items)
block0:
  %0 = param 0 'items'
  %1 = iter %0
  jump -> block1
block1:  ; from block0 block3
  %3 = phi block0: %1, block3: %7
  %4 = next %3
  %5 = next_valid %4
  branch %5 -> block2, block5
block2:  ; from block1
  %7 = next_state %4
  %8 = next_value %4
  %9 = op bool %8
  branch %9 -> block4, block3
block3:  ; from block2
  jump -> block1
block4:  ; from block2
  return %8
block5:  ; from block1
  %13 = const 0
  return %13
)");
}

TEST_P(Ssa, UnrollsLoops) {
  int32_t loop = loops("for_else").at(0);
  std::string dump = text("for_else", {{loop, 2}});
  EXPECT_EQ(dump, R"(function for_else(items)
block0:
  %0 = param 0 'items'
  %1 = iter %0
  %2 = unrolled_item 0 %1
  %3 = op bool %2
  branch %3 -> block4, block1
block1:  ; from block0
  %5 = unrolled_item 1 %1
  %6 = op bool %5
  branch %6 -> block3, block2
block2:  ; from block1
  %8 = const 0
  return %8
block3:  ; from block1
  return %5
block4:  ; from block0
  return %2
)");
  // An empty iterator leads to `else`.
  EXPECT_NE(text("for_else", {{loop, 0}}).find("const 0"), std::string::npos);
  // What a break runs belongs to its copy.
  auto broken = build("break_loop", {{loops("break_loop").at(0), 3}});
  EXPECT_EQ(count(*broken, ssa::Op::UnrolledItem), 3);
  EXPECT_EQ(count(*broken, ssa::Op::Const), 3);
}

TEST_P(Ssa, UnrollsInnerLoopsInEveryCopy) {
  std::vector<int32_t> both = loops("nested_tuples");
  ASSERT_EQ(both.size(), 2u);
  auto function = build("nested_tuples", {{both[0], 3}, {both[1], 2}});
  EXPECT_EQ(count(*function, ssa::Op::UnrolledItem), 3 + 3 * 2);
  EXPECT_EQ(function->blocks.size(), 1u);
  auto inner = build("nested_tuples", {{both[1], 2}});
  EXPECT_EQ(count(*inner, ssa::Op::UnrolledItem), 2);
  EXPECT_EQ(count(*inner, ssa::Op::IterNext), 1);
  auto outer = build("nested_tuples", {{both[0], 3}});
  EXPECT_EQ(count(*outer, ssa::Op::UnrolledItem), 3);
  EXPECT_EQ(count(*outer, ssa::Op::IterNext), 3);
  auto huge = build("nested_tuples", {{both[0], 100000}, {both[1], 100000}});
  EXPECT_EQ(count(*huge, ssa::Op::Unsupported), 1);
}

TEST_P(Ssa, InlinesComprehensions) {
  EXPECT_EQ(text("comprehension"), R"(function comprehension(a, n)
block0:
  %0 = param 0 'a'
  %1 = param 1 'n'
  %2 = iter %0
  %3 = list
  jump -> block1
block1:  ; from block0 block3 block4
  %5 = phi block0: %2, block3: %9, block4: %9
  %6 = next %5
  %7 = next_valid %6
  branch %7 -> block2, block5
block2:  ; from block1
  %9 = next_state %6
  %10 = next_value %6
  %11 = op bool %10
  branch %11 -> block4, block3
block3:  ; from block2
  jump -> block1
block4:  ; from block2
  %14 = op * %10, %1
  %15 = list_append %3, %14
  jump -> block1
block5:  ; from block1
  return %3
)");
  auto nested = build("nested_comprehension");
  EXPECT_EQ(count(*nested, ssa::Op::MapAdd), 1);
  EXPECT_EQ(count(*nested, ssa::Op::ListAppend), 1);
  EXPECT_EQ(count(*nested, ssa::Op::MakeFunction), 0);
  EXPECT_EQ(loops("nested_comprehension").size(), 2u);
  EXPECT_EQ(count(*build("walrus"), ssa::Op::ListAppend), 1);
}

TEST_P(Ssa, TurnsConsumedGeneratorsIntoLists) {
  auto function = build("generator_expression");
  EXPECT_EQ(count(*function, ssa::Op::ListAppend), 1);
  EXPECT_EQ(count(*function, ssa::Op::Unsupported), 0);
  EXPECT_EQ(count(*build("lazy_generator_expression"), ssa::Op::MakeFunction), 2);
  EXPECT_EQ(count(*build("assigning_generator_expression"), ssa::Op::ListAppend), 1);
}

TEST_P(Ssa, OfSlices) {
  auto slices = build("slices");
  EXPECT_EQ(count(*slices, ssa::Op::BuildSlice), 3);
  EXPECT_EQ(count(*slices, ssa::Op::SetItem), 2);
  EXPECT_EQ(count(*slices, ssa::Op::DelItem), 1);
}

TEST_P(Ssa, OfRaises) {
  auto function = build("checks");
  std::vector<size_t> operands;
  for (const ssa::Block &block : function->blocks)
    if (block.terminator()->op == ssa::Op::Raise)
      operands.push_back(block.terminator()->operands.size());
  std::sort(operands.begin(), operands.end());
  EXPECT_EQ(operands, (std::vector<size_t>{1, 1, 2}));
}

TEST_P(Ssa, CapturesValues) {
  EXPECT_EQ(count(*build("recursive_inner"), ssa::Op::Unsupported), 0);
  EXPECT_EQ(count(*build("loop_capture"), ssa::Op::Unsupported), 0);
  for (const char *name : {"changed_capture", "nonlocal_store", "nonlocal_with_defaults"})
    EXPECT_EQ(count(*build(name), ssa::Op::Unsupported), 0) << text(name);
  // CPython has the condition of a loop twice.
  EXPECT_EQ(count(*build("nonlocal_with_defaults"), ssa::Op::MakeFunction), 2);
  EXPECT_EQ(count(*build("inner_function"), ssa::Op::Unsupported), 0);
}

TEST_P(Ssa, YieldsFromInLoops) {
  auto function = build("yields_from");
  EXPECT_EQ(count(*function, ssa::Op::Unsupported), 0) << text("yields_from");
  EXPECT_EQ(count(*function, ssa::Op::Yield), 2);
  EXPECT_EQ(count(*function, ssa::Op::IterNext), 3);
}

TEST_P(Ssa, RefusesAtTheRightLine) {
  EXPECT_NE(refusal("imports").first.find("import"), std::string::npos);
  EXPECT_EQ(refusal("imports").second, 1);
}

TEST_P(Ssa, CallsTheMethodsOfContextManagers) {
  const std::string dump = text("with_statement");
  EXPECT_EQ(count(*build("with_statement"), ssa::Op::Unsupported), 0) << dump;
  EXPECT_EQ(count(*build("with_statement"), ssa::Op::Call), 2) << dump; // nothing in it raises
}

TEST_P(Ssa, LeadsExceptionsToHandlers) {
  auto function = build("try_except");
  EXPECT_EQ(count(*function, ssa::Op::Unsupported), 0);
  EXPECT_TRUE(std::any_of(function->blocks.begin(), function->blocks.end(),
                          [](const ssa::Block &block) { return block.guarded; }));
  EXPECT_EQ(count(*build("generator"), ssa::Op::Yield), 1);
}

TEST_P(Ssa, ConvertsVariablesOfTheLocalsOption) {
  FunctionDef &straight = def("straight");
  straight.options.locals["c"] = nullptr;
  auto function = build("straight");
  EXPECT_EQ(count(*function, ssa::Op::Local), 2);
  straight.options.locals.clear();
}

TEST_P(Ssa, DecodesPositions) {
  const fixture::Functions &functions = fixture::functions(GetParam());
  EXPECT_EQ(decode_positions(functions["nested_loops"].code), functions.positions);
}

TEST_P(Ssa, HasPositionsOnValues) {
  auto function = build("nested_loops");
  for (const ssa::Block &block : function->blocks)
    for (const ssa::Value *value : block.values)
      if (value->op != ssa::Op::Param && value->op != ssa::Op::Undef) {
        EXPECT_TRUE(value->position.known()) << ssa::print(*function);
      }
}

TEST(SsaAcrossVersions, IsTheSame) {
  // What the versions' own optimisers leave different (duplicated returns) isn't compared.
  fixture::Names names;
  for (const char *name : {"straight", "nested_loops", "comprehension", "nested_comprehension",
                           "generator_expression", "slices", "displays", "texts", "recursive_inner",
                           "loop_capture", "nested_tuples", "walrus", "many_constants"}) {
    std::vector<std::string> texts;
    for (int minor : fixture::minors) {
      auto function = build_ssa(fixture::functions(minor)[name], names);
      texts.push_back(fixture::without_positions(ssa::print(*function)));
    }
    for (const std::string &text : texts)
      EXPECT_EQ(text, texts[0]);
  }
}

} // namespace
