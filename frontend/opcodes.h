// Rows of opcodes.def, looked up by the version and its number of the instruction.
#pragma once

#include "frontend/instruction.h"

#include <array>
#include <span>

namespace numjit {

/// How an instruction encodes its argument.
enum class OpcodeForm : uint8_t {
  Plain,                ///< a number
  Zero,                 ///< argument without meaning to us, or none
  Prefix,               ///< upper bits of the next instruction's argument
  KeywordNames,         ///< constant: names of the next call's last arguments
  Constant,             ///< index of a constant
  SmallInt,             ///< the int itself
  CommonConstant,       ///< row of common_constants
  Variable,             ///< slot of a variable
  CellVariable,         ///< the same, read or written through its cell
  VariablePair,         ///< two slots of four bits each
  Name,                 ///< index of a name
  SuperName,            ///< index of a name << 2, the lowest bit asks for a NULL slot (for calls)
  NameNullBit,          ///< index of a name << 1, the low bit asks for a NULL slot (for calls)
  BinaryOperator,       ///< row of binary_operators
  BinaryOperatorOrItem, ///< the same, and behind the last row x[key]
  Comparison,           ///< row of comparisons
  ComparisonShift4,     ///< row of comparisons << 4
  ComparisonShift5,     ///< row of comparisons << 5, bit 16 asks for a bool
  Invertible,           ///< 1 negates the row's operator (`is not`, `not in`)
  Intrinsic1,           ///< row of intrinsics
  FormatFlags,          ///< bits 0-1 conversion, bit 2 a format spec is on the stack
  WithSpec,             ///< a format spec is on the stack
  KeywordsOrNull,       ///< none; keyword arguments or NULL are always on the stack
  Starred,              ///< items before the starred one, items after it << 8
  Forward,              ///< jump by code units, from the next instruction
  Backward,             ///< the same, back
  ForwardKeep,          ///< jump that keeps the tested value on the stack
  LoopExit,             ///< Forward; the jump pops the iterator
  LoopExitSkip1,        ///< the target is an instruction that pops the iterator: continue behind it
  LoopExitSkip2,        ///< the target is two such instructions
  Send,                 ///< LoopExit of `yield from`, which has a value; what is sent is dropped
  Resume                ///< 2: behind the yield of a `yield from`, which drops what was sent
};

/// One CPython instruction as one version has it.
struct OpcodeRow {
  const char *name = nullptr; ///< nullptr: this version has no such number
  Opcode first = Opcode::Unsupported;
  Opcode second = Opcode::Nop;
  OpcodeForm form = OpcodeForm::Plain;
  Operator oper = Operator::Add;
  const std::string *refusal = nullptr; ///< text, for Opcode::Unsupported
  uint8_t caches = 0;                   ///< code units that follow
};

using OpcodeTable = std::array<OpcodeRow, 256>;

/// Table of Python 3.`minor`; nullptr for a version that we don't know.
const OpcodeTable *opcode_table(int minor);

/// Versions there are tables for, e.g. 11, 12, 13.
std::vector<int> known_versions();

/// Whether bytecode of Python 3.`minor` has a with statement.
bool has_with_statement(int minor, std::span<const uint8_t> bytecode);

struct BinaryOperatorRow {
  Operator oper;
  bool inplace;
};
/// BINARY_OP's argument; the same in every version so far.
std::span<const BinaryOperatorRow> binary_operators();
/// LOAD_COMMON_CONSTANT's argument: names of builtins. LOAD_ASSERTION_ERROR is the first.
std::span<const std::string> common_constants();
/// COMPARE_OP's argument, after shifting.
std::span<const Operator> comparisons();

struct IntrinsicRow {
  const char *name;
  Opcode op;
  Operator oper;
  const std::string *refusal;
};
/// CALL_INTRINSIC_1's argument.
std::span<const IntrinsicRow> intrinsics();

} // namespace numjit
