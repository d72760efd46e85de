#include "codegen/emit/scalar_expression.h"

#include "typeinfer/errors.h"

#include <llvm/ADT/StringExtras.h>

#include <charconv>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace numjit::codegen {

using llvm::Value;

struct ScalarExpression::Node {
  enum Kind : uint8_t {
    Number,  ///< `number`; in single precision `single`
    Operand, ///< number `index` of the operation
    Named,   ///< value `index` of those named in front
    Let,     ///< names operand 0; the value is operand 1
    Row,     ///< `row` of operands
    Libm,    ///< function `name` of libm
    Choice,  ///< operand 0 ? operand 1 : operand 2
    Result   ///< cast to the result's type
  };
  Kind kind = Number;
  double number = 0, single = 0;
  size_t index = 0;
  const scalar::Row *row = nullptr;
  std::string name = {};
  std::vector<Node> operands = {};
};

namespace {

using Node = ScalarExpression::Node;

struct NamedNumber {
  std::string_view name;
  double value;
};
constexpr NamedNumber kNumbers[] = {{"pi", std::numbers::pi},
                                    {"e", std::numbers::e},
                                    {"ln2", std::numbers::ln2},
                                    {"log2e", std::numbers::log2e},
                                    {"log10e", std::numbers::log10e},
                                    {"inf", std::numeric_limits<double>::infinity()},
                                    {"nan", std::numeric_limits<double>::quiet_NaN()}};

struct BinaryOperator {
  std::string_view text, row;
  int strength;
};
// Longer ones first: `<=` before `<`.
constexpr BinaryOperator kOperators[] = {
    {"<=", "le", 3}, {">=", "ge", 3}, {"==", "eq", 3},     {"!=", "ne", 3}, {"|", "or", 0},
    {"^", "xor", 1}, {"&", "and", 2}, {"<", "lt", 3},      {">", "gt", 3},  {"+", "add", 4},
    {"-", "sub", 4}, {"*", "mul", 5}, {"/", "truediv", 5},
};
constexpr int kTightest = 5;

class Parser {
public:
  explicit Parser(std::string_view text) : text_(text), rest_(text) {}

  Node parse() {
    Node root = statement();
    skip();
    if (!rest_.empty())
      fail("'" + std::string(rest_) + "' is left");
    return root;
  }

private:
  std::string_view text_, rest_;
  std::vector<std::string_view> names_;

  [[noreturn]] void fail(const std::string &why) const {
    throw InternalError("formula '" + std::string(text_) + "' of scalar_ops.def: " + why);
  }

  void skip() {
    while (rest_.starts_with(' '))
      rest_.remove_prefix(1);
  }
  bool accept(std::string_view token) {
    skip();
    if (!rest_.starts_with(token))
      return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token))
      fail("expected '" + std::string(token) + "' before '" + std::string(rest_) + "'");
  }
  static bool is_word(char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; }
  std::string_view peek_word() {
    skip();
    size_t n = 0;
    while (n < rest_.size() && is_word(rest_[n]))
      ++n;
    return rest_.substr(0, n);
  }

  /// name = value; ... value
  Node statement() {
    const std::string_view before = rest_, name = peek_word();
    if (!name.empty() && !llvm::isDigit(name.front())) {
      rest_.remove_prefix(name.size());
      if (accept("=") && !rest_.starts_with('=')) {
        Node let{.kind = Node::Let};
        let.operands.push_back(choice());
        expect(";");
        names_.push_back(name);
        let.operands.push_back(statement());
        return let;
      }
      rest_ = before;
    }
    return choice();
  }

  Node choice() {
    Node condition = binary(0);
    if (!accept("?"))
      return condition;
    Node node{.kind = Node::Choice};
    node.operands.push_back(std::move(condition));
    node.operands.push_back(choice());
    expect(":");
    node.operands.push_back(choice());
    return node;
  }

  const BinaryOperator *accept_operator(int strength) {
    for (const BinaryOperator &oper : kOperators)
      if (oper.strength == strength && accept(oper.text))
        return &oper;
    return nullptr;
  }

  Node binary(int strength) {
    if (strength > kTightest)
      return unary();
    Node left = binary(strength + 1);
    while (const BinaryOperator *oper = accept_operator(strength))
      left = combined(oper->row, std::move(left), binary(strength + 1));
    return left;
  }

  Node unary() {
    if (accept("-")) {
      Node operand = unary();
      if (operand.kind != Node::Number)
        return call("neg", {std::move(operand)});
      operand.number = -operand.number;
      operand.single = -operand.single;
      return operand;
    }
    if (accept("!"))
      return call("not", {unary()});
    return primary();
  }

  Node primary() {
    if (accept("(")) {
      Node node = choice();
      expect(")");
      return node;
    }
    const std::string_view word = peek_word();
    if (word.empty())
      fail("expected a value before '" + std::string(rest_) + "'");
    if (llvm::isDigit(word.front()))
      return number();
    rest_.remove_prefix(word.size());
    if (accept("("))
      return call(word, arguments());
    return named(word);
  }

  Node number() {
    const bool hexadecimal = accept("0x");
    Node node;
    auto [end, error] =
        std::from_chars(rest_.data(), rest_.data() + rest_.size(), node.number,
                        hexadecimal ? std::chars_format::hex : std::chars_format::general);
    if (error != std::errc())
      fail("bad number at '" + std::string(rest_) + "'");
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    node.single = node.number;
    return node;
  }

  Node named(std::string_view word) {
    for (size_t i = names_.size(); i-- > 0;)
      if (names_[i] == word)
        return {.kind = Node::Named, .index = i};
    if (const size_t operand = std::string_view("xyz").find(word); operand != word.npos)
      return {.kind = Node::Operand, .index = operand};
    for (const NamedNumber &known : kNumbers)
      if (known.name == word)
        return {.number = known.value, .single = known.value};
    fail("no value is named '" + std::string(word) + "'");
  }

  std::vector<Node> arguments() {
    std::vector<Node> given;
    do
      given.push_back(choice());
    while (accept(","));
    expect(")");
    return given;
  }

  Node call(std::string_view name, std::vector<Node> given) {
    if (name == "at" && given.size() == 2 && given[0].kind == Node::Number &&
        given[1].kind == Node::Number)
      return {.number = given[1].number, .single = given[0].number};
    Node node{.kind = Node::Row, .name = std::string(name), .operands = std::move(given)};
    if (name == "result") {
      node.kind = Node::Result;
    } else if (name.starts_with("libm.")) {
      node.kind = Node::Libm;
      node.name = name.substr(5);
    } else {
      node.row = scalar::by_printed_name(name);
      if (!node.row || static_cast<size_t>(node.row->arity) != node.operands.size())
        fail("no row '" + std::string(name) + "' takes " + std::to_string(node.operands.size()));
    }
    return node;
  }

  /// Numbers are computed as doubles here.
  Node combined(std::string_view row, Node left, Node right) {
    if (left.kind == Node::Number && right.kind == Node::Number) {
      auto fold = [&](double a, double b) {
        return row == "add" ? a + b : row == "sub" ? a - b : row == "mul" ? a * b : a / b;
      };
      if (row != "add" && row != "sub" && row != "mul" && row != "truediv")
        fail("numbers are compared");
      return {.number = fold(left.number, right.number), .single = fold(left.single, right.single)};
    }
    std::vector<Node> both;
    both.push_back(std::move(left));
    both.push_back(std::move(right));
    return call(row, std::move(both));
  }
};

/// A value, or a number that takes its type from what it meets.
struct Term {
  const Type *type = nullptr; ///< null: `number`
  Leaves leaves;
  double number = 0;
};

class Evaluation {
public:
  explicit Evaluation(const ScalarCall &call) : call_(call) {}

  Term evaluate(const Node &node) {
    switch (node.kind) {
    case Node::Number: return {nullptr, {}, is_single() ? node.single : node.number};
    case Node::Operand: return operand(node.index);
    case Node::Named: return named_[node.index];
    case Node::Let: named_.push_back(evaluate(node.operands[0])); return evaluate(node.operands[1]);
    case Node::Choice: return choice(node);
    case Node::Result: {
      const Term value = typed(evaluate(node.operands[0]), call_.type);
      return {call_.result, emit_cast(call_.b, value.type, call_.result, value.leaves)};
    }
    default: return apply(node);
    }
  }

  /// A number is one of the type.
  Term typed(Term term, const Type *type) const {
    if (term.type)
      return term;
    llvm::Type *leaf = register_type(call_.module.context(), layout_of(type).leaves.front().leaf);
    Value *value = leaf->isFloatingPointTy() ? llvm::ConstantFP::get(leaf, term.number)
                                             : static_cast<Value *>(llvm::ConstantInt::getSigned(
                                                   leaf, static_cast<int64_t>(term.number)));
    Leaves leaves{value};
    if (type->is_complex())
      leaves.push_back(llvm::Constant::getNullValue(leaf));
    return {type, leaves};
  }

private:
  const ScalarCall &call_;
  std::vector<Term> named_;

  bool is_single() const { return call_.llvm_type()->isFloatTy(); }

  Term operand(size_t index) const {
    const Type *type = index == 0 ? call_.type : call_.second;
    const size_t leaves = call_.type->is_complex() ? 2 : 1; // of all of them
    Term term{type, {}};
    term.leaves.append(call_.x.begin() + index * leaves, call_.x.begin() + (index + 1) * leaves);
    return term;
  }

  Term choice(const Node &node) {
    const Term condition = evaluate(node.operands[0]);
    Term yes = evaluate(node.operands[1]), no = evaluate(node.operands[2]);
    const Type *type = yes.type ? yes.type : no.type ? no.type : call_.type;
    yes = typed(std::move(yes), type);
    no = typed(std::move(no), type);
    Term result{type, {}};
    for (size_t i = 0; i < yes.leaves.size(); ++i)
      result.leaves.push_back(
          call_.b.CreateSelect(condition.leaves[0], yes.leaves[i], no.leaves[i]));
    return result;
  }

  Term apply(const Node &node) {
    llvm::SmallVector<Term, 3> terms;
    const Type *type = nullptr;
    for (const Node &operand : node.operands) {
      terms.push_back(evaluate(operand));
      if (!type)
        type = terms.back().type;
    }
    if (!type) // numbers only
      type = call_.type;
    std::vector<const Type *> types;
    Leaves leaves;
    for (Term &term : terms) {
      term = typed(std::move(term), type);
      types.push_back(term.type);
      leaves.append(term.leaves);
    }
    if (node.kind == Node::Libm)
      return {type, {call_libm(call_, node.name, leaves)}};
    const auto signature = scalar::resolve(*node.row, types, scalar::Form::NumPy);
    if (!signature)
      throw InternalError("a formula of scalar_ops.def uses " + std::string(node.row->name) +
                          " for " + type->text);
    const ScalarCall inner{call_.b, call_.module, type, types.back(), signature->result, leaves};
    return {signature->result, emit_scalar(node.row->id, inner)};
  }
};

} // namespace

ScalarExpression::ScalarExpression(std::string_view text)
    : root_(std::make_unique<const Node>(Parser(text).parse())) {}
ScalarExpression::ScalarExpression(ScalarExpression &&) noexcept = default;
ScalarExpression::~ScalarExpression() = default;

Leaves ScalarExpression::emit(const ScalarCall &call) const {
  Evaluation evaluation(call);
  return evaluation.typed(evaluation.evaluate(*root_), call.result).leaves;
}

} // namespace numjit::codegen
