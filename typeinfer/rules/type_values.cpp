#include "typeinfer/rules/type_values.h"

#include "runtime/runtime.h"
#include "typeinfer/infer/engine.h"
#include "typeinfer/rules/kind_rules.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace numjit {

namespace {

/// Kept for the life of the process, one row for each type.
Operand type_value(Emitter &e, const Type *type) {
  static std::mutex mutex;
  static auto *known = new std::map<const Type *, const Const *>;
  std::lock_guard lock(mutex);
  const Const *&constant = (*known)[type];
  if (!constant) {
    auto *row = new Object;
    row->kind = ObjectKind::Type;
    row->type = type;
    row->name = type->text;
    constant = constants::object(row);
  }
  return e.constant(constant);
}

bool is_type(const Operand &a) {
  return a.type->kind == Kind::Function && a.type->constant->is_object(ObjectKind::Type);
}

/// Whether an axis is written as "::1" rather than ":".
bool is_unit_axis(Emitter &e, const Operand &axis) {
  const bool plain = axis.type->kind == Kind::Slice && axis.type->params[0]->kind == Kind::None &&
                     axis.type->params[1]->kind == Kind::None;
  Operand step = plain ? slice_part(e, axis, 2) : Operand{};
  const bool unit = plain && step.constant && step.constant->kind == ConstKind::Int &&
                    step.constant->integer == 1;
  if (!plain || (step.type->kind != Kind::None && !unit))
    e.fail("Can only index numba types with slices with no start or stop, got " + axis.type->text,
           "write float64[:], float64[:, ::1]");
  return unit;
}

int64_t count_of(Emitter &e, const Operand &a) {
  if (!a.type->is_integer() || !a.constant || a.constant->integer < 0)
    e.fail("a number that is known at compile time is wanted here, not " + a.type->text);
  return a.constant->integer;
}

/// The arguments of a class of types, by position and name.
class TypeArguments {
public:
  TypeArguments(Emitter &e, const Object &cls, const CallArguments &given)
      : e_(e), cls_(cls), given_(given) {}

  Operand at(size_t i, std::string_view name) const {
    if (i < given_.positional.size())
      return given_.positional[i];
    for (const auto &[keyword, value] : given_.keywords)
      if (keyword == name)
        return value;
    e_.fail(cls_.short_name() + "() misses argument '" + std::string(name) + "'");
  }
  const Type *type(size_t i, std::string_view name) const { return named_type(e_, at(i, name)); }

private:
  Emitter &e_;
  const Object &cls_;
  const CallArguments &given_;
};

const Type *array_type(Emitter &e, const TypeArguments &arguments) {
  Operand layout = arguments.at(2, "layout");
  const std::string text = layout.type->kind == Kind::String ? layout.type->constant->text : "";
  if (text != "C" && text != "F" && text != "A")
    e.fail("the layout of an array type is 'C', 'F' or 'A'");
  return types::array(arguments.type(0, "dtype"),
                      static_cast<int>(count_of(e, arguments.at(1, "ndim"))),
                      text == "C"   ? Layout::C
                      : text == "F" ? Layout::F
                                    : Layout::A);
}

const Type *tuple_type(Emitter &e, const Operand &items) {
  if (!items.type->is_tuple())
    e.fail("Tuple() takes a tuple of types, not " + items.type->text);
  std::vector<const Type *> params;
  for (size_t i = 0; i < items.type->params.size(); ++i)
    params.push_back(named_type(e, e.field(items, static_cast<int>(i))));
  return types::tuple(std::move(params));
}

} // namespace

const Type *named_type(Emitter &e, const Operand &a) {
  if (is_type(a))
    return static_cast<const Type *>(a.type->constant->object->type);
  if (const Type *scalar = scalar_of_dtype(a))
    return scalar;
  // List.empty_list(Dict.empty(...)), as under Numba.
  if (a.type->kind == Kind::Dict || a.type->typed)
    return a.type;
  e.fail("a type is wanted here, not " + a.type->text);
}

/// A type with axes, as float64[:, ::1].
static Operand type_getitem(Emitter &e, const Operand &of, const Operand &index) {
  std::vector<bool> unit;
  if (!index.type->is_tuple())
    unit.push_back(is_unit_axis(e, index));
  else
    for (size_t i = 0; i < index.type->params.size(); ++i)
      unit.push_back(is_unit_axis(e, e.field(index, static_cast<int>(i))));
  const Layout layout = unit.empty()   ? Layout::C
                        : unit.back()  ? Layout::C
                        : unit.front() ? Layout::F
                                       : Layout::A;
  return type_value(e, types::array(named_type(e, of), static_cast<int>(unit.size()), layout));
}

Operand items_function(Emitter &e, const Operand &object, const Operand &index) {
  if (is_type(object))
    return type_getitem(e, object, index);
  const Const *constant = object.type->constant;
  if (constant->is_object(ObjectKind::EnumClass))
    return enum_member_named(e, constant, index);
  const std::string method = constant->object->name + ".__getitem__"; // np.mgrid and the like
  if (e.engine.host.library(method))
    return e.library(method, {index});
  return items_none(e, object, index);
}

/// The members of an enumeration.
static Operand iter_function(Emitter &e, const Operand &object) {
  if (object.type->constant->is_object(ObjectKind::EnumClass))
    return rule_iter(e, enum_members(e, object.type->constant));
  return iterate_none.iter(e, object);
}
constinit const IterationRules iterate_function{iter_function, no_next, no_later};

Operand call_type_class(Emitter &e, const Object &cls, const CallArguments &given) {
  constexpr std::string_view module = "numjit.types.";
  if (!cls.name.starts_with(module))
    return {};
  const std::string_view name = std::string_view(cls.name).substr(module.size());
  const TypeArguments arguments(e, cls, given);
  const Type *type = nullptr;
  if (name == "Array")
    type = array_type(e, arguments);
  else if (name == "Tuple" || name == "BaseTuple")
    type = tuple_type(e, arguments.at(0, "types"));
  else if (name == "UniTuple")
    type = types::uniform_tuple(arguments.type(0, "dtype"),
                                static_cast<int>(count_of(e, arguments.at(1, "count"))));
  else if (name == "ListType" || name == "List")
    type = types::list(arguments.type(0, "dtype"), name == "ListType");
  else if (name == "SetType" || name == "Set")
    type = types::set(arguments.type(0, "dtype"), name == "SetType");
  else if (name == "DictType")
    type = types::dict(arguments.type(0, "keyty"), arguments.type(1, "valty"));
  else if (name == "Optional")
    type = types::optional(arguments.type(0, "type"));
  return type ? type_value(e, type) : Operand{};
}

/// What NumPy means by the text of a dtype: names, "f8", "<f8", letters such as "d".
static const Type *dtype_named(std::string_view text) {
  if (text.starts_with('<') || text.starts_with('=') || text.starts_with('|'))
    text.remove_prefix(1);
  static constexpr std::string_view aliases[][2] = {
      {"q", "int64"},   {"p", "int64"},       {"Q", "uint64"},
      {"P", "uint64"},  {"float", "float64"}, {"complex", "complex128"},
      {"int", "int64"}, {"long", "int64"},    {"ulong", "uint64"}};
  for (const auto &[alias, name] : aliases)
    if (text == alias)
      return types::scalar_named(name);
  if (text.size() == 1)
    for (int i = 0; i < kScalarCount; ++i)
      if (const ScalarRow &row = scalar_row(static_cast<ScalarId>(i)); row.numpy_char == text[0])
        return row.id == ScalarId::BFloat16 ? nullptr : types::scalar(row.id);
  return types::item_named(text);
}

const Type *item_of_dtype(const Operand &a) {
  const Type *type = a.type;
  if (type->kind == Kind::DType)
    return type->params[0];
  if (type->kind == Kind::String)
    return dtype_named(type->constant->text);
  if (type->kind == Kind::Function && type->constant->is_object(ObjectKind::Type)) {
    const Type *named = static_cast<const Type *>(type->constant->object->type);
    return named->is_item() ? named : nullptr;
  }
  return scalar_of_dtype(a);
}

/// That of objects is their class: no array has it, and programs compare with it.
static bool means_objects(const Type *type) {
  const std::string_view name = type->kind == Kind::String     ? type->constant->text
                                : type->kind == Kind::Function ? type->constant->object->name
                                                               : std::string_view();
  return name == "O" || name == "object" || name == "builtins.object" || name == "numpy.object_";
}

/// A value that is known now, as Python has it; null for others.
static const Const *constant_of(Emitter &e, const Operand &a) {
  if (a.constant)
    return a.constant;
  switch (a.type->kind) {
  case Kind::String:
  case Kind::Function: return a.type->constant;
  case Kind::DType: return constants::string(a.type->params[0]->text);
  default: break;
  }
  if (!a.type->is_tuple())
    return nullptr;
  std::vector<const Const *> items;
  for (size_t i = 0; i < a.type->params.size(); ++i) {
    items.push_back(constant_of(e, e.field(a, static_cast<int>(i))));
    if (!items.back())
      return nullptr;
  }
  return constants::tuple(std::move(items));
}

const Type *item_of_dtype(Emitter &e, const Operand &a) {
  if (a.type->kind == Kind::Function && a.type->constant->is_object(ObjectKind::Class))
    if (const std::string &name = a.type->constant->object->name; name.starts_with("numpy.dtypes."))
      return item_of_dtype(e.constant(e.engine.host.called(name, {})));
  const bool is_text = a.type->kind == Kind::String;
  const Type *item = item_of_dtype(a);
  if (item || !(is_text || a.type->is_tuple()) ||
      (is_text && a.type->constant->text.find(',') == std::string::npos))
    return item;
  const Const *fields = constant_of(e, a);
  const Const *made =
      fields ? e.engine.host.called("numjit.special.structured", {fields}) : nullptr;
  return made ? item_of_dtype(e.constant(made)) : nullptr;
}

Operand dtype_value(Emitter &e, Operands &a) {
  if (const Type *item = item_of_dtype(e, a[0]))
    return e.unit(types::dtype(item));
  if (const Const *cls =
          means_objects(a[0].type) ? e.engine.host.class_named("builtins.object") : nullptr)
    return e.constant(cls);
  if (a[0].type->kind == Kind::None) // NumPy's default
    return e.unit(types::dtype(types::float64()));
  e.fail("np.dtype() of " + a[0].type->text);
}

/// The scalar type that a dtype argument means: np.float64, float, "f8", a.dtype, numjit.float64.
const Type *scalar_of_dtype(const Operand &a) {
  const Type *type = a.type;
  if (type->kind == Kind::DType)
    return type->params[0]->is_scalar() ? type->params[0] : nullptr;
  if (type->kind == Kind::String) {
    const Type *named = dtype_named(type->constant->text);
    return named && named->is_scalar() ? named : nullptr;
  }
  if (type->kind != Kind::Function)
    return nullptr;
  const Object &object = *type->constant->object;
  if (object.kind == ObjectKind::Type) {
    const Type *named = static_cast<const Type *>(object.type);
    return named->is_scalar() ? named : nullptr;
  }
  std::string_view name = object.name;
  if (name == "builtins.int")
    return types::int64();
  if (name == "builtins.float")
    return types::float64();
  if (name == "builtins.complex")
    return types::scalar(ScalarId::Complex128);
  if (name == "builtins.bool")
    return types::boolean();
  return name.starts_with("numpy.") ? types::scalar_named(name.substr(6)) : nullptr;
}

} // namespace numjit
