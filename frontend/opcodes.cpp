// Builds one table per version from opcodes.def.
#include "frontend/opcodes.h"

#include <deque>

namespace numjit {

namespace {

constexpr int versions[] = {11, 12, 13};
constexpr size_t version_count = std::size(versions);

/// One cell of opcodes.def.
struct Cell {
  int number;
  int caches;
  bool own_form;
  OpcodeForm form;
};

struct DefinedRow {
  const char *name;
  Opcode first, second;
  OpcodeForm form;
  Operator oper;
  const char *refusal;
  Cell cells[version_count];
};

using enum OpcodeForm;
constexpr Operator None = Operator::Add; // of rows that have no operator
constexpr Operator Neg = Operator::Neg, Pos = Operator::Pos, Invert = Operator::Invert,
                   Not = Operator::Not, Truth = Operator::Truth, Is = Operator::Is,
                   In = Operator::In;

// clang-format off
#define C(number, caches) {number, caches, false, Plain}
#define C_AS(number, caches, form) {number, caches, true, form}
#define NONE {-1, 0, false, Plain}
#define OPCODE(name, first, second, form, oper, ...)                                               \
  {#name, Opcode::first, Opcode::second, form, oper, nullptr, {__VA_ARGS__}},
#define REFUSED(name, text, ...)                                                                   \
  {#name, Opcode::Unsupported, Opcode::Nop, Zero, None, text, {__VA_ARGS__}},
constexpr DefinedRow defined_rows[] = {
#include "frontend/opcodes.def"
};
#undef C
#undef C_AS
#undef NONE
// clang-format on

std::array<OpcodeTable, version_count> make_tables() {
  static std::deque<std::string> texts; // rows point to them
  std::array<OpcodeTable, version_count> tables;
  for (const DefinedRow &defined : defined_rows) {
    OpcodeRow row{defined.name, defined.first, defined.second, defined.form, defined.oper};
    if (defined.refusal)
      row.refusal = &texts.emplace_back(defined.refusal);
    for (size_t version = 0; version < version_count; ++version) {
      const Cell &cell = defined.cells[version];
      if (cell.number < 0)
        continue;
      OpcodeRow &place = tables[version][static_cast<size_t>(cell.number)];
      place = row;
      place.caches = static_cast<uint8_t>(cell.caches);
      if (cell.own_form)
        place.form = cell.form;
    }
  }
  return tables;
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

constexpr Operator comparison_rows[] = {Operator::Lt, Operator::Le, Operator::Eq,
                                        Operator::Ne, Operator::Gt, Operator::Ge};

const std::string unsupported_intrinsic = "this construct cannot be compiled";
const std::string import_star = "import * cannot be compiled";
const std::string generator = "generators (yield) cannot be compiled";
const std::string type_parameters = "type parameters and type aliases cannot be compiled";

const IntrinsicRow intrinsic_rows[] = {
    {"INVALID", Opcode::Unsupported, Operator::Add, &unsupported_intrinsic},
    {"PRINT", Opcode::Unsupported, Operator::Add, &unsupported_intrinsic},
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
  static const std::array<OpcodeTable, version_count> tables = make_tables();
  for (size_t i = 0; i < version_count; ++i)
    if (versions[i] == minor)
      return &tables[i];
  return nullptr;
}

std::span<const int> known_versions() { return versions; }
std::span<const BinaryOperatorRow> binary_operators() { return binary_rows; }
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
