#include "frontend/splice.h"
#include "frontend/ssa_builder.h"

namespace numjit {

namespace {

std::string details(const Bytecode &bytecode, const Instruction &instruction) {
  std::string text;
  switch (instruction.op) {
  case Opcode::LoadVariable:
  case Opcode::LoadAndClear:
  case Opcode::StoreVariable:
  case Opcode::DeleteVariable:
    text = " " + bytecode.variables[instruction.arg];
    return instruction.flag ? text + " (cell)" : text;
  case Opcode::Unary:
  case Opcode::Binary:
  case Opcode::Compare:
    text = " ";
    text += operator_row(instruction.oper).symbol;
    return instruction.flag ? text + "=" : text;
  default: break;
  }
  if (instruction.arg || instruction.op == Opcode::Call)
    text += " " + std::to_string(instruction.arg);
  if (instruction.arg2)
    text += ", " + std::to_string(instruction.arg2);
  if (instruction.name)
    text += " '" + *instruction.name + "'";
  if (instruction.constant)
    text += " " + to_string(*instruction.constant);
  if (instruction.flag)
    text += instruction.op == Opcode::Format ? " with spec" : " + NULL";
  if (instruction.has_target())
    text += " -> " + std::to_string(bytecode.code[instruction.target].offset);
  return text;
}

} // namespace

std::string print_bytecode(const FunctionDef &function) {
  Bytecode bytecode = decode(function);
  std::vector<bool> is_target(bytecode.code.size(), false);
  for (const Instruction &instruction : bytecode.code)
    if (instruction.has_target())
      is_target[instruction.target] = true;
  std::string out =
      "function " + function.name() + ": Python 3." + std::to_string(function.code.minor) + "\n";
  int32_t line = -1;
  // The last instruction only catches what runs past the end.
  for (size_t i = 0; i + 1 < bytecode.code.size(); ++i) {
    const Instruction &instruction = bytecode.code[i];
    if (instruction.op == Opcode::Nop)
      continue;
    std::string number = instruction.position.line != line && instruction.position.known()
                             ? std::to_string(line = instruction.position.line)
                             : "";
    std::string offset = std::to_string(instruction.offset);
    out += std::string(number.size() < 5 ? 5 - number.size() : 0, ' ') + number;
    out += is_target[i] ? " >> " : "    ";
    out += std::string(offset.size() < 5 ? 5 - offset.size() : 0, ' ') + offset + "  ";
    out += opcode_name(instruction.op) + details(bytecode, instruction) + "\n";
  }
  return out;
}

} // namespace numjit
