// Bytecode as CPython 3.14 compiles it, assembled by hand: no 3.14 interpreter has made it. Each
// function becomes the SSA of the same function compiled by 3.13.
#include "frontend/opcodes.h"
#include "tests/cpp/code_fixture.h"

#include <gtest/gtest.h>

#include <string_view>

using namespace numjit;

namespace {

constexpr int tested = 14;

/// Assembles lines such as "L1: FOR_ITER L2", "LOAD_FAST 0"; inline caches are added.
class Assembler {
public:
  explicit Assembler(const std::string &text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      if (line.find_first_not_of(' ') != std::string::npos)
        add(line);
    for (const auto &[unit, label] : jumps_) {
      const int from = unit + 1 + row(code_[unit * 2]).caches;
      code_[unit * 2 + 1] = static_cast<uint8_t>(std::abs(labels_.at(label) - from));
    }
  }

  std::vector<uint8_t> bytes() const { return code_; }

private:
  static const OpcodeRow &row(uint8_t number) { return (*opcode_table(tested))[number]; }

  static uint8_t number_of(const std::string &name) {
    for (int number = 0; number < 256; ++number)
      if (row(static_cast<uint8_t>(number)).name && name == row(static_cast<uint8_t>(number)).name)
        return static_cast<uint8_t>(number);
    throw std::runtime_error("3.14 has no " + name);
  }

  void add(const std::string &line) {
    std::istringstream words(line);
    std::string name, argument;
    words >> name;
    const int unit = static_cast<int>(code_.size() / 2);
    if (name.back() == ':') {
      labels_[name.substr(0, name.size() - 1)] = unit;
      words >> name;
    }
    words >> argument;
    code_.push_back(number_of(name));
    if (argument.starts_with("L"))
      jumps_.push_back({unit, argument});
    code_.push_back(argument.empty() || argument.starts_with("L")
                        ? 0
                        : static_cast<uint8_t>(std::stoi(argument)));
    code_.resize(code_.size() + 2 * row(code_[unit * 2]).caches);
  }

  std::vector<uint8_t> code_;
  std::map<std::string, int> labels_;
  std::vector<std::pair<int, std::string>> jumps_;
};

class Python314 : public testing::Test {
protected:
  void SetUp() override {
    for (const char *name : {"range", "len", "any", "ValueError", "AssertionError", "f"})
      names_.globals[name] = names_.add_object(ObjectKind::Builtin, name);
    names_.globals["KeyError"] = names_.add_object(ObjectKind::ExceptionClass, "KeyError");
    names_.globals["math"] = names_.add_object(ObjectKind::Module, "math");
    names_.attributes[{"math", "sin"}] = names_.add_object(ObjectKind::Builtin, "math.sin");
  }

  std::string text(Code code) {
    FunctionDef def;
    def.code = std::move(code);
    auto function = build_ssa(def, names_);
    EXPECT_EQ(ssa::verify(*function), "") << print_bytecode(def) << ssa::print(*function);
    return fixture::without_positions(ssa::print(*function));
  }

  /// `assembly` with the names and variables of a fixture is that function.
  void expect_same(const std::string &name, const std::string &assembly,
                   std::vector<const Const *> consts = {}) {
    Code code = fixture::functions(13)[name].code;
    const std::string expected = text(code);
    code.minor = tested;
    code.bytecode = Assembler(assembly).bytes();
    code.consts = std::move(consts);
    code.linetable.clear();
    code.exceptiontable.clear();
    EXPECT_EQ(text(code), expected);
  }

  /// A function of parameters a and b, and of the names f and any.
  static Code function(const std::string &assembly, std::vector<const Const *> consts = {}) {
    Code code;
    code.minor = tested;
    code.name = code.qualname = "function";
    code.argcount = 2;
    code.names = {"f", "any"};
    code.varnames = code.localsplus = {"a", "b"};
    code.bytecode = Assembler(assembly).bytes();
    code.consts = std::move(consts);
    return code;
  }

  fixture::Names names_;
};

TEST_F(Python314, LoopsItemsAndSmallInts) {
  expect_same("nested_loops", R"(
        RESUME 0
        LOAD_CONST 0
        STORE_FAST 2
        LOAD_GLOBAL 1
        LOAD_GLOBAL 3
        LOAD_FAST_BORROW 0
        CALL 1
        CALL 1
        GET_ITER
    L1: FOR_ITER L6
        STORE_FAST 3
        LOAD_FAST_BORROW_LOAD_FAST_BORROW 3
        BINARY_OP 26
        LOAD_FAST_BORROW 1
        COMPARE_OP 148
        POP_JUMP_IF_FALSE L2
        NOT_TAKEN
        JUMP_BACKWARD L1
    L2: LOAD_GLOBAL 1
        LOAD_FAST_BORROW 3
        CALL 1
        GET_ITER
    L3: FOR_ITER L5
        STORE_FAST 4
        LOAD_FAST_BORROW_LOAD_FAST_BORROW 32
        LOAD_FAST_BORROW 4
        BINARY_OP 26
        LOAD_GLOBAL 4
        LOAD_ATTR 6
        PUSH_NULL
        LOAD_FAST_BORROW_LOAD_FAST_BORROW 3
        BINARY_OP 26
        CALL 1
        BINARY_OP 5
        BINARY_OP 13
        STORE_FAST 2
        LOAD_FAST_BORROW 2
        LOAD_SMALL_INT 100
        COMPARE_OP 148
        POP_JUMP_IF_TRUE L4
        NOT_TAKEN
        JUMP_BACKWARD L3
    L4: POP_TOP
        JUMP_BACKWARD L1
    L5: END_FOR
        POP_ITER
        LOAD_FAST_BORROW 2
        LOAD_SMALL_INT 1
        BINARY_OP 13
        STORE_FAST 2
        JUMP_BACKWARD L1
    L6: END_FOR
        POP_ITER
        LOAD_FAST_BORROW 2
        RETURN_VALUE)",
              {constants::floating(0)});
}

TEST_F(Python314, LeavingALoopPopsItsIterator) {
  expect_same("break_loop", R"(
        RESUME 0
        LOAD_FAST 0
        GET_ITER
    L1: FOR_ITER L3
        STORE_FAST_LOAD_FAST 34
        LOAD_FAST_BORROW 1
        COMPARE_OP 88
        POP_JUMP_IF_TRUE L2
        NOT_TAKEN
        JUMP_BACKWARD L1
    L2: LOAD_FAST_BORROW 2
        LOAD_SMALL_INT 1
        BINARY_OP 0
        STORE_FAST 1
        POP_ITER
        LOAD_FAST_BORROW 1
        RETURN_VALUE
    L3: END_FOR
        POP_ITER
        LOAD_FAST_BORROW 1
        RETURN_VALUE)");
}

TEST_F(Python314, AssertLoadsACommonConstant) {
  expect_same("checks", R"(
        RESUME 0
        LOAD_FAST_BORROW 1
        LOAD_SMALL_INT 0
        COMPARE_OP 148
        POP_JUMP_IF_TRUE L1
        NOT_TAKEN
        LOAD_COMMON_CONSTANT 0
        LOAD_CONST 0
        CALL 0
        RAISE_VARARGS 1
    L1: LOAD_FAST_BORROW 0
        POP_JUMP_IF_NONE L2
        NOT_TAKEN
        LOAD_GLOBAL 1
        LOAD_CONST 1
        LOAD_FAST_BORROW 1
        CALL 2
        RAISE_VARARGS 1
    L2: LOAD_GLOBAL 3
        LOAD_FAST_BORROW 1
        CALL 1
        LOAD_FAST_BORROW 0
        RAISE_VARARGS 2)",
              {constants::string("n must be positive"), constants::string("bad")});
}

TEST_F(Python314, CallsOfAnyAndTheLikeAreCalls) {
  // any(b) with the compiler's own loop, which is entered where `any` is the builtin.
  const std::string guarded = text(function(R"(
        RESUME 0
        LOAD_GLOBAL 2
        COPY 1
        LOAD_COMMON_CONSTANT 4
        IS_OP 0
        POP_JUMP_IF_FALSE L3
        NOT_TAKEN
        POP_TOP
        LOAD_FAST_BORROW 1
        GET_ITER
    L1: FOR_ITER L2
        TO_BOOL
        POP_JUMP_IF_FALSE L1
        NOT_TAKEN
        POP_ITER
        LOAD_CONST 0
        JUMP_FORWARD L4
    L2: END_FOR
        POP_ITER
        LOAD_CONST 1
        JUMP_FORWARD L4
    L3: PUSH_NULL
        LOAD_FAST_BORROW 1
        CALL 1
    L4: RETURN_VALUE)",
                                            {constants::boolean(true), constants::boolean(false)}));
  const std::string plain = text(function(R"(
        RESUME 0
        LOAD_GLOBAL 3
        LOAD_FAST_BORROW 1
        CALL 1
        RETURN_VALUE)"));
  EXPECT_EQ(guarded, plain);
  EXPECT_NE(plain.find("call"), std::string::npos) << plain;
}

TEST_F(Python314, CallsWithStarsAlwaysHaveASlotForKeywords) {
  const std::string without = text(function(R"(
        LOAD_GLOBAL 1
        LOAD_FAST_BORROW 0
        PUSH_NULL
        CALL_FUNCTION_EX
        RETURN_VALUE)"));
  const std::string with = text(function(R"(
        LOAD_GLOBAL 1
        LOAD_FAST_BORROW 0
        BUILD_MAP 0
        LOAD_FAST_BORROW 1
        DICT_MERGE 1
        CALL_FUNCTION_EX
        RETURN_VALUE)"));
  EXPECT_EQ(without.find("null"), std::string::npos) << without;
  EXPECT_NE(without.find("call_star %2, %0"), std::string::npos) << without;
  EXPECT_NE(with, without);
}

TEST_F(Python314, AnnotationsOfInnerFunctionsLeaveNoTrace) {
  // def f2(x: b): return x -- `b` is captured by the function that gives the annotations.
  auto inner = [&](const char *name) {
    Object *object = new Object; // rows of constants live as long as the process
    object->kind = ObjectKind::Code;
    object->function = new FunctionDef;
    object->function->code = function("RESUME 0\nLOAD_FAST_BORROW 0\nRETURN_VALUE");
    object->function->code.name = object->name = name;
    object->function->runtime_closure = true;
    return constants::object(object);
  };
  const Const *annotate = inner("__annotate__"), *f2 = inner("f2");
  annotate->object->function->code.freevars = {"b"};
  annotate->object->function->code.localsplus.push_back("b");
  const std::string annotated = text(function(R"(
        MAKE_CELL 1
        RESUME 0
        LOAD_FAST_BORROW 1
        BUILD_TUPLE 1
        LOAD_CONST 0
        MAKE_FUNCTION
        SET_FUNCTION_ATTRIBUTE 8
        LOAD_CONST 1
        MAKE_FUNCTION
        SET_FUNCTION_ATTRIBUTE 16
        PUSH_NULL
        LOAD_FAST_BORROW 0
        CALL 1
        RETURN_VALUE)",
                                              {annotate, f2}));
  EXPECT_EQ(annotated.find("__annotate__"), std::string::npos) << annotated;
  EXPECT_NE(annotated.find("f2"), std::string::npos) << annotated;
}

TEST_F(Python314, RefusesWithAndTemplates) {
  const std::pair<const char *, const char *> rows[] = {
      {"LOAD_SPECIAL 1", "the with statement"}, {"BUILD_INTERPOLATION 2", "template strings"},
      {"BUILD_TEMPLATE", "template strings"},   {"BINARY_OP 27", "damaged"},
      {"LOAD_COMMON_CONSTANT 5", "damaged"},
  };
  for (const auto &[line, reason] : rows) {
    const std::string ssa = text(function(std::string("LOAD_FAST 0\nLOAD_FAST 1\n") + line));
    EXPECT_NE(ssa.find(reason), std::string::npos) << line << "\n" << ssa;
  }
}

TEST_F(Python314, HasNoInstructionsOfOlderVersions) {
  for (const char *name : {"RETURN_CONST", "BINARY_SUBSCR", "BEFORE_WITH", "BEFORE_ASYNC_WITH",
                           "LOAD_ASSERTION_ERROR", "BUILD_CONST_KEY_MAP"})
    EXPECT_THROW(Assembler(name).bytes(), std::runtime_error) << name;
}

} // namespace
