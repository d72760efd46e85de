// Builds one table per version from opcodes.def and the tables in opcodes/.
#include "frontend/opcodes.h"

#include <algorithm>
#include <iterator>

namespace numjit {

namespace {

// Why instructions are refused: the second column of opcodes.def.
const std::string async_function = "async functions cannot be compiled";
const std::string with_statement = "the with statement is not supported in compiled code";
const std::string except_star = "except* is not supported in compiled code";
const std::string import_star = "import * cannot be compiled";
const std::string global_store = "compiled code cannot assign global variables";
const std::string global_delete = "compiled code cannot delete global variables";
const std::string attribute_delete = "compiled code cannot delete attributes";
const std::string class_definition =
    "class definitions cannot be compiled; define the class outside of the function";
const std::string template_string = "template strings cannot be compiled";
const std::string unknown_construct = "this construct cannot be compiled";
const std::string interpreter_own = "instruction of the interpreter itself";

using enum OpcodeForm;
constexpr Operator None = Operator::Add; // of rows that have no operator
constexpr Operator Neg = Operator::Neg, Pos = Operator::Pos, Invert = Operator::Invert,
                   Not = Operator::Not, Truth = Operator::Truth, Is = Operator::Is,
                   In = Operator::In;

/// CPython's instructions, by their names in any version.
enum class CpythonOpcode : uint8_t {
#define OPCODE(name, ...) name,
#define REFUSED(name, reason) name,
#define SINCE(minor, name, form)
#include "frontend/opcodes.def"
  Count
};

/// What an instruction does: a row of opcodes.def without numbers, in the order of CpythonOpcode.
constexpr OpcodeRow defined_rows[] = {
#define OPCODE(name, first, second, form, oper)                                                    \
  {#name, Opcode::first, Opcode::second, form, oper, nullptr, 0},
#define REFUSED(name, reason) {#name, Opcode::Unsupported, Opcode::Nop, Zero, None, &reason, 0},
#define SINCE(minor, name, form)
#include "frontend/opcodes.def"
};

struct FormChange {
  int minor;
  CpythonOpcode opcode;
  OpcodeForm form;
};

/// In the order of versions, for each instruction.
constexpr FormChange form_changes[] = {
#define OPCODE(name, ...)
#define REFUSED(name, reason)
#define SINCE(minor, name, form) {minor, CpythonOpcode::name, form},
#include "frontend/opcodes.def"
};

struct NumberedOpcode {
  CpythonOpcode opcode;
  uint8_t number, caches;
};

struct VersionTable {
  int minor;
  std::span<const NumberedOpcode> instructions;
};

#define INSTRUCTION(name, number, caches) {CpythonOpcode::name, number, caches},
#include "opcode_tables.inc" // one table for each file of frontend/opcodes
#undef INSTRUCTION

constexpr bool every_row_is_of_a_version() {
  bool used[static_cast<size_t>(CpythonOpcode::Count)] = {};
  for (const VersionTable &version : version_tables)
    for (const NumberedOpcode &each : version.instructions)
      used[static_cast<size_t>(each.opcode)] = true;
  return std::ranges::all_of(used, [](bool value) { return value; });
}
static_assert(every_row_is_of_a_version());

OpcodeTable make_table(const VersionTable &version) {
  OpcodeTable table;
  for (const NumberedOpcode &each : version.instructions) {
    OpcodeRow &row = table[each.number];
    row = defined_rows[static_cast<size_t>(each.opcode)];
    row.caches = each.caches;
    for (const FormChange &change : form_changes)
      if (change.opcode == each.opcode && change.minor <= version.minor)
        row.form = change.form;
  }
  return table;
}

constexpr BinaryOperatorRow binary_rows[] = {
    {Operator::Add, false},     {Operator::And, false},    {Operator::FloorDiv, false},
    {Operator::LShift, false},  {Operator::MatMul, false}, {Operator::Mul, false},
    {Operator::Mod, false},     {Operator::Or, false},     {Operator::Pow, false},
    {Operator::RShift, false},  {Operator::Sub, false},    {Operator::TrueDiv, false},
    {Operator::Xor, false},     {Operator::Add, true},     {Operator::And, true},
    {Operator::FloorDiv, true}, {Operator::LShift, true},  {Operator::MatMul, true},
    {Operator::Mul, true},      {Operator::Mod, true},     {Operator::Or, true},
    {Operator::Pow, true},      {Operator::RShift, true},  {Operator::Sub, true},
    {Operator::TrueDiv, true},  {Operator::Xor, true},
};

const std::string common_constant_rows[] = {"AssertionError", "NotImplementedError", "tuple", "all",
                                            "any"};

constexpr Operator comparison_rows[] = {Operator::Lt, Operator::Le, Operator::Eq,
                                        Operator::Ne, Operator::Gt, Operator::Ge};

const std::string generator = "generators (yield) cannot be compiled";
const std::string type_parameters = "type parameters and type aliases cannot be compiled";

const IntrinsicRow intrinsic_rows[] = {
    {"INVALID", Opcode::Unsupported, Operator::Add, &unknown_construct},
    {"PRINT", Opcode::Unsupported, Operator::Add, &unknown_construct},
    {"IMPORT_STAR", Opcode::Unsupported, Operator::Add, &import_star},
    {"STOPITERATION_ERROR", Opcode::Unsupported, Operator::Add, &generator},
    {"ASYNC_GEN_WRAP", Opcode::Unsupported, Operator::Add, &generator},
    {"UNARY_POSITIVE", Opcode::Unary, Operator::Pos, nullptr},
    {"LIST_TO_TUPLE", Opcode::ListToTuple, Operator::Add, nullptr},
    {"TYPEVAR", Opcode::Unsupported, Operator::Add, &type_parameters},
    {"PARAMSPEC", Opcode::Unsupported, Operator::Add, &type_parameters},
    {"TYPEVARTUPLE", Opcode::Unsupported, Operator::Add, &type_parameters},
    {"SUBSCRIPT_GENERIC", Opcode::Unsupported, Operator::Add, &type_parameters},
    {"TYPEALIAS", Opcode::Unsupported, Operator::Add, &type_parameters},
};

} // namespace

const OpcodeTable *opcode_table(int minor) {
  static const auto tables = [] {
    std::array<OpcodeTable, std::size(version_tables)> made;
    std::ranges::transform(version_tables, made.begin(), make_table);
    return made;
  }();
  const auto found = std::ranges::find(version_tables, minor, &VersionTable::minor);
  return found == std::end(version_tables) ? nullptr : &tables[found - std::begin(version_tables)];
}

bool has_with_statement(int minor, std::span<const uint8_t> bytecode) {
  const OpcodeTable *table = opcode_table(minor);
  for (size_t i = 0; table && i < bytecode.size(); i += 2)
    if (const OpcodeRow &row = (*table)[bytecode[i]]; row.first == Opcode::EnterWith ||
                                                      row.first == Opcode::LeaveWith ||
                                                      row.refusal == &with_statement)
      return true;
  return false;
}

std::vector<int> known_versions() {
  std::vector<int> minors;
  for (const VersionTable &version : version_tables)
    minors.push_back(version.minor);
  return minors;
}
std::span<const BinaryOperatorRow> binary_operators() { return binary_rows; }
std::span<const std::string> common_constants() { return common_constant_rows; }
std::span<const Operator> comparisons() { return comparison_rows; }
std::span<const IntrinsicRow> intrinsics() { return intrinsic_rows; }

const char *opcode_name(Opcode op) {
  static constexpr const char *names[] = {
#define X(id, name, doc) name,
      NUMJIT_INSTRUCTIONS(X)
#undef X
  };
  return names[static_cast<size_t>(op)];
}

} // namespace numjit
