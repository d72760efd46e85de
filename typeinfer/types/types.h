// Types: interned rows, so equality is a pointer compare. They live as long as the process.
#pragma once

#include "frontend/constant.h"

#include <complex>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace numjit {

enum class ScalarClass : uint8_t { Bool, Signed, Unsigned, Float, Complex };

enum class ScalarId : uint8_t {
#define NUMJIT_SCALAR(id, ...) id,
#include "typeinfer/types/scalar_types.def"
#undef NUMJIT_SCALAR
};
constexpr int kScalarCount = 0
#define NUMJIT_SCALAR(...) +1
#include "typeinfer/types/scalar_types.def"
#undef NUMJIT_SCALAR
    ;

struct ScalarRow {
  ScalarId id;
  std::string_view name, short_name;
  char numpy_char;
  ScalarClass cls;
  int bits;
};
const ScalarRow &scalar_row(ScalarId id);

/// The kinds of type; kinds.def says what each consists of.
enum class Kind : uint8_t {
#define NUMJIT_KIND(id, ...) id,
#include "typeinfer/types/kinds.def"
#undef NUMJIT_KIND
};
constexpr int kKindCount = 0
#define NUMJIT_KIND(...) +1
#include "typeinfer/types/kinds.def"
#undef NUMJIT_KIND
    ;

/// What rules ask of many kinds: bits of the column `traits` of kinds.def.
namespace traits {
constexpr uint8_t plain = 0;
constexpr uint8_t one_value = 1; ///< the type alone says the value
constexpr uint8_t holds = 2;     ///< its values hold values of `params`, whose types may be open
/// Blocks that Python code of another thread can change, or let go of, while compiled code is
/// inside. Not arrays: their memory lasts as long as they do.
constexpr uint8_t shared = 4;
/// Values hold literals where those of `params` are: unliteral() is that of each of them.
constexpr uint8_t distributes = 8;

constexpr uint8_t of_kind[] = {
#define NUMJIT_KIND(id, attributes, cls, fields, text, items, iteration, truth, join, equality,    \
                    str, element, conversion, bits)                                                \
  bits,
#include "typeinfer/types/kinds.def"
#undef NUMJIT_KIND
};
} // namespace traits
constexpr bool has_trait(Kind kind, uint8_t trait) {
  return traits::of_kind[static_cast<size_t>(kind)] & trait;
}

enum class Layout : uint8_t {
  C,
  F,
  A, ///< any strides
  I  ///< any strides but the last axis is contiguous; users see "A"
};

struct TypeLayout;

struct Type {
  Kind kind = Kind::Undefined;
  ScalarId scalar = ScalarId::Bool;
  uint8_t ndim = 0;
  Layout layout = Layout::A;
  bool readonly = false;
  bool unit = false;            ///< Range: step is the constant 1. Enum: its members are ints
  bool typed = false;           ///< List, Set: that of numjit.typed
  bool unaligned = false;       ///< Array: elements may lie at any address
  std::vector<int64_t> numbers; ///< Record, Nested, Datetime, Timedelta, range(): see there
  std::vector<const Type *> params;
  std::vector<std::string> names{};
  const Const *constant = nullptr;
  int32_t expression = 0;        ///< Lazy: row of the expression table
  const Type *element = nullptr; ///< Lazy: type of its elements

  // --- derived when the row is made ---
  std::string text{};    ///< as users see it, e.g. "array(float64, 2d, C)"
  std::string precise{}; ///< as typed IR prints it: tells layouts A and I, unit ranges etc. apart
  std::vector<const Type *> fields{};      ///< struct-like types: what they are made of, in order
  bool counted = false;                    ///< holds an Owner somewhere
  const TypeLayout *leaf_layout = nullptr; ///< see layout_of
  uint32_t id = 0;

  bool is_scalar() const { return kind == Kind::Scalar; }
  /// A number, also one that has no type at run time.
  bool is_number() const { return is_scalar() || kind == Kind::BigInt; }
  bool is(ScalarId s) const { return kind == Kind::Scalar && scalar == s; }
  ScalarClass cls() const { return scalar_row(scalar).cls; }
  int bits() const { return scalar_row(scalar).bits; }
  bool is_bool() const { return is(ScalarId::Bool); }
  bool is_integer() const {
    return is_scalar() && (cls() == ScalarClass::Signed || cls() == ScalarClass::Unsigned);
  }
  bool is_signed() const { return is_scalar() && cls() == ScalarClass::Signed; }
  bool is_unsigned() const { return is_scalar() && cls() == ScalarClass::Unsigned; }
  bool is_float() const { return is_scalar() && cls() == ScalarClass::Float; }
  bool is_complex() const { return is_scalar() && cls() == ScalarClass::Complex; }
  bool is_array() const { return kind == Kind::Array; }
  bool is_function() const {
    return kind == Kind::Function || kind == Kind::Closure || kind == Kind::Choice;
  }
  bool is_text() const { return kind == Kind::Unicode || kind == Kind::String; }
  bool is_set() const { return kind == Kind::Set || kind == Kind::FrozenSet; }
  bool is_time() const { return kind == Kind::Datetime || kind == Kind::Timedelta; }
  /// What an array element can be besides a number: has a place in memory and is no array itself.
  bool is_item() const {
    return is_scalar() || is_time() || kind == Kind::Record || kind == Kind::CharSeq;
  }
  /// Values with a known number of items, each with a type of its own.
  bool is_tuple() const {
    return kind == Kind::Tuple || kind == Kind::NamedTuple || kind == Kind::LiteralList;
  }
  bool is_homogeneous() const; ///< tuple whose items (if any) have one type
  const Type *dtype() const { return kind == Kind::Lazy ? element : params[0]; }
  bool is_contiguous() const { return layout == Layout::C || layout == Layout::F; }
};

/// Units of datetime64 and timedelta64, with NumPy's numbers (3 is not used).
enum TimeUnit : int { kYear, kMonth, kWeek, kDay = 4, kSecond = 7, kAttosecond = 13, kGeneric };
/// "D", "ns"; empty for the generic unit.
std::string_view time_unit_name(int unit);
int time_unit_named(std::string_view name); ///< -1: none

/// Makes (or finds) the rows. Thread-safe.
namespace types {
/// The row that equals `wanted` in what is not derived.
const Type *intern(Type wanted);
const Type *scalar(ScalarId id);
inline const Type *boolean() { return scalar(ScalarId::Bool); }
inline const Type *int64() { return scalar(ScalarId::Int64); }
inline const Type *uint64() { return scalar(ScalarId::UInt64); }
inline const Type *float64() { return scalar(ScalarId::Float64); }
const Type *none();
const Type *ellipsis();
const Type *undefined();
const Type *owner();
const Type *pointer(const Type *to);
const Type *string(const Const *text);
const Type *big_int(const Const *number);
const Type *unicode();
const Type *bytes(bool readonly);
const Type *char_seq(bool bytes, int64_t characters);
const Type *optional(const Type *of); ///< of None or of an Optional: `of` itself
const Type *maybe(const Type *of);    ///< of a Maybe or Undefined: `of` itself
const Type *tuple(std::vector<const Type *> items);
const Type *uniform_tuple(const Type *item, int count);
const Type *named_tuple(const Const *cls, std::vector<const Type *> items);
const Type *literal_dict(std::vector<std::string> keys, std::vector<const Type *> values);
const Type *literal_list(std::vector<const Type *> items);
const Type *array(const Type *dtype, int ndim, Layout layout, bool readonly = false,
                  bool unaligned = false);
/// A view of the memory of an array of type `of`.
inline const Type *view(const Type *of, int ndim, Layout layout) {
  return array(of->dtype(), ndim, layout, of->readonly, of->unaligned);
}
const Type *list(const Type *item, bool typed = false);
const Type *dict(const Type *key, const Type *value);
const Type *set(const Type *item, bool typed = false);
const Type *frozen_set(const Type *item);
const Type *dict_view(const Type *dict, const Const *what);
/// What is known of a range's step: nothing, that it is a constant of a usual size, that it is 1.
enum class Stride { Any, Usual, One };
constexpr int64_t usual_stride = 1 << 20; ///< smaller steps take years to wrap
const Type *range(const Type *integer, Stride stride);
Stride stride_of(const Type *range);
const Type *slice(const Type *start, const Type *stop, const Type *step);
const Type *iterator(const Type *of, std::vector<const Type *> state);
const Type *function(const Const *object);
const Type *method(const Type *self, const Const *builtin);
const Type *closure(const Const *code, std::vector<const Type *> captured);
const Type *dtype(const Type *scalar);
const Type *module(const Const *object);
const Type *exception(const Const *cls, std::vector<const Type *> arguments);
const Type *caught_exception();
const Type *choice(std::vector<const Type *> functions);
const Type *union_of(std::vector<const Type *> members);
/// `sent`: what send() takes, or none; `returned`: the value of StopIteration.
const Type *generator(const Const *function, const Type *item, const Type *sent,
                      const Type *returned, std::vector<const Type *> arguments);
constexpr size_t kGeneratorParts = 3; ///< parameters of a generator in front of its arguments
const Type *enumerate(const Type *of);
const Type *zip(std::vector<const Type *> of);
const Type *record(std::vector<std::string> names, std::vector<const Type *> fields,
                   std::vector<int64_t> offsets, int64_t size, bool aligned);
const Type *nested(const Type *dtype, std::vector<int64_t> shape);
const Type *datetime(int unit);
const Type *timedelta(int unit);
const Type *enumeration(const Const *cls);
const Type *structure(const Const *cls, std::vector<const Type *> items);
const Type *instance(const Const *cls, const Type *structure);
/// Element-wise expression; params are the operand types (arrays, scalars, lazies).
const Type *lazy(int32_t expression, std::vector<const Type *> operands, const Type *dtype,
                 int ndim);

/// Row for a scalar's name, short name or alias ("float64", "f8", "double", "intp"); nullptr if
/// none.
const Type *scalar_named(std::string_view name);
/// The same for whatever arrays hold that has a name: scalars, "datetime64[ns]", "M8[s]".
const Type *item_named(std::string_view name);

struct ParseResult {
  const Type *type = nullptr;
  std::string error;   ///< why not
  size_t position = 0; ///< where in the text
};
/// Parses what `Type::text` prints for scalars, none, arrays, tuples, optionals, lists, ranges,
/// pointers and owners, and the forms of signatures: "float64[:, ::1]", "f8", "Tuple((int64,
/// float64))", "UniTuple(int64, 3)", "Optional(int64)", "void".
ParseResult parse(std::string_view text);
/// Parses the type that `text` begins with and sets `position` behind it.
ParseResult parse_prefix(std::string_view text, size_t &position);

struct SignatureResult {
  const Type *result = nullptr; ///< nullptr: not given, "(int32, int32)"
  std::vector<const Type *> params;
  std::string error; ///< why not; empty if the text is a signature
  size_t position = 0;
};
/// Parses "int32(int32, float64[:])" and "(int32, int32)".
SignatureResult parse_signature(std::string_view text);
} // namespace types

/// A type as the scalars it consists of, in order: the form in which values travel through machine
/// code, argument buffers and memory. A complex number is two leaves; None has none.
enum class Leaf : uint8_t { I1, I8, I16, I32, I64, F16, BF16, F32, F64, Ptr };
struct LeafInfo {
  Leaf leaf;
  bool owner;      ///< a counted reference
  uint32_t offset; ///< in memory (array element, list item), in bytes
};
struct TypeLayout {
  std::vector<LeafInfo> leaves;
  uint32_t size = 0, align = 1; ///< in memory; a bool takes one byte
};
/// Computed once per type, thread-safe. For an Array *type* this is the layout of the descriptor,
/// not of its elements.
const TypeLayout &layout_of(const Type *type);
/// Where a field lies in the memory of a struct-like value.
int64_t field_offset(const Type *type, int index);
/// Bytes from one element of an array to the next.
int64_t item_size(const Type *type);
uint32_t leaf_size(Leaf leaf);

} // namespace numjit
