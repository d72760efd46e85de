// Attributes of dtypes, which are known while a program is compiled.
#include "typeinfer/infer/engine.h"
#include "typeinfer/rules/kind_rules.h"
#include "typeinfer/rules/strings.h"

namespace numjit {

namespace {

// --- NumPy's letter for the kind of a dtype: the column `element` of kinds.def ---

char letter_scalar(const Type *item) { return "biufc"[static_cast<int>(item->cls())]; }
char letter_time(const Type *item) { return item->kind == Kind::Datetime ? 'M' : 'm'; }
char letter_char_seq(const Type *item) { return item->params[0]->is(ScalarId::UInt32) ? 'U' : 'S'; }
char letter_record(const Type *) { return 'V'; }
constexpr auto letter_nested = letter_record;
char letter_none(const Type *type) {
  throw CompileError("TypingError", "an array of " + type->text + " has no dtype of NumPy", {}, "");
}

constexpr char (*kLetters[])(const Type *) = {
#define NUMJIT_KIND(id, attributes, cls, fields, text, items, iteration, truth, join, equality,    \
                    str, element, ...)                                                             \
  letter_##element,
#include "typeinfer/types/kinds.def"
#undef NUMJIT_KIND
};

const Type *item_of(const Operand &dtype) { return dtype.type->params[0]; }

char kind_of_items(const Type *item) { return kLetters[static_cast<size_t>(item->kind)](item); }

/// a.dtype.type: NumPy's class; the dtype itself where NumPy has none, as for bfloat16.
Operand numpy_class(Emitter &e, const Operand &dtype) {
  const Type *item = item_of(dtype);
  const Const *cls = item->is_scalar() ? e.engine.host.class_named("numpy." + item->text) : nullptr;
  return cls ? e.constant(cls) : dtype;
}

/// type(x).__name__: of Python's class where it has one for such numbers.
Operand name_of_class(Emitter &e, const Operand &dtype) {
  const Const *cls = class_of(e, item_of(dtype));
  if (!cls)
    e.fail("Unknown attribute '__name__' of type " + dtype.type->text);
  return literal(e, cls->object->short_name());
}

/// The name: "float64", "datetime64[s]"; for texts and records that of their class and their bits.
Operand name(Emitter &e, const Operand &dtype) {
  const Type *item = item_of(dtype);
  const char kind = kind_of_items(item);
  const char *cls = kind == 'U' ? "str" : kind == 'S' ? "bytes" : kind == 'V' ? "void" : nullptr;
  return literal(e, cls ? cls + std::to_string(8 * item_size(item)) : item->text);
}

/// Whether the bytes of items have an order.
bool has_order(const Type *item) {
  const char kind = kind_of_items(item);
  return kind != 'S' && kind != 'V' && item_size(item) > 1;
}

/// Byte order, kind and size: "<f8", "|u1", "<U5", "<M8[s]".
Operand code(Emitter &e, const Operand &dtype) {
  const Type *item = item_of(dtype);
  const char kind = kind_of_items(item);
  const int64_t size = item_size(item);
  std::string text = (has_order(item) ? "<" : "|") + std::string(1, kind) +
                     std::to_string(kind == 'U' ? size / int64_t{sizeof(char32_t)} : size);
  if (item->is_time())
    text += item->text.substr(std::min(item->text.size(), item->text.find('[')));
  return literal(e, text);
}

Operand letter(Emitter &e, const Operand &dtype) {
  const Type *item = item_of(dtype);
  const char letter = item->is_scalar() ? scalar_row(item->scalar).numpy_char : kind_of_items(item);
  return literal(e, std::string(1, letter));
}

Operand names_of_fields(Emitter &e, const Operand &dtype) {
  Operands names;
  for (const std::string &name : item_of(dtype)->names)
    names.push_back(literal(e, name));
  return item_of(dtype)->kind == Kind::Record ? e.tuple(names) : e.none();
}

/// What "fields", "subdtype" and the like are of numbers.
Operand nothing(Emitter &e, const Operand &dtype) {
  if (!item_of(dtype)->is_scalar())
    e.fail("Unknown attribute of type " + dtype.type->text);
  return e.none();
}

Operand order_of_bytes(Emitter &e, const Operand &dtype) {
  return literal(e, has_order(item_of(dtype)) ? "=" : "|");
}

template <bool value>
Operand constant_bool(Emitter &e, const Operand &) {
  return e.boolean(value);
}

const BuiltinAttribute kDtypeAttributes[] = {
    {"DType", "byteorder", order_of_bytes},
    {"DType", "isnative", constant_bool<true>},
    {"DType", "hasobject", constant_bool<false>},
    {"DType", "fields", nothing},
    {"DType", "subdtype", nothing},
    {"DType", "metadata", [](Emitter &e, const Operand &) { return e.none(); }},
    {"DType", "base", [](Emitter &, const Operand &dtype) { return dtype; }},
    {"DType", "shape", [](Emitter &e, const Operand &) { return e.tuple({}); }},
    {"DType", "ndim", [](Emitter &e, const Operand &) { return e.i64(0); }},
    {"DType", "type", numpy_class},
    {"DType", "__name__", name_of_class},
    {"DType", "__qualname__", name_of_class},
    {"DType", "name", name},
    {"DType", "str", code},
    {"DType", "char", letter},
    {"DType", "itemsize",
     [](Emitter &e, const Operand &dtype) { return e.i64(item_size(item_of(dtype))); }},
    {"DType", "kind",
     [](Emitter &e, const Operand &dtype) {
       return literal(e, std::string(1, kind_of_items(item_of(dtype))));
     }},
    {"DType", "names", names_of_fields},
};

} // namespace

AttributeTable dtype_attributes() { return kDtypeAttributes; }

} // namespace numjit
