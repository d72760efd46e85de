// Typed IR as text. The form, which typed_ir_parse.cpp reads back:
//
//   function @f(a: array(float64, 1d, C), n: int64) -> float64 may_raise fastmath=127 {
//   b0:
//     %0: int64 = param.1 name="n"
//     %1: float64 = const 0.5
//     jump b1
//   b1: from b0, b2
//     %2: int64 = phi [b0: %0, b2: %4] nonneg
//     %3: float64 = scalar.mul %1, %1 !12:4
//     raise ValueError("too big") cleanup(%7)
//   }
//
// What follows the dot is the `index`, the scalar operation or the runtime function; what follows
// the operands are the other columns of the value where they aren't the default; !line:column is
// the place in the source.
#include "typeinfer/ir/typed_ir.h"

#include <charconv>

namespace numjit::tir {

std::string_view alias_name(Alias alias) {
  static constexpr std::string_view names[] = {"Any",   "ArrayData", "ListHeader", "ListData",
                                               "Stack", "Frame",     "Fields",     "Unaligned"};
  return names[static_cast<size_t>(alias)];
}

std::string_view runtime_op_name(RuntimeOp op) {
  static constexpr std::string_view names[] = {
#define NUMJIT_RUNTIME_OP(id, ...) #id,
#include "runtime/runtime_ops.def"
#undef NUMJIT_RUNTIME_OP
  };
  return names[static_cast<size_t>(op)];
}

namespace {

void quote(std::string &out, std::string_view text) {
  out += '"';
  for (char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '"' || c == '\\')
      out += '\\';
    out += c;
  }
  out += '"';
}

/// Shortest text that reads back as the same number.
std::string number(double value) {
  char buffer[32];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, end};
}

std::string reference(const Value *value) { return value ? "%" + std::to_string(value->id) : "%?"; }

std::string reference(const Block *block) { return block ? "b" + std::to_string(block->id) : "b?"; }

class Printer {
public:
  std::string out;

  void function(const Function &function) {
    out += "function @" + function.name + "(";
    for (size_t i = 0; i < function.params.size(); ++i) {
      out += i ? ", " : "";
      if (i < function.param_names.size() && !function.param_names[i].empty())
        out += function.param_names[i] + ": ";
      out += function.params[i]->precise;
    }
    out += ") -> " + (function.result ? function.result->precise : "none");
    for (const auto &[set, word] : {std::pair{function.may_raise, " may_raise"},
                                    {function.recursive, " recursive"},
                                    {function.inline_always, " inline_always"},
                                    {function.inline_never, " inline_never"},
                                    {function.rare, " rare"},
                                    {function.short_loops, " short_loops"}})
      out += set ? word : "";
    if (function.fastmath)
      out += " fastmath=" + std::to_string(function.fastmath);
    out += " {\n";
    for (const Block *block : function.blocks)
      this->block(*block);
    out += "}\n";
  }

  void value(const Value &value, const Block &block) {
    if (value.type && value.type->kind != Kind::None)
      out += reference(&value) + ": " + value.type->precise + " = ";
    else if (!is_terminator(value.op) && value.op != Op::Store)
      out += reference(&value) + " = ";
    operation(value);
    operands(value, block);
    const bool raises = value.op == Op::Raise || value.op == Op::Reraise;
    for (size_t i = 0; is_terminator(value.op) && i < block.succs.size(); ++i)
      out += (raises                         ? " -> "
              : i || !value.operands.empty() ? ", "
                                             : " ") +
             reference(block.succs[i]);
    if (value.alias != Alias::Any)
      (out += " alias=") += alias_name(value.alias);
    if (value.nonneg)
      out += " nonneg";
    if (!value.name.empty())
      quote(out += " name=", value.name);
    list(value.cleanup, " cleanup(", ")");
    if (value.position.known())
      out +=
          " !" + std::to_string(value.position.line) + ":" + std::to_string(value.position.column);
  }

private:
  void block(const Block &block) {
    out += reference(&block) + ":";
    for (size_t i = 0; i < block.preds.size(); ++i)
      out += (i ? ", " : " from ") + reference(block.preds[i]);
    out += "\n";
    for (const Value *value : block.values) {
      out += "  ";
      this->value(*value, block);
      out += "\n";
    }
  }

  /// The name of the operation with what qualifies it.
  void operation(const Value &value) {
    out += op_row(value.op).name;
    if (value.op == Op::Scalar)
      (out += ".") += scalar::row(value.scalar_op).name;
    else if (value.op == Op::CallRuntime)
      (out += ".") += runtime_op_name(value.runtime_op);
    else if (value.op == Op::Device)
      (out += ".") += device_op_row(value.device_op).name;
    else if (value.index || value.op == Op::Param || value.op == Op::Field)
      out += "." + std::to_string(value.index);
  }

  void list(const std::vector<Value *> &values, const char *open, const char *close) {
    for (size_t i = 0; i < values.size(); ++i)
      out += (i ? ", " : open) + reference(values[i]);
    out += values.empty() ? "" : close;
  }

  void operands(const Value &value, const Block &block) {
    switch (value.op) {
    case Op::Phi: {
      out += " [";
      bool labels = value.operands.size() == block.preds.size();
      for (size_t i = 0; i < value.operands.size(); ++i) {
        out += i ? ", " : "";
        if (labels)
          out += reference(block.preds[i]) + ": ";
        out += reference(value.operands[i]);
      }
      out += "]";
      return;
    }
    case Op::Const: constant(value); return;
    case Op::StackAlloc:
      out += " " + std::to_string(value.integer) + (value.index ? " outlives" : "");
      return;
    case Op::Device:
      list(value.operands, " ", "");
      if (value.integer)
        out += " bytes=" + std::to_string(value.integer) + " align=" + std::to_string(value.index);
      return;
    case Op::Call:
    case Op::FunctionAddress: out += " @" + (value.callee ? value.callee->name : "?"); break;
    case Op::Raise: {
      const RaiseSite *site = value.site;
      out += " " + (!site                    ? "?"
                    : !site->builtin.empty() ? site->builtin
                    : site->cls              ? to_string(*site->cls)
                                             : "?");
      if (site && site->has_message) {
        out += "(";
        quote(out, site->message);
        list(value.operands, " ", "");
        out += ")";
        return;
      }
      break;
    }
    default: list(value.operands, " ", ""); return;
    }
    if (value.op != Op::FunctionAddress) {
      out += "(";
      list(value.operands, "", "");
      out += ")";
    }
  }

  void constant(const Value &value) {
    out += " ";
    if (!value.type)
      out += "?";
    else if (value.type->is_complex())
      out += number(value.real) + ", " + number(value.imag);
    else if (value.type->is_float())
      out += number(value.real);
    else
      out += std::to_string(value.integer);
  }
};

} // namespace

std::string print(const Value &value) {
  static const Block nowhere;
  Printer printer;
  printer.value(value, value.block ? *value.block : nowhere);
  return std::move(printer.out);
}

std::string print(const Function &function) {
  Printer printer;
  printer.function(function);
  return std::move(printer.out);
}

std::string print(const Module &module) {
  Printer printer;
  if (module.may_run_long)
    printer.out += "may_run_long\n";
  for (const auto &function : module.functions) {
    if (function != module.functions.front())
      printer.out += "\n";
    printer.function(*function);
  }
  return std::move(printer.out);
}

} // namespace numjit::tir
