// The texts of values: str, repr, ascii, format, and what f-strings make.
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/plain_constants.h"
#include "typeinfer/rules/plain_classes.h"
#include "typeinfer/rules/strings.h"
#include "typeinfer/types/named_instances.h"

#include <array>
#include <span>

namespace numjit {

using tir::RuntimeOp;

namespace {

/// str(x), repr(x) or ascii(x).
Operand text_of(Emitter &e, const Operand &x, TextConversion how);

// --- by kind: the column `str` of kinds.def ---

Operand str_text(Emitter &e, const Operand &x, TextConversion how) {
  if (how == TextConversion::Str)
    return x;
  return new_string(e, RuntimeOp::StrRepr, {e.unliteral(x)}, {e.i64(how == TextConversion::Ascii)});
}

Operand str_scalar(Emitter &e, const Operand &x, TextConversion) {
  const Type *type = x.type;
  switch (type->cls()) {
  case ScalarClass::Bool:
    return e.select(x, e.unliteral(literal(e, "True")), e.unliteral(literal(e, "False")));
  case ScalarClass::Signed:
    return new_string(e, RuntimeOp::StrOfInt, {}, {e.cast(x, types::int64())});
  case ScalarClass::Unsigned:
    return new_string(e, RuntimeOp::StrOfUInt, {}, {e.cast(x, types::uint64())});
  case ScalarClass::Float:
    return new_string(e, RuntimeOp::StrOfDouble, {},
                      {e.cast(x, types::float64()), e.i64(type->bits())});
  case ScalarClass::Complex: {
    Operands parts;
    for (const char *part : {"numpy.real", "numpy.imag"}) {
      std::array<Operand, 1> one{x};
      parts.push_back(
          e.cast(e.scalar(*scalar::by_name(part), one, scalar::Form::NumPy), types::float64()));
    }
    return new_string(e, RuntimeOp::StrOfComplex, {},
                      {parts[0], parts[1], e.i64(type->bits() == 64)});
  }
  }
  throw InternalError("text of " + type->text);
}

Operand str_nothing(Emitter &e, const Operand &, TextConversion) { return literal(e, "None"); }

Operand str_big_int(Emitter &e, const Operand &x, TextConversion) {
  return literal(e, x.type->constant->text);
}

Operand str_optional(Emitter &e, const Operand &x, TextConversion how) {
  return e.choose(
      e.field(x, 0), [&] { return e.unliteral(text_of(e, e.field(x, 1), how)); },
      [&] { return e.unliteral(literal(e, "None")); });
}

/// The methods that say a text, in the order in which they are looked for.
std::span<const std::string_view> methods_of(TextConversion how) {
  static constexpr std::string_view names[] = {"__str__", "__repr__"};
  return std::span(names).subspan(how == TextConversion::Str ? 0 : 1);
}

/// By a method of the user's class or type; false if it has none.
bool text_by_class(Emitter &e, const Operand &x, TextConversion how, Operand &text) {
  for (std::string_view method : methods_of(how))
    if (call_special_method(e, x, std::string(method), text))
      return true;
  return false;
}

Operand str_tuple(Emitter &e, const Operand &x, TextConversion how) {
  if (Operand text; text_by_class(e, x, how, text))
    return text;
  const Type *type = x.type;
  const bool named = type->kind == Kind::NamedTuple;
  const std::string &path = named ? type->constant->object->name : std::string();
  const bool list = type->kind == Kind::LiteralList;
  Operands pieces{literal(e, path.substr(path.rfind('.') + 1) + (list ? "[" : "("))};
  for (size_t i = 0; i < type->params.size(); ++i) {
    const std::string before = (i ? ", " : "") + (named ? type->names[i] + "=" : std::string());
    if (!before.empty())
      pieces.push_back(literal(e, before));
    pieces.push_back(text_of(e, e.field(x, static_cast<int>(i)), TextConversion::Repr));
  }
  pieces.push_back(literal(e, list ? "]" : type->params.size() == 1 && !named ? ",)" : ")"));
  return join_texts(e, pieces);
}

/// What Python calls a class, without its module: outer functions are part of it.
std::string qualified_name(const Object &cls) {
  const size_t local = cls.name.find(".<locals>.");
  const size_t dot = cls.name.rfind('.', local == std::string::npos ? local : local - 1);
  return cls.name.substr(dot == std::string::npos ? 0 : dot + 1);
}

/// Body(mass=1.0, position=[0, 0])
Operand repr_dataclass(Emitter &e, const Operand &x) {
  const Object &cls = *x.type->constant->object;
  Operands pieces{literal(e, qualified_name(cls) + "(")};
  for (size_t i = 0; i < cls.fields.size(); ++i) {
    pieces.push_back(literal(e, (i ? ", " : "") + cls.fields[i] + "="));
    pieces.push_back(text_of(e, rule_getattr(e, x, cls.fields[i]), TextConversion::Repr));
  }
  pieces.push_back(literal(e, ")"));
  return join_texts(e, pieces);
}

Operand repr_of_fields(Emitter &e, Operands &a) { return repr_dataclass(e, a[0]); }

/// <module.Particle object at 0x7f...>
Operand repr_by_address(Emitter &e, const Operand &x) {
  const std::string &name = x.type->constant->object->name;
  const Operands pieces{literal(e, "<" + name.substr(0, name.rfind(".<")) + " object at "),
                        e.library("builtins.hex", {e.pointer_bits(e.field(x, 0))}),
                        literal(e, ">")};
  return join_texts(e, pieces);
}

/// The class that a value is, if Python has it; null for other values.
const Const *known_class(const Type *type) {
  if (type->kind != Kind::Function)
    return nullptr;
  const Object &object = *type->constant->object;
  switch (object.kind) {
  case ObjectKind::Class:
  case ObjectKind::ExceptionClass:
  case ObjectKind::NamedTupleClass:
  case ObjectKind::EnumClass:
  case ObjectKind::DataClass:
  case ObjectKind::JitClass:
    return object.handle && !is_plain_class(object) ? type->constant : nullptr;
  default: return nullptr;
  }
}

Operand str_library(Emitter &e, const Operand &x, TextConversion how) {
  if (const Const *cls = known_class(x.type)) // <class 'numpy.ndarray'>
    return e.constant(e.engine.host.called("builtins.str", {cls}));
  if (Operand text; text_by_class(e, x, how, text))
    return text;
  if (x.type->kind == Kind::Struct || x.type->kind == Kind::Instance) {
    const Const *cls = x.type->constant;
    if (cls->is_object(ObjectKind::JitClass) || is_plain_class(*cls->object))
      return repr_by_address(e, x);
    if (cls->is_object(ObjectKind::DataClass)) // that of one that holds its own class is a call
      return is_named_instance(x.type) ? e.library("numjit.linked_repr", {x})
                                       : repr_dataclass(e, x);
  }
  for (std::string_view name : methods_of(how)) {
    const std::string method = std::string(kind_name(x.type)) + "." + std::string(name);
    if (e.engine.host.library(method))
      return e.library(method, {x});
  }
  if (how != TextConversion::Str)
    return str_library(e, x, TextConversion::Str);
  e.fail("No implementation of function str for (" + x.type->text + ")");
}

/// Members of an Enum are Color.red, or <Color.red: 1>; those of an IntEnum print as integers.
Operand str_enum(Emitter &e, const Operand &x, TextConversion how) {
  if (Operand text; text_by_class(e, x, how, text))
    return text;
  const bool as_repr = how != TextConversion::Str;
  if (x.type->unit && !as_repr)
    return text_of(e, e.unwrap(x), how);
  const std::string name = x.type->constant->object->short_name();
  Operands pieces{literal(e, (as_repr ? "<" : "") + name + "."), rule_getattr(e, x, "name")};
  if (as_repr) {
    pieces.push_back(literal(e, ": "));
    pieces.push_back(text_of(e, rule_getattr(e, x, "value"), TextConversion::Repr));
    pieces.push_back(literal(e, ">"));
  }
  return join_texts(e, pieces);
}

/// Classes and arguments of caught exceptions are known at run time only: the host makes the text.
Operand str_exception(Emitter &e, const Operand &x, TextConversion how) {
  if (x.type != types::caught_exception())
    return str_library(e, x, how);
  return new_string(e, RuntimeOp::ErrorText, {},
                    {e.field(x, 0), e.i64(how != TextConversion::Str)});
}

constexpr Operand (*kConversions[])(Emitter &, const Operand &, TextConversion) = {
#define NUMJIT_KIND(id, attributes, cls, fields, text, items, iteration, truth, join, equality,    \
                    str, ...)                                                                      \
  str_##str,
#include "typeinfer/types/kinds.def"
#undef NUMJIT_KIND
};

Operand text_of(Emitter &e, const Operand &x, TextConversion how) {
  const auto text = kConversions[static_cast<size_t>(x.type->kind)];
  const bool escapes = text == str_text || text == str_optional; // others may have texts inside
  const bool is_ascii = text == str_scalar || text == str_nothing || text == str_big_int;
  if (how != TextConversion::Ascii || escapes || is_ascii)
    return text(e, x, how);
  return e.library("numjit.escape_non_ascii", {e.unliteral(text(e, x, TextConversion::Repr))});
}

Operand formatted(Emitter &e, const Operand &given, const Operand &spec) {
  if (spec.type->kind == Kind::None ||
      (spec.type->kind == Kind::String && spec.type->constant->text.empty())) {
    if (plain_int(given)) // f"atleast_{2}d" is the name of a function
      return literal(e, std::to_string(given.constant->integer));
    // format() of NumPy's smaller numbers is that of Python's.
    Operand number = given;
    if (given.type->is_complex())
      number = e.cast(given, types::scalar(ScalarId::Complex128));
    else if (given.type->is_float())
      number = e.cast(given, types::float64());
    return text_of(e, number, TextConversion::Str);
  }
  Operand x = e.unwrap(given);
  if (!spec.type->is_text())
    e.fail("No implementation of function format for (" + x.type->text + ", " + spec.type->text +
           "): a format specification is a string");
  Operand how = e.unliteral(spec);
  auto number = [&](RuntimeOp op, const Type *type) {
    Operands arguments{e.cast(x, type)};
    pass_text(e, how, arguments);
    return text_in_block(e, types::unicode(), e.runtime(op, types::owner(), arguments));
  };
  if (x.type->is_text())
    return new_string(e, RuntimeOp::FormatStr, {e.unliteral(x), how});
  if (x.type->is_float())
    return number(RuntimeOp::FormatDouble, types::float64());
  if (x.type->is_unsigned())
    return number(RuntimeOp::FormatUInt, types::uint64());
  if (x.type->is_integer())
    return number(RuntimeOp::FormatInt, types::int64());
  if (x.type->is_bool()) // a word without a specification, else a number
    return e.choose(
        e.op(Operator::Eq, e.nonneg(e.field(how, 2)), e.i64(0)),
        [&] { return text_of(e, x, TextConversion::Str); },
        [&] { return number(RuntimeOp::FormatInt, types::int64()); });
  e.fail("No implementation of function format for (" + x.type->text + ", " + spec.type->text +
             "): unsupported format string passed to " + x.type->text,
         "format its parts, or make a string of it with str(...)");
}

// --- builtins and intrinsics ---

Operand str(Emitter &e, Operands &a) {
  return a[0] ? text_of(e, force(e, a[0]), TextConversion::Str) : literal(e, "");
}
Operand repr(Emitter &e, Operands &a) { return text_of(e, a[0], TextConversion::Repr); }
Operand ascii(Emitter &e, Operands &a) { return text_of(e, a[0], TextConversion::Ascii); }
Operand format(Emitter &e, Operands &a) { return formatted(e, a[0], a[1] ? a[1] : e.none()); }

/// numjit.format_value(x, conversion, spec): {x!r:spec} in an f-string.
Operand format_value_rule(Emitter &e, Operands &a) {
  return format_value(e, a[0], static_cast<TextConversion>(a[1].constant->integer), a[2]);
}

const Builtin kTextRows[] = {
    {"numjit.repr_of_fields", "x", repr_of_fields},
    {"builtins.str", "object?", str},
    {"builtins.repr", "obj", repr},
    {"builtins.ascii", "obj", ascii},
    {"builtins.format", "value format_spec?", format},
    {"numjit.class_text", "exception what",
     [](Emitter &e, Operands &a) {
       return new_string(e, RuntimeOp::ErrorText, {}, {e.field(a[0], 0), a[1]});
     }},
    {"numjit.format_value", "x conversion spec", format_value_rule},
};

} // namespace

BuiltinTable text_builtins() { return kTextRows; }

Operand format_value(Emitter &e, Operand x, TextConversion conversion, const Operand &spec) {
  if (conversion != TextConversion::None)
    x = text_of(e, x, conversion);
  return formatted(e, x, spec);
}

} // namespace numjit
