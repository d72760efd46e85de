#include "typeinfer/types/codec.h"

#include <bit>

namespace numjit {

namespace {
constexpr int kMostNested = 200;
constexpr uint64_t kMostInEntry = 1 << 20;
} // namespace

// --- writing -------------------------------------------------------------------------------------

void Encoder::number(uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    bytes += static_cast<char>(value | 0x80);
  bytes += static_cast<char>(value);
}

void Encoder::real(double value) {
  char data[8];
  std::memcpy(data, &value, 8);
  bytes.append(data, 8);
}

void Encoder::text(std::string_view value) {
  number(value.size());
  bytes += value;
}

void Encoder::digest(const Digest &value) {
  real(std::bit_cast<double>(value.low));
  real(std::bit_cast<double>(value.high));
}

void Encoder::types(const std::vector<const Type *> &values) {
  number(values.size());
  for (const Type *each : values)
    type(each);
}

void Encoder::type(const Type *value) {
  number(value ? static_cast<uint64_t>(value->kind) + 1 : 0);
  if (!value || value->kind == Kind::None)
    return;
  number(static_cast<uint64_t>(value->scalar));
  if (value->kind == Kind::Scalar)
    return;
  number(value->ndim);
  number(static_cast<uint64_t>(value->layout));
  number(value->readonly | value->unit << 1 | value->typed << 2 | value->unaligned << 3);
  number(value->numbers.size());
  for (int64_t each : value->numbers)
    number(static_cast<uint64_t>(each));
  types(value->params);
  number(value->names.size());
  for (const std::string &name : value->names)
    text(name);
  constant(value->constant);
  number(static_cast<uint64_t>(value->expression) + 1);
  type(value->element);
}

void Encoder::constant(const Const *value) {
  number(value ? static_cast<uint64_t>(value->kind) + 1 : 0);
  if (!value)
    return;
  text(value->scalar);
  switch (value->kind) {
  case ConstKind::None:
  case ConstKind::Ellipsis: return;
  case ConstKind::Bool:
  case ConstKind::Int:
    number(value->big | value->is_unsigned << 1);
    number(static_cast<uint64_t>(value->integer));
    text(value->text);
    return;
  case ConstKind::Float: real(value->real); return;
  case ConstKind::Complex:
    real(value->real);
    real(value->imag);
    return;
  case ConstKind::Str:
  case ConstKind::Bytes: text(value->text); return;
  case ConstKind::Tuple:
  case ConstKind::Slice:
    number(value->items.size());
    for (const Const *item : value->items)
      constant(item);
    number(value->object != nullptr);
    if (value->object)
      object_(*this, *value->object);
    return;
  case ConstKind::Object: object_(*this, *value->object); return;
  }
}

// --- reading -------------------------------------------------------------------------------------

std::string_view Decoder::take(size_t count) {
  if (count > rest_.size())
    throw BadBytes("it ends too early");
  std::string_view taken = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return taken;
}

uint64_t Decoder::number() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(take(1)[0]);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80)
      return value;
  }
  throw BadBytes("a number is too long");
}

uint64_t Decoder::number_below(uint64_t limit) {
  const uint64_t value = number();
  if (value >= limit)
    throw BadBytes("a number is too large");
  return value;
}

double Decoder::real() {
  double value;
  std::memcpy(&value, take(8).data(), 8);
  return value;
}

std::string_view Decoder::text() { return take(number()); }

Digest Decoder::digest() {
  Digest value;
  value.low = std::bit_cast<uint64_t>(real());
  value.high = std::bit_cast<uint64_t>(real());
  return value;
}

std::vector<const Type *> Decoder::types() {
  std::vector<const Type *> values(number_below(kMostInEntry));
  for (const Type *&each : values)
    each = type();
  return values;
}

const Type *Decoder::type() {
  const uint64_t kind = number_below(kKindCount + 1);
  if (kind == 0)
    return nullptr;
  if (++depth_ > kMostNested)
    throw BadBytes("a type nests too deeply");
  Type row;
  row.kind = static_cast<Kind>(kind - 1);
  if (row.kind != Kind::None) {
    row.scalar = static_cast<ScalarId>(number_below(kScalarCount));
    if (row.kind != Kind::Scalar) {
      row.ndim = static_cast<uint8_t>(number_below(256));
      row.layout = static_cast<Layout>(number_below(4));
      const uint64_t flags = number_below(16);
      row.readonly = flags & 1;
      row.unit = flags & 2;
      row.typed = flags & 4;
      row.unaligned = flags & 8;
      row.numbers.resize(number_below(kMostInEntry));
      for (int64_t &each : row.numbers)
        each = static_cast<int64_t>(number());
      row.params = types();
      for (uint64_t count = number_below(kMostInEntry); count > 0; --count)
        row.names.emplace_back(text());
      row.constant = constant();
      row.expression = static_cast<int32_t>(number() - 1);
      row.element = type();
    }
  }
  --depth_;
  return types::intern(std::move(row));
}

const Const *Decoder::constant() {
  const uint64_t kind = number_below(static_cast<uint64_t>(ConstKind::Object) + 2);
  if (kind == 0)
    return nullptr;
  if (++depth_ > kMostNested)
    throw BadBytes("a constant nests too deeply");
  Const row;
  row.kind = static_cast<ConstKind>(kind - 1);
  row.scalar = text();
  switch (row.kind) {
  case ConstKind::None:
  case ConstKind::Ellipsis: break;
  case ConstKind::Bool:
  case ConstKind::Int: {
    const uint64_t flags = number_below(4);
    row.big = flags & 1;
    row.is_unsigned = flags & 2;
    row.integer = static_cast<int64_t>(number());
    row.text = text();
    break;
  }
  case ConstKind::Float: row.real = real(); break;
  case ConstKind::Complex:
    row.real = real();
    row.imag = real();
    break;
  case ConstKind::Str:
  case ConstKind::Bytes: row.text = text(); break;
  case ConstKind::Tuple:
  case ConstKind::Slice:
    row.items.resize(number_below(kMostInEntry));
    for (const Const *&item : row.items)
      item = constant();
    if (number_below(2))
      row.object = object_(*this);
    break;
  case ConstKind::Object: row.object = object_(*this); break;
  }
  --depth_;
  return constants::intern(std::move(row));
}

} // namespace numjit
