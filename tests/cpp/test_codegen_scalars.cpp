// Every scalar operation on every type it has a lowering for, against plain C++.
#include "tests/cpp/codegen_test.h"
#include "tests/cpp/scalar_references.h"

#include <set>

using namespace numjit;

namespace {

/// An operation of the table with the signature that computes in the type under test.
struct Case {
  const scalar::Row *row;
  scalar::Signature signature;
  size_t slot; ///< of its result
};

/// One function that does every operation on (x, y, z) of one type.
class AllOperations {
public:
  explicit AllOperations(const Type *type) : type_(type) {
    function_ = module_->functions.emplace_back(std::make_unique<tir::Function>()).get();
    function_->name = "all";
    function_->params = {type, type, type};
    block_ = function_->new_block();
    std::vector<tir::Value *> parameters, results;
    for (int i = 0; i < 3; ++i) {
      parameters.push_back(add(tir::Op::Param, type, {}));
      parameters.back()->index = i;
    }
    std::vector<const Type *> result_types;
    size_t slots = 0;
    for (const scalar::Row &row : scalar::rows()) {
      auto signature = signature_in(row);
      if (!signature)
        continue;
      std::vector<tir::Value *> operands;
      for (int i = 0; i < row.arity; ++i) {
        const Type *wanted = signature->operand(i);
        operands.push_back(wanted == type ? parameters[i]
                                          : add(tir::Op::Cast, wanted, {parameters[i]}));
      }
      tir::Value *result = add(tir::Op::Scalar, signature->result, operands);
      result->scalar_op = row.id;
      results.push_back(result);
      result_types.push_back(signature->result);
      cases.push_back({&row, *signature, slots});
      slots += layout_of(signature->result).leaves.size();
    }
    function_->result = types::tuple(result_types);
    tir::Value *all = add(tir::Op::Struct, function_->result, results);
    add(tir::Op::Return, types::none(), {all});
    code_ = codegen::compile(module_);
    result.resize(slots);
  }

  void run(const Slots &arguments) {
    ASSERT_EQ(code_->entry()(arguments.slots.data(), result.data()), 0);
  }

  std::vector<Case> cases;
  std::vector<uint64_t> result;

private:
  tir::Value *add(tir::Op op, const Type *type, std::vector<tir::Value *> operands) {
    tir::Value *value = function_->new_value(op, type, {});
    value->operands = std::move(operands);
    value->block = block_;
    block_->values.push_back(value);
    return value;
  }

  std::optional<scalar::Signature> signature_in(const scalar::Row &row) const {
    std::vector<const Type *> operands(row.arity, type_);
    if (row.rule == scalar::Rule::FloatByInteger)
      operands[1] = types::int64();
    for (scalar::Form form : {scalar::Form::NumPy, scalar::Form::Python})
      if (auto signature = scalar::resolve(row, operands, form);
          signature && signature->compute == type_)
        return signature;
    return std::nullopt;
  }

  const Type *type_;
  std::shared_ptr<tir::Module> module_ = std::make_shared<tir::Module>();
  tir::Function *function_ = nullptr;
  tir::Block *block_ = nullptr;
  std::shared_ptr<codegen::MachineCode> code_;
};

/// A result in its slots, for messages.
template <class R>
R result_at(const std::vector<uint64_t> &slots, size_t at) {
  if constexpr (is_complex_number<R>) {
    using Part = typename R::value_type;
    return {result_at<Part>(slots, at), result_at<Part>(slots, at + 1)};
  } else if constexpr (std::is_same_v<R, bool>) {
    return slots[at] != 0;
  } else {
    R value;
    std::memcpy(&value, &slots[at], sizeof value);
    return value;
  }
}

template <class T>
void add_operand(Slots &slots, T value) {
  if constexpr (is_complex_number<T>) {
    slots.add(value.real());
    slots.add(value.imag());
  } else {
    slots.add(value);
  }
}

template <class T>
void check_all(ScalarId id) {
  const Type *type = types::scalar(id);
  AllOperations operations(type);
  const References<T> references;
  const std::vector<T> values = edge_values<T>();
  std::set<std::string> failed; // one message per operation is enough
  auto check = [&](T x, T y, T z) {
    Slots arguments;
    add_operand(arguments, x);
    add_operand(arguments, y);
    add_operand(arguments, z);
    operations.run(arguments);
    for (const Case &c : operations.cases) {
      const std::string name(c.row->name);
      if (failed.contains(name))
        continue;
      const auto *reference = references.find(name);
      if (!reference) {
        ADD_FAILURE() << name << " has no reference for " << type->text;
        failed.insert(name);
        continue;
      }
      auto compare = [&]<class R>(R) {
        const R expected = std::any_cast<R>((*reference)(x, y, z)),
                got = result_at<R>(operations.result, c.slot);
        if (!agree(name, expected, got)) {
          ADD_FAILURE() << name << " of " << type->text << " (" << show(x) << ", " << show(y)
                        << ", " << show(z) << "): " << show(got) << " instead of "
                        << show(expected);
          failed.insert(name);
        }
      };
      with_type(c.signature.result->scalar, compare);
    }
  };
  for (T x : values)
    for (T y : values)
      check(x, y, values[1]);
}

TEST(CodegenScalars, Bool) { check_all<bool>(ScalarId::Bool); }
TEST(CodegenScalars, Int8) { check_all<int8_t>(ScalarId::Int8); }
TEST(CodegenScalars, Int16) { check_all<int16_t>(ScalarId::Int16); }
TEST(CodegenScalars, Int32) { check_all<int32_t>(ScalarId::Int32); }
TEST(CodegenScalars, Int64) { check_all<int64_t>(ScalarId::Int64); }
TEST(CodegenScalars, UInt8) { check_all<uint8_t>(ScalarId::UInt8); }
TEST(CodegenScalars, UInt16) { check_all<uint16_t>(ScalarId::UInt16); }
TEST(CodegenScalars, UInt32) { check_all<uint32_t>(ScalarId::UInt32); }
TEST(CodegenScalars, UInt64) { check_all<uint64_t>(ScalarId::UInt64); }
TEST(CodegenScalars, Float32) { check_all<float>(ScalarId::Float32); }
TEST(CodegenScalars, Float64) { check_all<double>(ScalarId::Float64); }
TEST(CodegenScalars, Complex64) { check_all<std::complex<float>>(ScalarId::Complex64); }
TEST(CodegenScalars, Complex128) { check_all<std::complex<double>>(ScalarId::Complex128); }

TEST(CodegenScalars, ConstantExponentsMultiply) {
  Compiled f(R"(
function @f(x: float64, n: int64) -> Tuple(float64, float64, float64, int64) {
b0:
  %0: float64 = param.0
  %1: int64 = param.1
  %2: float64 = const 2
  %3: float64 = scalar.pow %0, %2
  %4: float64 = const -3
  %5: float64 = scalar.pow %0, %4
  %6: float64 = const 0.5
  %7: float64 = scalar.pow %0, %6
  %8: int64 = const 5
  %9: int64 = scalar.pow %1, %8
  %10: Tuple(float64, float64, float64, int64) = struct %3, %5, %7, %9
  return %10
}
)");
  f.run(Slots(1.5, int64_t(-3)));
  EXPECT_EQ(f.get<double>(0), 2.25);
  EXPECT_EQ(f.get<double>(1), 1 / 3.375);
  EXPECT_EQ(f.get<double>(2), std::sqrt(1.5));
  EXPECT_EQ(f.get<int64_t>(3), -243);
}

TEST(CodegenScalars, FloatRemaindersAreExact) {
  Compiled f(R"(
function @f(x: float64, y: float64, u: float32, v: float32) -> Tuple(float64, float32) {
b0:
  %0: float64 = param.0
  %1: float64 = param.1
  %2: float32 = param.2
  %3: float32 = param.3
  %4: float64 = scalar.fmod %0, %1
  %5: float32 = scalar.fmod %2, %3
  %6: Tuple(float64, float32) = struct %4, %5
  return %6
}
)");
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> fraction(-1, 1);
  std::uniform_int_distribution<int> exponent(-30, 30), wide(-1070, 1020);
  for (int i = 0; i < 200000; ++i) {
    // Near multiples of y are where a rounded quotient is off by one.
    double y = std::ldexp(fraction(random), i % 10 ? exponent(random) : wide(random));
    double x = std::ldexp(fraction(random), i % 10 ? exponent(random) : wide(random));
    if (i % 3 == 0)
      x = std::nextafter(std::round(x) * y, i % 2 ? 1e300 : -1e300);
    const float u = static_cast<float>(x), v = static_cast<float>(y);
    f.run(Slots(x, y, u, v));
    const double expected = std::fmod(x, y);
    const float narrow = std::fmod(u, v);
    ASSERT_TRUE(f.get<double>(0) == expected || std::isnan(expected)) << show(x) << " " << show(y);
    ASSERT_TRUE(f.get<float>(1) == narrow || std::isnan(narrow)) << show(u) << " " << show(v);
  }
}

TEST(CodegenScalars, MixedComparisonsAreExact) {
  for (const char *op : {"lt", "le", "gt", "ge", "eq", "ne"}) {
    tir::ParseError error;
    const std::string text = std::string(R"(
function @f(x: int64, y: uint64) -> Tuple(bool, bool) {
b0:
  %0: int64 = param.0
  %1: uint64 = param.1
  %2: bool = scalar.)") + op +
                             R"( %0, %1
  %3: bool = scalar.)" + op + R"( %1, %0
  %4: Tuple(bool, bool) = struct %2, %3
  return %4
}
)";
    auto module = tir::parse(text, error);
    ASSERT_TRUE(module) << error.message;
    auto code = codegen::compile(std::move(module));
    for (int64_t x : {INT64_MIN, int64_t(-1), int64_t(0), int64_t(1), INT64_MAX})
      for (uint64_t y : {uint64_t(0), uint64_t(1), uint64_t(INT64_MAX), UINT64_MAX}) {
        const __int128 a = x, b = y;
        auto expected = [&](__int128 u, __int128 v) {
          const std::string name = op;
          return name == "lt"   ? u < v
                 : name == "le" ? u <= v
                 : name == "gt" ? u > v
                 : name == "ge" ? u >= v
                 : name == "eq" ? u == v
                                : u != v;
        };
        uint64_t result[2];
        const uint64_t arguments[] = {static_cast<uint64_t>(x), y};
        code->entry()(arguments, result);
        EXPECT_EQ(result[0], expected(a, b)) << x << " " << op << " " << y;
        EXPECT_EQ(result[1], expected(b, a)) << y << " " << op << " " << x;
      }
  }
}

TEST(CodegenScalars, TestsForNanSurviveFastMath) {
  Compiled f(R"(
function @f(x: float64) -> Tuple(bool, bool, bool) fastmath=127 {
b0:
  %0: float64 = param.0
  %1: bool = scalar.isnan %0
  %2: bool = scalar.isinf %0
  %3: bool = scalar.isfinite %0
  %4: Tuple(bool, bool, bool) = struct %1, %2, %3
  return %4
}
)");
  f.run(Slots(std::nan("")));
  EXPECT_EQ(f.get<int64_t>(0), 1);
  EXPECT_EQ(f.get<int64_t>(2), 0);
  f.run(Slots(-std::numeric_limits<double>::infinity()));
  EXPECT_EQ(f.get<int64_t>(1), 1);
  EXPECT_EQ(f.get<int64_t>(2), 0);
}

} // namespace
