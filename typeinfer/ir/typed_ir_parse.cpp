// Typed IR from text, see typed_ir_print.cpp for its form. For tests: they state IR as text, and
// what prints must parse.
#include "typeinfer/ir/typed_ir.h"
#include "typeinfer/types/lexer.h"

#include <algorithm>
#include <map>

namespace numjit::tir {

std::string_view alias_name(Alias alias);
std::string_view runtime_op_name(RuntimeOp op);

namespace {

constexpr uint32_t most_names = 1 << 20; ///< values or blocks of a function

class Parser : public Lexer {
public:
  explicit Parser(std::string_view text) : Lexer(text) {}

  std::unique_ptr<Module> module() {
    module_ = std::make_unique<Module>();
    module_->may_run_long = accept_word("may_run_long");
    declare_functions();
    for (size_t i = 0; i < module_->functions.size(); ++i)
      function(*module_->functions[i]);
    skip();
    if (at_ != text_.size())
      fail("expected 'function'");
    return std::move(module_);
  }

private:
  bool on_this_line(std::string_view token) {
    skip(false);
    if (!text_.substr(at_).starts_with(token))
      return false;
    at_ += token.size();
    return true;
  }

  std::string word(std::string_view more = {}) {
    const std::string_view found = word_or_nothing(more);
    if (found.empty())
      fail("expected a name");
    return std::string(found);
  }

  std::string quoted() {
    expect("\"");
    std::string value;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      const bool escaped = text_[at_] == '\\' && at_ + 1 < text_.size();
      at_ += escaped;
      value += escaped && text_[at_] == 'n' ? '\n' : text_[at_];
    }
    expect("\"");
    return value;
  }

  const Type *type() {
    skip();
    types::ParseResult result = types::parse_prefix(text_, at_);
    if (!result.type) {
      at_ = result.position;
      fail(result.error);
    }
    return result.type;
  }

  // --- functions ---

  /// Calls may name functions that come later.
  void declare_functions() {
    const std::string_view keyword = "function @";
    size_t start = at_;
    for (size_t found = text_.find(keyword); found != std::string_view::npos;
         found = text_.find(keyword, at_)) {
      at_ = found + keyword.size();
      Function &function = *module_->functions.emplace_back(std::make_unique<Function>());
      function.name = word(".<>");
      if (!functions_.emplace(function.name, &function).second)
        fail("a second function of that name");
    }
    at_ = start;
  }

  void function(Function &function) {
    expect("function @");
    word(".<>");
    parameters(function);
    expect("->");
    function.result = type();
    for (;;) {
      if (accept_word("may_raise"))
        function.may_raise = true;
      else if (accept_word("recursive"))
        function.recursive = true;
      else if (accept_word("inline_always"))
        function.inline_always = true;
      else if (accept_word("inline_never"))
        function.inline_never = true;
      else if (accept_word("rare"))
        function.rare = true;
      else if (accept_word("short_loops"))
        function.short_loops = true;
      else if (accept("fastmath="))
        function.fastmath = number<uint32_t>();
      else
        break;
    }
    expect("{");
    function_ = &function;
    reserve_names();
    while (!accept("}"))
      block();
    check_defined();
  }

  void parameters(Function &function) {
    expect("(");
    while (!accept(")")) {
      size_t start = at_;
      skip();
      std::string name;
      if (at_ < text_.size() && is_word(text_[at_])) {
        name = word();
        if (!accept(":")) {
          name.clear();
          at_ = start;
        }
      }
      function.param_names.push_back(name);
      function.params.push_back(type());
      if (!accept(",")) {
        expect(")");
        break;
      }
    }
  }

  /// Makes every value and block that the text names, so that they may be used before they are
  /// defined and keep their numbers. Values without a name get the numbers above.
  void reserve_names() {
    std::string_view body = text_.substr(at_, text_.find("\n}", at_) - at_);
    uint32_t values = 0, blocks = 0;
    for (size_t i = 0; i + 1 < body.size(); ++i) {
      const bool block_name = body[i] == 'b' && (i == 0 || !is_word(body[i - 1]));
      if (body[i] != '%' && !block_name)
        continue;
      uint32_t name = 0;
      auto [end, error] = std::from_chars(body.data() + i + 1, body.data() + body.size(), name);
      if (error != std::errc() || name >= most_names)
        continue;
      uint32_t &count = block_name ? blocks : values;
      count = std::max(count, name + 1);
    }
    for (uint32_t i = 0; i < values; ++i)
      function_->new_value(Op::Unreachable, nullptr, {});
    for (uint32_t i = 0; i < blocks; ++i)
      function_->arena_blocks.emplace_back().id = i;
  }

  Block *block_reference() {
    expect("b");
    uint32_t name = number<uint32_t>();
    if (name >= function_->arena_blocks.size())
      fail("the number of the block is too large");
    return &function_->arena_blocks[name];
  }

  Value *value_reference() {
    expect("%");
    uint32_t name = number<uint32_t>();
    if (name >= function_->values.size())
      fail("the number of the value is too large");
    return &function_->values[name];
  }

  void check_defined() const {
    for (const Block *block : function_->blocks) {
      for (const std::vector<Block *> *others : {&block->preds, &block->succs})
        for (const Block *other : *others)
          if (other->values.empty())
            fail("block b" + std::to_string(other->id) + " of @" + function_->name +
                 " is not defined");
      for (const Value *value : block->values)
        for (const std::vector<Value *> *others : {&value->operands, &value->cleanup})
          for (const Value *other : *others)
            if (!other->type)
              fail("value %" + std::to_string(other->id) + " of @" + function_->name +
                   " is not defined");
    }
  }

  void block() {
    Block *block = block_reference();
    if (!block->values.empty())
      fail("a second block of that name");
    function_->blocks.push_back(block);
    expect(":");
    if (accept_word("from"))
      do
        block->preds.push_back(block_reference());
      while (accept(","));
    do
      value(*block);
    while (!is_terminator(block->values.back()->op));
  }

  // --- values ---

  void value(Block &block) {
    Value *value = nullptr;
    const Type *type = types::none();
    skip();
    if (at_ < text_.size() && text_[at_] == '%') {
      value = value_reference();
      if (value->type)
        fail("a second definition of the value");
      if (accept(":"))
        type = this->type();
      expect("=");
    } else {
      value = function_->new_value(Op::Unreachable, nullptr, {});
    }
    value->type = type;
    value->block = &block;
    block.values.push_back(value);
    operation(*value);
    operands(*value, block);
    columns(*value);
  }

  void operation(Value &value) {
    std::string name = word();
    for (size_t i = 0; i < op_count(); ++i) {
      value.op = static_cast<Op>(i);
      if (name == op_row(value.op).name)
        return qualifier(value);
    }
    fail("unknown operation '" + name + "'");
  }

  void qualifier(Value &value) {
    if (!on_this_line("."))
      return;
    if (value.op == Op::Scalar) {
      std::string name = word();
      const scalar::Row *row = scalar::by_printed_name(name);
      if (!row)
        fail("unknown scalar operation '" + name + "'");
      value.scalar_op = row->id;
    } else if (value.op == Op::CallRuntime) {
      std::string name = word();
      for (size_t i = 0; i < runtime_op_count(); ++i)
        if (name == runtime_op_name(static_cast<RuntimeOp>(i))) {
          value.runtime_op = static_cast<RuntimeOp>(i);
          return;
        }
      fail("unknown runtime function '" + name + "'");
    } else if (value.op == Op::Device) {
      std::string name = word();
      const DeviceOpRow *row = device_op_named(name);
      if (!row)
        fail("unknown device operation '" + name + "'");
      value.device_op = row->id;
    } else {
      value.index = number<int32_t>();
    }
  }

  void value_list(Value &value, std::string_view close) {
    if (accept(close))
      return;
    do
      value.operands.push_back(value_reference());
    while (accept(","));
    expect(close);
  }

  void operands(Value &value, Block &block) {
    switch (value.op) {
    case Op::Phi:
      expect("[");
      while (!accept("]")) {
        size_t start = at_;
        if (accept("b")) {
          at_ = start;
          Block *from = block_reference();
          expect(":");
          size_t i = value.operands.size();
          if (i >= block.preds.size() || block.preds[i] != from)
            fail("operands of a phi come in the order of the predecessors");
        }
        value.operands.push_back(value_reference());
        accept(",");
      }
      return;
    case Op::Const:
      if (value.type->is_complex()) {
        value.real = number<double>();
        expect(",");
        value.imag = number<double>();
      } else if (value.type->is_float()) {
        value.real = number<double>();
      } else {
        value.integer = number<int64_t>();
      }
      return;
    case Op::StackAlloc:
      value.integer = number<int64_t>();
      value.index = on_this_line("outlives") && accept_word("outlives");
      return;
    case Op::Call:
    case Op::FunctionAddress: {
      expect("@");
      std::string name = word(".<>");
      auto found = functions_.find(name);
      if (found == functions_.end())
        fail("unknown function @" + name);
      value.callee = found->second;
      if (value.op == Op::Call) {
        expect("(");
        value_list(value, ")");
      }
      return;
    }
    case Op::Raise: raise(value); [[fallthrough]];
    case Op::Reraise:
      if (on_this_line("->"))
        successor(block);
      return;
    case Op::Jump: successor(block); return;
    case Op::Try:
      successor(block);
      expect(",");
      successor(block);
      return;
    case Op::Branch:
      value.operands.push_back(value_reference());
      expect(",");
      successor(block);
      expect(",");
      successor(block);
      return;
    default:
      if (on_this_line("%")) {
        --at_;
        do
          value.operands.push_back(value_reference());
        while (accept(","));
      }
    }
  }

  void successor(Block &block) { block.succs.push_back(block_reference()); }

  void raise(Value &value) {
    RaiseSite &site = module_->sites.emplace_back();
    value.site = &site;
    site.builtin = word(".");
    expect("(");
    skip();
    if (at_ < text_.size() && text_[at_] == '"') {
      site.has_message = true;
      site.message = quoted();
    }
    value_list(value, ")");
  }

  void columns(Value &value) {
    for (;;) {
      if (on_this_line("alias=")) {
        std::string name = word();
        bool known = false;
        for (int i = 0; i <= static_cast<int>(Alias::Unaligned); ++i)
          if (name == alias_name(static_cast<Alias>(i))) {
            value.alias = static_cast<Alias>(i);
            known = true;
          }
        if (!known)
          fail("unknown alias class '" + name + "'");
      } else if (on_this_line("nonneg")) {
        value.nonneg = true;
      } else if (on_this_line("name=")) {
        value.name = quoted();
      } else if (on_this_line("bytes=")) {
        value.integer = number<int64_t>();
      } else if (on_this_line("align=")) {
        value.index = number<int32_t>();
      } else if (on_this_line("cleanup(")) {
        do
          value.cleanup.push_back(value_reference());
        while (accept(","));
        expect(")");
      } else if (on_this_line("!")) {
        value.position.line = value.position.end_line = number<int32_t>();
        expect(":");
        value.position.column = number<int32_t>();
      } else {
        break;
      }
    }
    skip(false);
    if (at_ < text_.size() && text_[at_] != '\n')
      fail("unexpected text after the operation");
  }

  std::unique_ptr<Module> module_;
  std::map<std::string, Function *> functions_;
  Function *function_ = nullptr;

  friend std::unique_ptr<Module> tir::parse(std::string_view text, ParseError &error);
};

} // namespace

std::unique_ptr<Module> parse(std::string_view text, ParseError &error) {
  Parser parser(text);
  try {
    return parser.module();
  } catch (const Lexer::Error &bad) {
    error = {bad.message, parser.line()};
    return nullptr;
  }
}

} // namespace numjit::tir
