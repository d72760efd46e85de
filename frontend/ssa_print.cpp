// Text of SSA, one value a line:
//
//   function scale(a, c)
//   block0:
//     %0 = param 0 'a'
//     %2 = op + %0, %1  @3:11
//     branch %2 -> block1, block2
#include "frontend/ssa.h"

namespace numjit::ssa {

const OpRow &op_row(Op op) {
  static constexpr OpRow rows[] = {
#define X(id, name, operands, pure, doc) {Op::id, name, operands, pure, doc},
      NUMJIT_SSA_OPS(X)
#undef X
  };
  return rows[static_cast<size_t>(op)];
}

namespace {

std::string name_of(const Value &value) { return "%" + std::to_string(value.id); }
std::string name_of(const Block &block) { return "block" + std::to_string(block.id); }

bool has_index(Op op) {
  return op == Op::Param || op == Op::Unpack || op == Op::UnpackItem || op == Op::UnrolledItem ||
         op == Op::MakeFunction || op == Op::FormatValue;
}

std::string details(const Value &value) {
  std::string text;
  if (value.op == Op::Operator) {
    text += ' ';
    text += operator_row(value.oper).symbol;
    text += value.inplace ? "=" : "";
  }
  if (has_index(value.op))
    text += " " + std::to_string(value.index);
  if (value.star >= 0)
    text += " star " + std::to_string(value.star);
  if (!value.name.empty() && value.op != Op::Call && value.op != Op::BuildList)
    text += " '" + value.name + "'";
  if (value.constant)
    text += " " + to_string(*value.constant);
  return text;
}

std::string operands(const Value &value) {
  std::string text;
  for (size_t i = 0; i < value.operands.size(); ++i) {
    text += i ? ", " : " ";
    if (value.op == Op::Phi && i < value.block->preds.size())
      text += name_of(*value.block->preds[i]) + ": ";
    size_t keywords = value.keywords.size(), count = value.operands.size();
    if (i + keywords >= count) {
      const std::string &keyword = value.keywords[i + keywords - count];
      text += keyword + (keyword == "**" ? "" : "=");
    }
    text += name_of(*value.operands[i]);
  }
  return text;
}

bool is_handler(const Block &block, size_t succ) {
  return block.guarded && succ + 1 == block.succs.size();
}

void print(const Value &value, std::string &out) {
  out += "  ";
  if (!is_terminator(value.op))
    out += name_of(value) + " = ";
  out += op_row(value.op).name;
  out += details(value) + operands(value);
  if (is_terminator(value.op))
    for (size_t i = 0; i < value.block->succs.size(); ++i)
      out += (i ? ", " : " -> ") + std::string(is_handler(*value.block, i) ? "except " : "") +
             name_of(*value.block->succs[i]);
  if (value.position.known()) {
    out += "  @" + std::to_string(value.position.line);
    if (value.position.column >= 0)
      out += ":" + std::to_string(value.position.column);
  }
  out += '\n';
}

} // namespace

std::string print(const Function &function) {
  std::string out = "function " + (function.def ? function.def->name() : std::string("?")) + "(";
  for (size_t i = 0; i < function.parameter_names.size(); ++i)
    out += (i ? ", " : "") + function.parameter_names[i];
  out += ")\n";
  for (const Block &block : function.blocks) {
    out += name_of(block) + ":";
    if (!block.preds.empty()) {
      out += "  ; from";
      for (const Block *pred : block.preds)
        out += " " + name_of(*pred);
    }
    if (block.for_loop >= 0)
      out += block.preds.empty() ? "  ; for " : ", for ";
    if (block.for_loop >= 0)
      out += std::to_string(block.for_loop);
    out += '\n';
    for (const Value *value : block.values)
      print(*value, out);
  }
  for (const auto &loop : function.parallel_loops)
    out += "parallel loop of " + print(*loop);
  return out;
}

} // namespace numjit::ssa
