// The table of interned constants and their text.
#include "frontend/constant.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

namespace numjit {

namespace {

uint64_t bits(double value) { return std::bit_cast<uint64_t>(value); }

struct Hash {
  size_t operator()(const Const *c) const {
    size_t hash = static_cast<size_t>(c->kind);
    auto mix = [&](size_t value) {
      hash ^= value + 0x9e3779b97f4a7c15 + (hash << 6) + (hash >> 2);
    };
    mix(std::hash<int64_t>()(c->integer));
    mix(std::hash<uint64_t>()(bits(c->real)));
    mix(std::hash<uint64_t>()(bits(c->imag)));
    mix(std::hash<std::string>()(c->text));
    mix(std::hash<std::string>()(c->scalar));
    mix(std::hash<const void *>()(c->object));
    for (const Const *item : c->items)
      mix(std::hash<const void *>()(item));
    return hash;
  }
};

// Items are interned already, so their pointers say whether they are equal. Floats compare by bits:
// 0.0 and -0.0 differ, and a NaN equals itself.
struct Equal {
  bool operator()(const Const *a, const Const *b) const {
    return a->kind == b->kind && a->big == b->big && a->is_unsigned == b->is_unsigned &&
           a->integer == b->integer && bits(a->real) == bits(b->real) &&
           bits(a->imag) == bits(b->imag) && a->object == b->object && a->scalar == b->scalar &&
           a->text == b->text && a->items == b->items;
  }
};

struct Table {
  std::mutex mutex;
  std::unordered_set<const Const *, Hash, Equal> rows;
};

// Rows live as long as the process: threads may still compile while static objects are destroyed.
Table &table() {
  static Table *instance = new Table;
  return *instance;
}

std::string quoted(const std::string &text) {
  char quote =
      text.find('\'') != std::string::npos && text.find('"') == std::string::npos ? '"' : '\'';
  std::string out(1, quote);
  for (char c : text) {
    switch (c) {
    case '\n': out += "\\n"; break;
    case '\t': out += "\\t"; break;
    case '\r': out += "\\r"; break;
    case '\\': out += "\\\\"; break;
    default:
      if (c == quote) {
        out += '\\';
        out += c;
      } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
        char buffer[8];
        std::snprintf(buffer, sizeof buffer, "\\x%02x", static_cast<unsigned char>(c));
        out += buffer;
      } else {
        out += c;
      }
    }
  }
  return out + quote;
}

std::string quoted_bytes(const std::string &text) {
  std::string out = "b'";
  for (unsigned char c : text) {
    if (c == '\'' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c >= 0x20 && c < 0x7f) {
      out += static_cast<char>(c);
    } else {
      char buffer[8];
      std::snprintf(buffer, sizeof buffer, "\\x%02x", c);
      out += buffer;
    }
  }
  return out + "'";
}

/// The shortest digits that read back as the same double, as Python prints them.
std::string number(double value, bool keep_point) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char buffer[40];
  for (int precision = 1; precision <= 17; ++precision) {
    std::snprintf(buffer, sizeof buffer, "%.*g", precision, value);
    if (std::strtod(buffer, nullptr) == value)
      break;
  }
  std::string text = buffer;
  // %g turns to exponents at its precision, Python only at 16 digits.
  size_t exponent = text.find('e');
  if (exponent != std::string::npos) {
    const long power = std::strtol(text.c_str() + exponent + 1, nullptr, 10);
    if (power >= 0 && power < 16) {
      std::snprintf(buffer, sizeof buffer, "%.0f", value);
      text = buffer;
    }
  }
  if (keep_point && text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text;
}

std::string complex_text(const Const &value) {
  if (value.real == 0 && !std::signbit(value.real))
    return number(value.imag, false) + "j";
  std::string imag = number(value.imag, false);
  if (imag[0] != '-')
    imag = "+" + imag;
  return "(" + number(value.real, false) + imag + "j)";
}

std::string joined(const std::vector<const Const *> &items) {
  std::string text;
  for (const Const *item : items)
    text += (text.empty() ? "" : ", ") + (item ? to_string(*item) : std::string("?"));
  return text;
}

std::string plain_text(const Const &value) {
  switch (value.kind) {
  case ConstKind::None: return "None";
  case ConstKind::Ellipsis: return "Ellipsis";
  case ConstKind::Bool: return value.integer ? "True" : "False";
  case ConstKind::Int:
    if (value.big)
      return value.text;
    return value.is_unsigned ? std::to_string(static_cast<uint64_t>(value.integer))
                             : std::to_string(value.integer);
  case ConstKind::Float: return number(value.real, true);
  case ConstKind::Complex: return complex_text(value);
  case ConstKind::Str: return quoted(value.text);
  case ConstKind::Bytes: return quoted_bytes(value.text);
  case ConstKind::Tuple: return "(" + joined(value.items) + (value.items.size() == 1 ? ",)" : ")");
  case ConstKind::Slice: return "slice(" + joined(value.items) + ")";
  case ConstKind::Object:
    return value.object && !value.object->name.empty() ? value.object->name : "object";
  }
  return "?";
}

Const of_kind(ConstKind kind) {
  Const row;
  row.kind = kind;
  return row;
}

} // namespace

namespace constants {

const Const *intern(Const value) {
  Table &t = table();
  std::lock_guard lock(t.mutex);
  auto found = t.rows.find(&value);
  if (found != t.rows.end())
    return *found;
  const Const *row = new Const(std::move(value));
  t.rows.insert(row);
  return row;
}

const Const *none() {
  static const Const *row = intern({});
  return row;
}

const Const *ellipsis() {
  static const Const *row = intern(of_kind(ConstKind::Ellipsis));
  return row;
}

const Const *boolean(bool value) {
  Const row = of_kind(ConstKind::Bool);
  row.integer = value;
  return intern(std::move(row));
}

const Const *integer(int64_t value) {
  Const row = of_kind(ConstKind::Int);
  row.integer = value;
  return intern(std::move(row));
}

const Const *floating(double value) {
  Const row = of_kind(ConstKind::Float);
  row.real = value;
  return intern(std::move(row));
}

const Const *typed(Const number, std::string type) {
  if (number.kind != ConstKind::Bool)
    number.scalar = std::move(type);
  return intern(std::move(number));
}

const Const *string(std::string text) {
  Const row = of_kind(ConstKind::Str);
  row.text = std::move(text);
  return intern(std::move(row));
}

const Const *tuple(std::vector<const Const *> items) {
  Const row = of_kind(ConstKind::Tuple);
  row.items = std::move(items);
  return intern(std::move(row));
}

const Const *object(const Object *object) {
  Const row = of_kind(ConstKind::Object);
  row.object = object;
  return intern(std::move(row));
}

const Const *builtin(const std::string &name) {
  static std::mutex mutex;
  static std::unordered_map<std::string, Object> objects; // rows live as long as the process
  std::lock_guard lock(mutex);
  auto [row, made] = objects.try_emplace(name);
  if (made) {
    row->second.kind = ObjectKind::Builtin;
    row->second.name = name;
  }
  return object(&row->second);
}

} // namespace constants

std::string to_string(const Const &value) {
  std::string text = plain_text(value);
  if (!value.scalar.empty())
    return value.scalar + "(" + text + ")";
  return text;
}

} // namespace numjit
