// The types of objects by their classes (typeof.h). Types of containers ask for those of their
// items.
#include "pyext/convert/classes.h"
#include "pyext/convert/fast_long.h"
#include "pyext/convert/fingerprint.h"
#include "pyext/convert/intake.h"
#include "pyext/convert/item_rules.h"
#include "pyext/convert/items.h"
#include "pyext/convert/nesting.h"
#include "pyext/convert/typed_containers.h"
#include "pyext/convert/typeof.h"
#include "pyext/convert/values.h"
#include "pyext/read/dispatchers.h"
#include "pyext/read/objects.h"
#include "pyext/read/scalar_codes.h"
#include "typeinfer/infer.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace numjit {

namespace {

TypeOf no_type(std::string why) { return {nullptr, std::move(why)}; }

/// What to pass instead of an object that has no type; empty if unknown.
std::string instead_of(PyObject *object) {
  if (Ref(attribute_or_null(object, "to_numpy")))
    return "pass the array that to_numpy() returns";
  const std::string module =
      text_attribute(reinterpret_cast<PyObject *>(Py_TYPE(object)), "__module__");
  if (module == "datetime")
    return "pass a numpy.datetime64 or numpy.timedelta64";
  if (PyArray_IsScalar(object, Datetime) || PyArray_IsScalar(object, Timedelta))
    return "convert it to a plain unit, as x.astype('datetime64[ms]') does";
  if (module == "decimal" || module == "fractions" ||
      std::strncmp(Py_TYPE(object)->tp_name, "numpy.", 6) == 0)
    return PyNumber_Check(object) ? "pass float() of it" : "";
  if (PyIter_Check(object) || (Py_TYPE(object)->tp_as_sequence && module == "collections"))
    return Ref(attribute_or_null(object, "read")) ? "read it first, and pass its content"
                                                  : "pass a list of its items";
  return "";
}

TypeOf undetermined(PyObject *object) {
  Ref cls(PyObject_Repr(reinterpret_cast<PyObject *>(Py_TYPE(object))));
  const std::string instead = instead_of(object);
  return no_type("cannot determine Numba type of " + text_of(cls.get()) +
                 (instead.empty() ? "" : ": " + instead));
}

TypeOf type_of_plain_array(PyObject *object) {
  auto *array = reinterpret_cast<PyArrayObject *>(object);
  const Type *dtype = item_of_descr(PyArray_DESCR(array));
  const bool swapped = !PyArray_ISNBO(PyArray_DESCR(array)->byteorder);
  if (swapped || !dtype) {
    const Ref name(PyObject_Str(reinterpret_cast<PyObject *>(PyArray_DESCR(array))));
    return no_type(
        "cannot determine Numba type of an array. Unsupported array dtype: " + text_of(name.get()) +
        (swapped ? ", of foreign byte order; convert it with a.astype(a.dtype.newbyteorder('='))"
                 : ""));
  }
  Layout layout = PyArray_IS_C_CONTIGUOUS(array)   ? Layout::C
                  : PyArray_IS_F_CONTIGUOUS(array) ? Layout::F
                                                   : Layout::A;
  return {types::array(dtype, PyArray_NDIM(array), layout, !PyArray_ISWRITEABLE(array),
                       !PyArray_ISALIGNED(array))};
}

/// The names of the keyword arguments that fold_arguments made a tuple of.
std::optional<std::vector<std::string>> keyword_names(PyObject *object) {
  auto *cls = reinterpret_cast<PyObject *>(Py_TYPE(object));
  if (PyTuple_CheckExact(object) || !attribute_or_null(cls, "_numjit_keywords_"))
    return {};
  std::vector<std::string> names;
  const Ref fields = attribute_or_null(cls, "_fields");
  names.reserve(PyTuple_GET_SIZE(fields.get()));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(fields.get()); ++i)
    names.push_back(text_of(PyTuple_GET_ITEM(fields.get(), i)));
  return names;
}

} // namespace

TypeOf type_of_tuple(PyObject *object) {
  const Nesting nesting("finding the type of a tuple");
  if (nesting.is_too_deep()) {
    PyErr_Clear();
    return {nullptr, "cannot determine Numba type of a tuple that is nested so deep"};
  }
  std::vector<const Type *> items;
  bool mixed = false;
  TypeOf made;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) {
    TypeOf item = type_of(PyTuple_GET_ITEM(object, i));
    if (!item.type && !item.empty)
      return item;
    if (item.empty)
      made = item; // the error, unless the caller knows what to make of it
    mixed = mixed || item.mixed;
    items.push_back(item.type ? item.type : item.empty);
  }
  made.mixed = mixed;
  const Type *whole;
  if (const auto names = keyword_names(object))
    whole = types::literal_dict(*names, std::move(items));
  else if (is_named_tuple(object))
    whole = types::named_tuple(const_of(reinterpret_cast<PyObject *>(Py_TYPE(object))),
                               std::move(items));
  else // of other subclasses only the items come in
    whole = types::tuple(std::move(items));
  (made.empty ? made.empty : made.type) = whole;
  return made;
}

namespace {

TypeOf empty_container(const std::string &container, const Type *type) {
  TypeOf wrong;
  wrong.empty = type;
  wrong.error = "cannot compute fingerprint of empty " + container +
                ": its items have no type; pass a numjit.typed container or an array";
  wrong.error_class = "NumbaValueError";
  return wrong;
}

/// The type of a list, set or frozenset whose items are in a Python list.
TypeOf type_of_copied(PyObject *items, const char *container) {
  auto of = [&](const Type *item) {
    return *container == 's'   ? types::set(item)
           : *container == 'f' ? types::frozen_set(item)
                               : types::list(item);
  };
  if (PyList_GET_SIZE(items) == 0)
    return empty_container(container, of(types::undefined()));
  const Nesting nesting("finding the type of a list");
  if (nesting.is_too_deep()) {
    PyErr_Clear();
    return no_type("cannot determine Numba type of a list that holds itself");
  }
  TypeOf all = type_of_items(items, container);
  if (all.empty)
    all.empty = of(all.empty);
  if (!all.type)
    return all;
  if (layout_of(all.type).leaves.empty())
    return no_type("cannot determine Numba type of a " + std::string(container) + " of " +
                   all.type->text);
  all.type = of(all.type);
  return all;
}

/// What library/core/tables.py can hash and compare: fractions.Fraction, too.
bool is_key(const Type *type) {
  const bool is_value = type->kind == Kind::Struct && type->constant->is_object(ObjectKind::Class);
  if (type->is_tuple() || is_value)
    return std::all_of(type->params.begin(), type->params.end(), is_key);
  return type->is_scalar() || type->is_time() || type->kind == Kind::Unicode ||
         type->kind == Kind::Enum || (type->kind == Kind::FrozenSet && is_key(type->params[0])) ||
         (type->kind == Kind::Bytes && type->readonly);
}

/// A dict from names to values that have no common type, such as the settings of a program: the
/// names are part of its type. No type: it is none, or some value has none.
const Type *type_of_settings(PyObject *keys, PyObject *values) {
  constexpr Py_ssize_t kMost = 100; // each is compiled for itself
  if (PyList_GET_SIZE(keys) > kMost)
    return nullptr;
  std::vector<std::string> names;
  std::vector<const Type *> types;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(keys); ++i) {
    PyObject *key = PyList_GET_ITEM(keys, i);
    const Type *type =
        PyUnicode_CheckExact(key) ? type_of(PyList_GET_ITEM(values, i)).type : nullptr;
    if (!type)
      return nullptr;
    names.push_back(text_of(key));
    types.push_back(type);
  }
  return types::literal_dict(std::move(names), std::move(types));
}

} // namespace

TypeOf type_of_dict(PyObject *object) {
  Ref keys(PyMapping_Keys(object)), values(keys ? PyMapping_Values(object) : nullptr);
  if (!values)
    return PyErr_Clear(), undetermined(object);
  TypeOf of = type_of_dict_of(keys.get(), values.get());
  const bool nested = of.type && holds_settings(of.type);
  if ((nested || (!of.type && !of.empty)) && PyDict_CheckExact(object)) {
    if (const Type *settings = type_of_settings(keys.get(), values.get()))
      of = {settings};
    else if (nested)
      of = no_type("cannot determine Numba type of a dict of dicts of several types: the keys of "
                   "such dicts are strings");
  }
  of.mixed = of.mixed || (of.type && of.type->kind == Kind::LiteralDict);
  // The words of a call know the first item in memory, of which these may have another order.
  of.mixed = of.mixed || PyODict_Check(object);
  return of;
}

TypeOf type_of_set(PyObject *object) {
  Ref items(PySequence_List(object));
  return items ? type_of_copied(items.get(), "set") : (PyErr_Clear(), undetermined(object));
}

TypeOf type_of_frozen_set(PyObject *object) {
  Ref items(PySequence_List(object));
  return items ? type_of_copied(items.get(), "frozenset") : (PyErr_Clear(), undetermined(object));
}

/// A list whose items have no common type, such as arrays of several dtypes: how many there are and
/// what type each has is its type, as if it were a tuple. Null: some have no type, or there are
/// many.
static const Type *type_of_mixed_list(PyObject *list) {
  constexpr Py_ssize_t kMost = 64; // each is compiled for itself
  Ref items(PyList_GET_SIZE(list) <= kMost ? PyList_AsTuple(list) : nullptr);
  const Type *tuple = items ? type_of_tuple(items.get()).type : nullptr;
  PyErr_Clear();
  return tuple && tuple->kind == Kind::Tuple ? types::literal_list(tuple->params) : nullptr;
}

TypeOf type_of_list(PyObject *object) {
  TypeOf of = type_of_copied(object, "list");
  if (of.type || of.empty || of.raised != PyExc_TypeError)
    return of;
  const Type *mixed = type_of_mixed_list(object);
  return mixed ? TypeOf{.type = mixed, .mixed = true} : of;
}

TypeOf type_of_list_of(PyObject *items) { return type_of_copied(items, "list"); }

TypeOf type_of_dict_of(PyObject *keys, PyObject *values) {
  if (PyList_GET_SIZE(keys) == 0 || PyList_GET_SIZE(values) == 0)
    return empty_container("dict", types::dict(types::undefined(), types::undefined()));
  const Nesting nesting("finding the type of a dict");
  if (nesting.is_too_deep()) {
    PyErr_Clear();
    return no_type("cannot determine Numba type of a dict that holds itself");
  }
  TypeOf key = type_of_items(keys, "dict");
  TypeOf value = key.type ? type_of_items(values, "dict") : key;
  if (value.type && (!is_key(key.type) || layout_of(value.type).leaves.empty()))
    return no_type("cannot determine Numba type of a dict of " + key.type->text + " and " +
                   value.type->text + ": pass a numjit.typed.Dict of numbers, strings or tuples");
  if (!value.type && !value.empty)
    value.error += ": in compiled code the values of a dict have one type, as those of a "
                   "numjit.typed.Dict; a named tuple or a dataclass has fields of several";
  value.mixed = value.mixed || key.mixed;
  if (value.empty)
    value.empty = key.type ? types::dict(key.type, value.empty) : nullptr;
  if (value.type)
    value.type = types::dict(key.type, value.type);
  return value;
}

TypeOf type_of_typed(PyObject *object) {
  if (const Type *type = typed_container(object)->type)
    return {type};
  return no_type("cannot determine Numba type of an untyped numjit.typed container: put something "
                 "into it first, or make it with Dict.empty() or List.empty_list()");
}

TypeOf type_of_range(PyObject *object) {
  bool unit = false;
  for (const char *name : {"start", "stop", "step"}) {
    Ref part(PyObject_GetAttrString(object, name));
    int64_t value = 0;
    if (!part || !fast_long(part.get(), value)) {
      PyErr_Clear();
      return {nullptr, "int too big to convert", PyExc_OverflowError};
    }
    unit = value == 1;
  }
  return {types::range(types::int64(), unit ? types::Stride::One : types::Stride::Any)};
}

TypeOf type_of_slice(PyObject *object) {
  auto *slice = reinterpret_cast<PySliceObject *>(object);
  const Type *parts[3];
  PyObject *values[] = {slice->start, slice->stop, slice->step};
  for (int i = 0; i < 3; ++i) {
    if (values[i] != Py_None && !(PyLong_Check(values[i]) && type_of_int(values[i])) &&
        !PyArray_IsScalar(values[i], Integer))
      return no_type("cannot determine Numba type of a slice whose parts are no integers");
    parts[i] = values[i] == Py_None ? types::none() : types::int64();
  }
  return {types::slice(parts[0], parts[1], parts[2])};
}

bool holds_settings(const Type *type) {
  return type->kind == Kind::LiteralDict || type->kind == Kind::LiteralList ||
         std::any_of(type->params.begin(), type->params.end(), holds_settings);
}

bool is_reflected(const Type *type) {
  if (type->kind == Kind::List || type->kind == Kind::Set)
    return !type->typed;
  if (type->kind == Kind::LiteralList)
    return true;
  const bool made_of_parts = type->is_tuple() || type->kind == Kind::Optional;
  return made_of_parts && std::any_of(type->params.begin(), type->params.end(), is_reflected);
}

const Type *type_of_int(PyObject *object) {
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow == 0)
    return value == -1 && PyErr_Occurred() ? (PyErr_Clear(), nullptr) : types::int64();
  if (overflow < 0)
    return nullptr;
  PyLong_AsUnsignedLongLong(object);
  if (!PyErr_Occurred())
    return types::uint64();
  PyErr_Clear();
  return nullptr;
}

bool is_typed_by_identity(PyObject *object) {
  const char *name = Py_TYPE(object)->tp_name;
  return dispatcher_check(object) || PyFunction_Check(object) || PyType_Check(object) ||
         PyCFunction_Check(object) || PyModule_Check(object) || PyArray_DescrCheck(object) ||
         std::strcmp(name, "numpy.ufunc") == 0 ||
         std::strcmp(name, "numpy._ArrayFunctionDispatcher") == 0 || type_object(object) ||
         is_foreign_function(object) || is_sentinel(object);
}

bool is_plain_array(PyObject *object) {
  if (PyArray_CheckExact(object))
    return true;
  if (user_class(Py_TYPE(object)) != UserClass::None)
    return false;
  // A masked array has a second one, of what counts.
  PyObject *classes = Py_TYPE(object)->tp_mro;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(classes); ++i)
    if (std::strcmp(reinterpret_cast<PyTypeObject *>(PyTuple_GET_ITEM(classes, i))->tp_name,
                    "MaskedArray") == 0)
      return false;
  return true;
}

TypeOf type_of_none(PyObject *) { return {types::none()}; }
TypeOf type_of_ellipsis(PyObject *) { return {types::ellipsis()}; }
TypeOf type_of_bool(PyObject *) { return {types::boolean()}; }
TypeOf type_of_float(PyObject *) { return {types::float64()}; }
TypeOf type_of_complex(PyObject *) { return {types::scalar(ScalarId::Complex128)}; }
TypeOf type_of_string(PyObject *) { return {types::unicode()}; }
TypeOf type_of_bytes(PyObject *object) { return {types::bytes(PyBytes_Check(object))}; }
TypeOf type_of_made_generator(PyObject *object) { return {type_of_generator(object)}; }

TypeOf type_of_integer(PyObject *object) {
  const Type *type = type_of_int(object);
  return {type, type ? "" : "int too big to convert", type ? nullptr : PyExc_OverflowError};
}

TypeOf type_of_numpy_scalar(PyObject *object) {
  return {scalar_of_typenum(typenum_of_scalar_class(Py_TYPE(object)))};
}

TypeOf type_of_memory_item(PyObject *object) {
  const Type *type = type_of_item(object);
  return type ? TypeOf{type} : undetermined(object);
}

TypeOf type_of_shown_memory(PyObject *object) {
  const Type *type = type_of_memory(object);
  return type ? TypeOf{type} : undetermined(object);
}

TypeOf type_of_any_array(PyObject *object) {
  return is_plain_array(object) ? type_of_plain_array(object)
                                : no_type("Unsupported array type: numpy.ma.MaskedArray; pass "
                                          "the array that filled() returns");
}

TypeOf type_of_user_object(PyObject *object) {
  return type_of_instance(object, user_class(Py_TYPE(object)));
}

TypeOf type_of_other(PyObject *object) {
  if (!is_typed_by_identity(object)) {
    TypeOf plain = type_of_plain_object(object);
    return plain.type ? plain : undetermined(object);
  }
  Fact fact = fact_of(const_of(object));
  return fact.type ? TypeOf{fact.type} : undetermined(object);
}

TypeOf type_of(PyObject *object) { return intake_of(Py_TYPE(object)).type_of(object); }

TypeOf type_of_argument(PyObject *object) {
  TypeOf of = type_of(object);
  if (!of.type && of.empty)
    of.type = of.empty;
  if (!of.type || !of.type->is_array() || !PyArray_Check(object) ||
      !has_contiguous_rows(reinterpret_cast<PyArrayObject *>(object)))
    return of;
  of.type = types::view(of.type, of.type->ndim, Layout::I);
  return of;
}

} // namespace numjit
