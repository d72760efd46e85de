// How types print. `text` is for users and follows Numba's wording; `precise` is for typed IR,
// where different rows look different (types that hold Python objects excepted: those print their
// names).
#include "typeinfer/types/function_values.h"
#include "typeinfer/types/ranges.h"
#include "typeinfer/types/struct_classes.h"
#include "typeinfer/types/type_rows.h"
#include "typeinfer/types/types.h"
#include "typeinfer/types/units.h"

namespace numjit {

using Part = std::string Type::*;

static std::string join(const std::vector<const Type *> &types, Part part) {
  std::string text;
  for (const Type *type : types) {
    if (!text.empty())
      text += ", ";
    text += type->*part;
  }
  return text;
}

/// "numpy.random.rand" without its module.
static std::string last_name(const std::string &qualified) {
  return qualified.substr(qualified.rfind('.') + 1);
}

static std::string object_name(const Const *constant) {
  return constant->kind == ConstKind::Object ? constant->object->name : to_string(*constant);
}

static std::string array_text(const Type &type, bool precise) {
  static constexpr char letters[] = {'C', 'F', 'A', 'I'};
  char letter = letters[static_cast<size_t>(type.layout)];
  if (letter == 'I' && !precise)
    letter = 'A';
  // Numba calls arrays of packed records unaligned, wherever they lie.
  const bool packed = type.dtype()->kind == Kind::Record && !type.dtype()->numbers[1];
  return std::string(type.unaligned || packed ? "unaligned " : "") +
         (type.readonly ? "readonly " : "") + "array(" +
         (precise ? type.dtype()->precise : type.dtype()->text) + ", " + std::to_string(type.ndim) +
         "d, " + letter +
         (precise && types::units_of(&type) >= 0
              ? ", units " + std::to_string(types::units_of(&type))
              : "") +
         ")";
}

/// Numba prints items of one type as "int64 x 3", others as a list.
static std::string items_text(const Type &type, Part part) {
  if (type.params.empty() || !type.is_homogeneous())
    return join(type.params, part);
  return type.params[0]->*part + " x " + std::to_string(type.params.size());
}

static std::string function_text(const Const *constant) {
  if (constant->is_object(ObjectKind::Type))
    return "class(" + static_cast<const Type *>(constant->object->type)->text + ")";
  if (constant->is_object(ObjectKind::Class) || constant->is_object(ObjectKind::NamedTupleClass)) {
    const Type *scalar = types::scalar_named(last_name(constant->object->name));
    if (scalar && constant->object->name.starts_with("numpy."))
      return "class(" + scalar->text + ")";
    return "class(" + last_name(constant->object->name) + ")";
  }
  return "Function(" + object_name(constant) + ")";
}

namespace {

std::string param(const Type &type, Part part) { return type.params[0]->*part; }
std::string of_param(const char *name, const Type &type, Part part) {
  return name + ("(" + param(type, part) + ")");
}
/// "reflected list(int64)", "ListType[int64]", "global list(int64)"
std::string container_text(const std::string &name, const char *typed, const Type &type,
                           Part part) {
  if (type.typed)
    return typed + ("[" + param(type, part) + "]");
  return (type.readonly ? "global " : "reflected ") + name + "(" + param(type, part) + ")";
}
/// The parameters of what users know by its name alone.
std::string hidden_params(const Type &type, Part part) {
  return part == &Type::precise ? "(" + join(type.params, part) + ")" : "";
}

std::string text_scalar(const Type &type, Part) {
  return std::string(scalar_row(type.scalar).name);
}
std::string text_none(const Type &, Part) { return "none"; }
std::string text_ellipsis(const Type &, Part) { return "..."; }
std::string text_string(const Type &type, Part) {
  return "Literal[str](" + type.constant->text + ")";
}
std::string text_big_int(const Type &type, Part) {
  return "Literal[int](" + type.constant->text + ")";
}
std::string text_unicode(const Type &, Part) { return "unicode_type"; }
std::string text_bytes(const Type &type, Part) {
  return type.readonly ? "readonly bytes(uint8, 1d, C)" : "bytearray(uint8, 1d, C)";
}
std::string text_char_seq(const Type &type, Part) {
  return (type.params[0]->bits() == 8 ? "[char x " : "[unichr x ") +
         std::to_string(type.constant->integer) + "]";
}
std::string text_optional(const Type &type, Part part) {
  return of_param("OptionalType", type, part);
}
std::string text_maybe(const Type &type, Part part) {
  return part == &Type::precise ? of_param("maybe", type, part) : param(type, part);
}
std::string text_tuple(const Type &type, Part part) {
  const bool uniform = !type.params.empty() && type.is_homogeneous();
  return (uniform ? "UniTuple(" : "Tuple(") + items_text(type, part) + ")";
}
std::string text_named_tuple(const Type &type, Part part) {
  return last_name(object_name(type.constant)) + "(" + items_text(type, part) + ")";
}
std::string text_literal_list(const Type &type, Part part) {
  return "LiteralList((" + items_text(type, part) + "))";
}
/// "LiteralStrKey[Dict]({a: int64, b: unicode_type})"
std::string text_literal_dict(const Type &type, Part part) {
  std::string text;
  for (size_t i = 0; i < type.names.size(); ++i)
    text += (i ? ", " : "") + type.names[i] + ": " + type.params[i]->*part;
  return "LiteralStrKey[Dict]({" + text + "})";
}
std::string text_array(const Type &type, Part part) {
  return array_text(type, part == &Type::precise);
}
std::string text_lazy(const Type &type, Part part) {
  if (part == &Type::text)
    return array_text(type, false); // users need not know that it is not evaluated yet
  return "lazy#" + std::to_string(type.expression) + "(" + type.element->precise + ", " +
         std::to_string(type.ndim) + "d: " + join(type.params, part) + ")";
}
std::string text_list(const Type &type, Part part) {
  return container_text("list", "ListType", type, part);
}
std::string text_set(const Type &type, Part part) {
  return container_text("set", "SetType", type, part);
}
std::string text_frozen_set(const Type &type, Part part) {
  return of_param("frozenset", type, part);
}
std::string text_dict(const Type &type, Part part) {
  return std::string(type.readonly ? "global " : "") + "DictType[" + param(type, part) + "," +
         type.params[1]->*part + "]";
}
std::string text_dict_view(const Type &type, Part part) {
  return "dict_" + of_param(type.constant->text.c_str(), type, part);
}
std::string text_range(const Type &type, Part part) {
  std::string state = "range_state_" + param(type, part);
  if (part == &Type::text)
    return state;
  constexpr const char *strides[] = {"", "_usual", "_unit"};
  return state + strides[static_cast<size_t>(types::stride_of(&type))] +
         (types::is_beyond(&type) ? "_beyond" : "");
}
/// Slices by which of the three parts they have.
std::string text_slice(const Type &type, Part part) {
  if (part == &Type::precise)
    return "slice<" + join(type.params, part) + ">";
  return type.params[2]->kind == Kind::None ? "slice<a:b>" : "slice<a:b:c>";
}
std::string text_iterator(const Type &type, Part part) {
  return part == &Type::precise ? "iter(" + join(type.params, part) + ")"
                                : of_param("iter", type, part);
}
std::string text_function(const Type &type, Part) { return function_text(type.constant); }
std::string text_method(const Type &type, Part part) {
  return "BoundFunction(" + object_name(type.constant) + " for " + param(type, part) + ")";
}
std::string text_closure(const Type &type, Part part) {
  return "Closure(" + object_name(type.constant) + ")" + hidden_params(type, part);
}
std::string text_dtype(const Type &type, Part part) { return of_param("dtype", type, part); }
std::string text_module(const Type &type, Part) {
  return "Module(" + object_name(type.constant) + ")";
}
std::string text_exception(const Type &type, Part part) {
  return type.constant ? last_name(object_name(type.constant)) + hidden_params(type, part)
                       : "exception";
}
std::string text_generator(const Type &type, Part part) {
  std::vector<const Type *> arguments(type.params.begin() + types::kGeneratorParts,
                                      type.params.end());
  return param(type, part) + " generator(func=" + object_name(type.constant) + ", args=(" +
         join(arguments, part) + (arguments.size() == 1 ? ",)" : ")") + ", has_finalizer=True)" +
         hidden_params(type, part);
}
std::string text_choice(const Type &type, Part part) {
  return "one of (" + join(type.params, part) + ")";
}
std::string text_pointer(const Type &type, Part part) { return param(type, part) + "*"; }
std::string text_owner(const Type &, Part) { return "owner"; }
std::string text_enumerate(const Type &type, Part part) {
  return of_param("enumerate", type, part);
}
std::string text_zip(const Type &type, Part part) { return "zip(" + join(type.params, part) + ")"; }
/// "Record(x[type=int32;offset=0],y[type=float64;offset=8];16;True)"
std::string text_record(const Type &type, Part part) {
  std::string text;
  for (size_t i = 0; i < type.names.size(); ++i)
    text += (i ? "," : "") + type.names[i] + "[type=" + type.params[i]->*part +
            ";offset=" + std::to_string(type.numbers[i + 2]) + "]";
  return "Record(" + text + ";" + std::to_string(type.numbers[0]) + ";" +
         (type.numbers[1] ? "True" : "False") + ")";
}
std::string text_nested(const Type &type, Part part) {
  std::string shape;
  for (int64_t n : type.numbers)
    shape += (shape.empty() ? "" : ", ") + std::to_string(n);
  return "nestedarray(" + param(type, part) + ", (" + shape +
         (type.numbers.size() == 1 ? ",))" : "))");
}
std::string text_time(const Type &type, Part) {
  return (type.kind == Kind::Datetime ? "datetime64[" : "timedelta64[") +
         std::string(time_unit_name(static_cast<int>(type.numbers[0]))) + "]";
}
std::string text_enum(const Type &type, Part) {
  return std::string(type.unit ? "IntEnum" : "Enum") + "<int64>(" +
         last_name(object_name(type.constant)) + ")";
}
std::string text_struct(const Type &type, Part part) {
  if (function_maker(&type)) // the class is named as the type is
    return last_name(object_name(type.constant));
  if (part == &Type::text && is_run_time_tuple(&type) && type.params[0]->kind == Kind::List)
    return "UniTuple(" + type.params[0]->params[0]->text + " x n)";
  const std::string name = object_name(type.constant);
  const size_t names = name.rfind(".<"); // of the fields of a plain class
  if (part == &Type::precise || names == std::string::npos)
    return last_name(name) + "(" + join(type.params, part) + ")";
  std::string fields;
  for (size_t i = 0; i < type.params.size(); ++i)
    fields += (i ? ", " : "") + type.names[i] + ": " + type.params[i]->*part;
  return last_name(name.substr(0, names)) + "(" + fields + ")";
}
std::string text_instance(const Type &type, Part part) {
  if (!type.params.empty())
    return "instance." + param(type, part);
  const std::string name = object_name(type.constant);
  if (!type.element)
    return "instance." + last_name(name);
  const std::string of_class = "instance." + last_name(name.substr(0, name.rfind(".<")));
  return part == &Type::precise ? of_class + "{" + type.element->precise + "}" : of_class;
}
std::string text_undefined(const Type &, Part) { return "undefined"; }

/// How types print, by kind.
constexpr std::string (*kTypeTexts[])(const Type &, Part) = {
#define NUMJIT_KIND(id, attributes, cls, fields, text, ...) text_##text,
#include "typeinfer/types/kinds.def"
#undef NUMJIT_KIND
};

} // namespace

void derive_text(Type &type) {
  const auto text_of = kTypeTexts[static_cast<size_t>(type.kind)];
  type.text = text_of(type, &Type::text);
  type.precise = text_of(type, &Type::precise);
}

} // namespace numjit
