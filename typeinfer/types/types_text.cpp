// How types print. `text` is for users and follows Numba's wording; `precise` is for typed IR,
// where different rows look different (types that hold Python objects excepted: those print their
// names).
#include "typeinfer/types/function_values.h"
#include "typeinfer/types/type_rows.h"

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
         "d, " + letter + ")";
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

/// "Record(x[type=int32;offset=0],y[type=float64;offset=8];16;True)"
static std::string record_text(const Type &type, Part part) {
  std::string text;
  for (size_t i = 0; i < type.names.size(); ++i)
    text += (i ? "," : "") + type.names[i] + "[type=" + type.params[i]->*part +
            ";offset=" + std::to_string(type.numbers[i + 2]) + "]";
  return "Record(" + text + ";" + std::to_string(type.numbers[0]) + ";" +
         (type.numbers[1] ? "True" : "False") + ")";
}

static std::string nested_text(const Type &type, Part part) {
  std::string shape;
  for (int64_t n : type.numbers)
    shape += (shape.empty() ? "" : ", ") + std::to_string(n);
  return "nestedarray(" + type.params[0]->*part + ", (" + shape +
         (type.numbers.size() == 1 ? ",))" : "))");
}

/// "LiteralStrKey[Dict]({a: int64, b: unicode_type})"
static std::string literal_dict_text(const Type &type, Part part) {
  std::string text;
  for (size_t i = 0; i < type.names.size(); ++i)
    text += (i ? ", " : "") + type.names[i] + ": " + type.params[i]->*part;
  return "LiteralStrKey[Dict]({" + text + "})";
}

static std::string enum_text(const Type &type) {
  return std::string(type.unit ? "IntEnum" : "Enum") + "<int64>(" +
         last_name(object_name(type.constant)) + ")";
}

/// Slices by which of the three parts they have.
static std::string slice_text(const Type &type, Part part) {
  if (part == &Type::precise)
    return "slice<" + join(type.params, part) + ">";
  return type.params[2]->kind == Kind::None ? "slice<a:b>" : "slice<a:b:c>";
}

static std::string text_of(const Type &type, bool precise) {
  const Part part = precise ? &Type::precise : &Type::text;
  auto param = [&] { return type.params[0]->*part; };
  switch (type.kind) {
  case Kind::Scalar: return std::string(scalar_row(type.scalar).name);
  case Kind::None: return "none";
  case Kind::Ellipsis: return "...";
  case Kind::String: return "Literal[str](" + type.constant->text + ")";
  case Kind::Unicode: return "unicode_type";
  case Kind::Bytes:
    return type.readonly ? "readonly bytes(uint8, 1d, C)" : "bytearray(uint8, 1d, C)";
  case Kind::CharSeq:
    return (type.params[0]->bits() == 8 ? "[char x " : "[unichr x ") +
           std::to_string(type.constant->integer) + "]";
  case Kind::Optional: return "OptionalType(" + param() + ")";
  case Kind::Maybe: return precise ? "maybe(" + param() + ")" : param();
  case Kind::Tuple: {
    bool uniform = !type.params.empty() && type.is_homogeneous();
    return (uniform ? "UniTuple(" : "Tuple(") + items_text(type, part) + ")";
  }
  case Kind::LiteralList: return "LiteralList((" + items_text(type, part) + "))";
  case Kind::LiteralDict: return literal_dict_text(type, part);
  case Kind::NamedTuple:
    return last_name(object_name(type.constant)) + "(" + items_text(type, part) + ")";
  case Kind::Array: return array_text(type, precise);
  case Kind::Lazy:
    if (!precise)
      return array_text(type, false); // users need not know that it is not evaluated yet
    return "lazy#" + std::to_string(type.expression) + "(" + type.element->precise + ", " +
           std::to_string(type.ndim) + "d: " + join(type.params, part) + ")";
  case Kind::List:
    if (type.readonly)
      return "global list(" + param() + ")";
    return type.typed ? "ListType[" + param() + "]" : "reflected list(" + param() + ")";
  case Kind::Dict:
    return std::string(type.readonly ? "global " : "") + "DictType[" + param() + "," +
           type.params[1]->*part + "]";
  case Kind::Set:
    if (type.readonly)
      return "global set(" + param() + ")";
    return type.typed ? "SetType[" + param() + "]" : "reflected set(" + param() + ")";
  case Kind::DictView: return "dict_" + type.constant->text + "(" + param() + ")";
  case Kind::Range:
    return "range_state_" + param() +
           (!precise               ? ""
            : type.unit            ? "_unit"
            : type.numbers.empty() ? ""
                                   : "_usual");
  case Kind::Slice: return slice_text(type, part);
  case Kind::Iterator: {
    if (!precise)
      return "iter(" + param() + ")";
    return "iter(" + join(type.params, part) + ")";
  }
  case Kind::Function: return function_text(type.constant);
  case Kind::Method: return "BoundFunction(" + object_name(type.constant) + " for " + param() + ")";
  case Kind::Closure:
    return "Closure(" + object_name(type.constant) + ")" +
           (precise ? "(" + join(type.params, part) + ")" : "");
  case Kind::DType: return "dtype(" + param() + ")";
  case Kind::Module: return "Module(" + object_name(type.constant) + ")";
  case Kind::Exception:
    if (!type.constant)
      return "exception";
    return last_name(object_name(type.constant)) +
           (precise ? "(" + join(type.params, part) + ")" : "");
  case Kind::Generator: {
    std::vector<const Type *> arguments(type.params.begin() + 1, type.params.end());
    return param() + " generator(func=" + object_name(type.constant) + ", args=(" +
           join(arguments, part) + (arguments.size() == 1 ? ",)" : ")") + ", has_finalizer=True)";
  }
  case Kind::Choice: return "one of (" + join(type.params, part) + ")";
  case Kind::Pointer: return param() + "*";
  case Kind::Owner: return "owner";
  case Kind::Enumerate: return "enumerate(" + param() + ")";
  case Kind::Zip: return "zip(" + join(type.params, part) + ")";
  case Kind::Record: return record_text(type, part);
  case Kind::Nested: return nested_text(type, part);
  case Kind::Datetime:
  case Kind::Timedelta:
    return (type.kind == Kind::Datetime ? "datetime64[" : "timedelta64[") +
           std::string(time_unit_name(static_cast<int>(type.numbers[0]))) + "]";
  case Kind::Enum: return enum_text(type);
  case Kind::Struct:
    if (function_maker(&type)) // the class is named as the type is
      return last_name(object_name(type.constant));
    return last_name(object_name(type.constant)) + "(" + join(type.params, part) + ")";
  case Kind::Instance:
    return "instance." +
           (type.params.empty() ? last_name(object_name(type.constant)) : type.params[0]->*part);
  case Kind::Undefined: return "undefined";
  }
  return {};
}

void derive_text(Type &type) {
  type.text = text_of(type, false);
  type.precise = text_of(type, true);
}

} // namespace numjit
