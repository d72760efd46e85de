// The table of types: making rows, finding them again.
#include "typeinfer/types/types.h"

#include "typeinfer/errors.h"
#include "typeinfer/types/type_rows.h"

#include <array>
#include <deque>
#include <mutex>
#include <shared_mutex>
#include <unordered_set>

namespace numjit {

// --- scalars ---

static constexpr ScalarRow scalar_rows[] = {
#define NUMJIT_SCALAR(id, name, short_name, numpy, cls, bits, type)                                \
  {ScalarId::id, name, short_name, numpy, ScalarClass::cls, bits},
#include "typeinfer/types/scalar_types.def"
#undef NUMJIT_SCALAR
};
static_assert(std::size(scalar_rows) == kScalarCount);

const ScalarRow &scalar_row(ScalarId id) { return scalar_rows[static_cast<size_t>(id)]; }

static constexpr std::string_view unit_names[] = {"Y",  "M",  "W",  "",   "D",  "h",  "m", "s",
                                                  "ms", "us", "ns", "ps", "fs", "as", ""};

std::string_view time_unit_name(int unit) { return unit_names[unit]; }

int time_unit_named(std::string_view name) {
  if (name.empty())
    return kGeneric;
  if (name == "\u03bcs")
    name = "us";
  for (int unit = 0; unit < kGeneric; ++unit)
    if (name == unit_names[unit])
      return unit;
  return -1;
}

bool Type::is_homogeneous() const {
  if (!is_tuple())
    return false;
  for (const Type *item : params)
    if (item != params[0])
      return false;
  return true;
}

// --- interning ---

namespace {

/// What makes two rows the same one: everything that isn't derived.
struct SameRow {
  static void mix(size_t &hash, size_t value) {
    hash ^= value + 0x9e3779b97f4a7c15 + (hash << 6) + (hash >> 2);
  }

  size_t operator()(const Type *type) const {
    size_t hash = static_cast<size_t>(type->kind);
    mix(hash, static_cast<size_t>(type->scalar) | type->ndim << 8 |
                  static_cast<size_t>(type->layout) << 16 | type->readonly << 24 |
                  type->unit << 25 | type->typed << 26 | type->unaligned << 27);
    for (const Type *param : type->params)
      mix(hash, param->id);
    mix(hash, std::hash<const void *>()(type->constant));
    mix(hash, static_cast<size_t>(type->expression));
    for (int64_t number : type->numbers)
      mix(hash, static_cast<size_t>(number));
    return hash;
  }

  bool operator()(const Type *a, const Type *b) const {
    return a->kind == b->kind && a->scalar == b->scalar && a->ndim == b->ndim &&
           a->layout == b->layout && a->readonly == b->readonly && a->unit == b->unit &&
           a->typed == b->typed && a->params == b->params && a->names == b->names &&
           a->constant == b->constant && a->expression == b->expression &&
           a->element == b->element && a->unaligned == b->unaligned && a->numbers == b->numbers;
  }
};

class TypeTable {
public:
  /// The row equal to `wanted`. Rows are derived outside the lock (deriving one makes others); of
  /// two threads that make the same row at once one throws its own away.
  const Type *intern(Type wanted) {
    {
      std::shared_lock lock(mutex_);
      if (auto found = index_.find(&wanted); found != index_.end())
        return *found;
    }
    derive_fields(wanted);
    derive_text(wanted);
    TypeLayout layout = compute_layout(wanted);

    std::unique_lock lock(mutex_);
    if (auto found = index_.find(&wanted); found != index_.end())
      return *found;
    wanted.leaf_layout = &layouts_.emplace_back(std::move(layout));
    wanted.id = static_cast<uint32_t>(rows_.size());
    const Type *row = &rows_.emplace_back(std::move(wanted));
    index_.insert(row);
    return row;
  }

private:
  std::shared_mutex mutex_;
  std::deque<Type> rows_;
  std::deque<TypeLayout> layouts_;
  std::unordered_set<const Type *, SameRow, SameRow> index_;
};

/// Never destroyed: machine code and threads may outlive static destructors.
TypeTable &table() {
  static TypeTable *const instance = new TypeTable;
  return *instance;
}

Type row(Kind kind, std::vector<const Type *> params = {}, const Const *constant = nullptr) {
  Type type;
  type.kind = kind;
  type.params = std::move(params);
  type.constant = constant;
  return type;
}

} // namespace

// --- fields ---

namespace {

using Fields = std::vector<const Type *>;

Fields fields_none(const Type &) { return {}; }
Fields fields_params(const Type &type) { return type.params; }
Fields fields_owner(const Type &) { return {types::owner()}; }
Fields fields_int64(const Type &) { return {types::int64()}; }
Fields fields_flagged(const Type &type) { return {types::boolean(), type.params[0]}; }

const Type *pointer_to_bytes() { return types::pointer(types::scalar(ScalarId::UInt8)); }

Fields fields_array(const Type &type) {
  const Type *per_axis = types::uniform_tuple(types::int64(), type.ndim);
  Fields fields = {types::pointer(type.params[0]), types::owner(), per_axis};
  if (!type.is_contiguous())
    fields.push_back(per_axis); // strides in bytes; those of C and F follow from the shape
  return fields;
}

Fields fields_record(const Type &) { return {pointer_to_bytes(), types::owner()}; }

Fields fields_choice(const Type &type) {
  Fields fields = type.params;
  fields.insert(fields.begin(), types::int64());
  return fields;
}

Fields fields_string(const Type &) {
  return {pointer_to_bytes(), types::owner(), types::int64(), types::int64()};
}
Fields fields_bytes(const Type &) { return {pointer_to_bytes(), types::owner(), types::int64()}; }
Fields fields_range(const Type &type) { return Fields(3, type.params[0]); }

Fields fields_slice(const Type &type) {
  Fields fields;
  for (const Type *param : type.params)
    if (param->kind != Kind::None)
      fields.push_back(param);
  return fields;
}

Fields fields_state(const Type &type) { return {type.params.begin() + 1, type.params.end()}; }
Fields fields_enumerate(const Type &type) { return {types::int64(), type.params[0]}; }
Fields fields_exception(const Type &type) {
  return type.constant ? type.params : fields_owner(type);
}

/// What a value of a type consists of, by kind.
constexpr Fields (*kFields[])(const Type &) = {
#define NUMJIT_KIND(id, attributes, cls, fields, ...) fields_##fields,
#include "typeinfer/types/kinds.def"
#undef NUMJIT_KIND
};

} // namespace

void derive_fields(Type &type) {
  type.fields = kFields[static_cast<size_t>(type.kind)](type);
  type.counted = type.kind == Kind::Owner;
  for (const Type *field : type.fields)
    type.counted |= field->counted;
}

// --- one function per kind ---

namespace types {

const Type *intern(Type wanted) { return table().intern(std::move(wanted)); }

const Type *scalar(ScalarId id) {
  // Asked for all the time, so without a lock.
  static const std::array<const Type *, kScalarCount> rows = [] {
    std::array<const Type *, kScalarCount> made{};
    for (const ScalarRow &scalar : scalar_rows) {
      Type type = row(Kind::Scalar);
      type.scalar = scalar.id;
      made[static_cast<size_t>(scalar.id)] = intern(std::move(type));
    }
    return made;
  }();
  return rows[static_cast<size_t>(id)];
}

const Type *none() {
  static const Type *const type = intern(row(Kind::None));
  return type;
}

const Type *ellipsis() {
  static const Type *const type = intern(row(Kind::Ellipsis));
  return type;
}

const Type *undefined() {
  static const Type *const type = intern(row(Kind::Undefined));
  return type;
}

const Type *owner() {
  static const Type *const type = intern(row(Kind::Owner));
  return type;
}

const Type *pointer(const Type *to) { return intern(row(Kind::Pointer, {to})); }

const Type *string(const Const *text) { return intern(row(Kind::String, {}, text)); }

const Type *big_int(const Const *number) { return intern(row(Kind::BigInt, {}, number)); }

const Type *unicode() {
  static const Type *const type = intern(row(Kind::Unicode));
  return type;
}

const Type *bytes(bool readonly) {
  Type type = row(Kind::Bytes);
  type.readonly = readonly;
  return intern(std::move(type));
}

const Type *char_seq(bool bytes, int64_t characters) {
  return intern(row(Kind::CharSeq, {scalar(bytes ? ScalarId::UInt8 : ScalarId::UInt32)},
                    constants::integer(characters)));
}

const Type *optional(const Type *of) {
  if (of->kind == Kind::None || of->kind == Kind::Optional)
    return of;
  return intern(row(Kind::Optional, {of}));
}

const Type *maybe(const Type *of) {
  if (of->kind == Kind::Maybe || of->kind == Kind::Undefined)
    return of;
  return intern(row(Kind::Maybe, {of}));
}

const Type *tuple(std::vector<const Type *> items) {
  return intern(row(Kind::Tuple, std::move(items)));
}

const Type *uniform_tuple(const Type *item, int count) {
  return tuple(std::vector<const Type *>(static_cast<size_t>(count), item));
}

const Type *named_tuple(const Const *cls, std::vector<const Type *> items) {
  Type type = row(Kind::NamedTuple, std::move(items), cls);
  if (cls->kind == ConstKind::Object)
    type.names = cls->object->fields;
  return intern(std::move(type));
}

const Type *literal_dict(std::vector<std::string> keys, std::vector<const Type *> values) {
  Type type = row(Kind::LiteralDict, std::move(values));
  type.names = std::move(keys);
  return intern(std::move(type));
}

const Type *literal_list(std::vector<const Type *> items) {
  return intern(row(Kind::LiteralList, std::move(items)));
}

const Type *array(const Type *dtype, int ndim, Layout layout, bool readonly, bool unaligned) {
  Type type = row(Kind::Array, {dtype});
  type.ndim = static_cast<uint8_t>(ndim);
  // Below two dimensions the layouts coincide in part; one row for each meaning.
  if (ndim == 0 || (ndim == 1 && layout != Layout::A))
    layout = Layout::C;
  type.layout = layout;
  type.readonly = readonly;
  type.unaligned =
      unaligned && dtype->kind != Kind::Record; // records bring alignments of their own
  return intern(std::move(type));
}

/// What a container has of it: items of arrays of strings are strings once they are read.
static const Type *held(const Type *item) {
  if (item->is_array()) // without what units.h says of it
    return array(item->dtype(), item->ndim, item->layout, item->readonly, item->unaligned);
  if (item->kind != Kind::CharSeq)
    return item;
  return item->params[0]->bits() == 8 ? bytes(true) : unicode();
}

const Type *list(const Type *item, bool typed) {
  Type type = row(Kind::List, {held(item)});
  type.typed = typed;
  return intern(std::move(type));
}

const Type *dict(const Type *key, const Type *value) {
  return intern(row(Kind::Dict, {held(key), held(value)}));
}

const Type *set(const Type *item, bool typed) {
  Type type = row(Kind::Set, {held(item)});
  type.typed = typed;
  return intern(std::move(type));
}

const Type *frozen_set(const Type *item) { return intern(row(Kind::FrozenSet, {item})); }

const Type *dict_view(const Type *dict, const Const *what) {
  return intern(row(Kind::DictView, {dict}, what));
}

const Type *range(const Type *integer, Stride stride) {
  Type type = row(Kind::Range, {integer});
  type.unit = stride == Stride::One;
  if (stride == Stride::Usual)
    type.numbers = {usual_stride};
  return intern(std::move(type));
}

Stride stride_of(const Type *range) {
  const bool usual = !range->numbers.empty() && range->numbers[0] == usual_stride;
  return range->unit ? Stride::One : usual ? Stride::Usual : Stride::Any;
}

const Type *slice(const Type *start, const Type *stop, const Type *step) {
  return intern(row(Kind::Slice, {start, stop, step}));
}

const Type *iterator(const Type *of, std::vector<const Type *> state) {
  state.insert(state.begin(), of);
  return intern(row(Kind::Iterator, std::move(state)));
}

const Type *function(const Const *object) { return intern(row(Kind::Function, {}, object)); }

const Type *method(const Type *self, const Const *builtin) {
  return intern(row(Kind::Method, {self}, builtin));
}

const Type *closure(const Const *code, std::vector<const Type *> captured) {
  return intern(row(Kind::Closure, std::move(captured), code));
}

const Type *dtype(const Type *scalar) { return intern(row(Kind::DType, {scalar})); }

const Type *module(const Const *object) { return intern(row(Kind::Module, {}, object)); }

const Type *exception(const Const *cls, std::vector<const Type *> arguments) {
  return intern(row(Kind::Exception, std::move(arguments), cls));
}

const Type *caught_exception() {
  static const Type *const type = intern(row(Kind::Exception));
  return type;
}

const Type *generator(const Const *function, const Type *item, const Type *sent,
                      const Type *returned, std::vector<const Type *> arguments) {
  arguments.insert(arguments.begin(), {item, sent, returned});
  return intern(row(Kind::Generator, std::move(arguments), function));
}

const Type *choice(std::vector<const Type *> functions) {
  return intern(row(Kind::Choice, std::move(functions)));
}

const Type *union_of(std::vector<const Type *> members) {
  return intern(row(Kind::Union, std::move(members)));
}

const Type *enumerate(const Type *of) { return intern(row(Kind::Enumerate, {of})); }

const Type *zip(std::vector<const Type *> of) { return intern(row(Kind::Zip, std::move(of))); }

const Type *record(std::vector<std::string> names, std::vector<const Type *> fields,
                   std::vector<int64_t> offsets, int64_t size, bool aligned) {
  Type type = row(Kind::Record, std::move(fields));
  type.names = std::move(names);
  type.numbers = std::move(offsets);
  type.numbers.insert(type.numbers.begin(), {size, aligned});
  return intern(std::move(type));
}

const Type *nested(const Type *dtype, std::vector<int64_t> shape) {
  Type type = row(Kind::Nested, {dtype});
  type.numbers = std::move(shape);
  return intern(std::move(type));
}

static const Type *time(Kind kind, int unit) {
  Type type = row(kind);
  type.numbers = {unit};
  return intern(std::move(type));
}

const Type *datetime(int unit) { return time(Kind::Datetime, unit); }
const Type *timedelta(int unit) { return time(Kind::Timedelta, unit); }

const Type *enumeration(const Const *cls) {
  Type type = row(Kind::Enum, {}, cls);
  type.unit = cls->object->is_int;
  return intern(std::move(type));
}

const Type *structure(const Const *cls, std::vector<const Type *> items) {
  Type type = row(Kind::Struct, std::move(items), cls);
  type.names = cls->object->fields;
  return intern(std::move(type));
}

const Type *instance(const Const *cls, const Type *structure) {
  Type type = row(Kind::Instance, {}, cls);
  if (structure)
    type.params = {structure};
  return intern(std::move(type));
}

const Type *lazy(int32_t expression, std::vector<const Type *> operands, const Type *dtype,
                 int ndim) {
  Type type = row(Kind::Lazy, std::move(operands));
  type.expression = expression;
  type.element = dtype;
  type.ndim = static_cast<uint8_t>(ndim);
  type.layout = Layout::C;
  return intern(std::move(type));
}

} // namespace types
} // namespace numjit
