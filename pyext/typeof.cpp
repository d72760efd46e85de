#include "pyext/typeof.h"

#include "pyext/classes.h"
#include "pyext/dispatcher.h"
#include "pyext/fast_long.h"
#include "pyext/fingerprint.h"
#include "pyext/items.h"
#include "pyext/objects.h"
#include "pyext/scalar_codes.h"
#include "pyext/typed_containers.h"
#include "pyext/values.h"
#include "typeinfer/infer.h"

#include <algorithm>
#include <cstring>

namespace numjit {

namespace {

TypeOf no_type(std::string why) { return {nullptr, std::move(why)}; }

TypeOf undetermined(PyObject *object) {
  Ref cls(PyObject_Repr(reinterpret_cast<PyObject *>(Py_TYPE(object))));
  return no_type("cannot determine Numba type of " + text_of(cls.get()));
}

TypeOf type_of_array(PyObject *object) {
  auto *array = reinterpret_cast<PyArrayObject *>(object);
  const Type *dtype = item_of_descr(PyArray_DESCR(array));
  if (!PyArray_ISNBO(PyArray_DESCR(array)->byteorder))
    return no_type("cannot determine Numba type of an array with non-native byte order; "
                   "unsupported array dtype: convert it with a.astype(a.dtype.newbyteorder('='))");
  if (!dtype)
    return no_type(
        "cannot determine Numba type of an array: unsupported array dtype: " +
        text_of(Ref(PyObject_Str(reinterpret_cast<PyObject *>(PyArray_DESCR(array)))).get()));
  Layout layout = PyArray_IS_C_CONTIGUOUS(array)   ? Layout::C
                  : PyArray_IS_F_CONTIGUOUS(array) ? Layout::F
                                                   : Layout::A;
  return {types::array(dtype, PyArray_NDIM(array), layout, !PyArray_ISWRITEABLE(array),
                       !PyArray_ISALIGNED(array))};
}

TypeOf type_of_tuple(PyObject *object) {
  if (!PyTuple_CheckExact(object) &&
      !PyObject_HasAttrString(reinterpret_cast<PyObject *>(Py_TYPE(object)), "_fields"))
    return undetermined(object);
  std::vector<const Type *> items;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) {
    TypeOf item = type_of(PyTuple_GET_ITEM(object, i));
    if (!item.type)
      return item;
    items.push_back(item.type);
  }
  if (PyTuple_CheckExact(object))
    return {types::tuple(std::move(items))};
  const Const *cls = const_of(reinterpret_cast<PyObject *>(Py_TYPE(object)));
  return {types::named_tuple(cls, std::move(items))};
}

TypeOf no_reflection(const std::string &what) {
  return no_type("cannot reflect element of reflected container: a list of " + what +
                 " cannot be an argument; pass a numjit.typed.List of typed Lists, or an array");
}

TypeOf type_of_list(PyObject *object) {
  if (PyList_GET_SIZE(object) == 0)
    return {nullptr, "cannot compute fingerprint of empty list: its items have no type", false,
            "NumbaValueError"};
  PyObject *first = PyList_GET_ITEM(object, 0);
  if (PyList_Check(first))
    return no_reflection("lists");
  TypeOf item = type_of(first);
  if (!item.type)
    return item;
  if (is_reflected(item.type))
    return no_reflection(item.type->text);
  if (layout_of(item.type).leaves.empty())
    return no_type("cannot determine Numba type of a list of " + item.type->text);
  return {types::list(item.type)};
}

TypeOf type_of_set(PyObject *object) {
  if (PySet_GET_SIZE(object) == 0)
    return {nullptr, "cannot compute fingerprint of empty set: its items have no type", false,
            "NumbaValueError"};
  Ref first(any_of_set(object));
  TypeOf item = type_of(first.get());
  if (!item.type)
    return item;
  if (layout_of(item.type).leaves.empty())
    return no_type("cannot determine Numba type of a set of " + item.type->text);
  return {types::set(item.type)};
}

TypeOf type_of_typed(const Typed &container) {
  if (container.type)
    return {container.type};
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
      return {nullptr, "int too big to convert", true};
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

} // namespace

bool is_reflected(const Type *type) {
  if (type->kind == Kind::List || type->kind == Kind::Set)
    return !type->typed;
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
         is_foreign_function(object);
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

TypeOf type_of(PyObject *object) {
  if (object == Py_None)
    return {types::none()};
  if (is_string(object))
    return {types::unicode()};
  if (is_bytes(object))
    return {types::bytes(PyBytes_Check(object))};
  if (shows_memory(object)) {
    const Type *type = type_of_memory(object);
    return type ? TypeOf{type} : undetermined(object);
  }
  if (PyBool_Check(object))
    return {types::boolean()};
  if (int number = typenum_of_scalar_class(Py_TYPE(object)); number >= 0)
    return {scalar_of_typenum(number)};
  if (const Type *type = type_of_item(object))
    return {type};
  if (UserClass kind = user_class(Py_TYPE(object)); kind != UserClass::None)
    return type_of_instance(object, kind);
  if (PyLong_Check(object)) {
    const Type *type = type_of_int(object);
    return {type, type ? "" : "int too big to convert", !type};
  }
  if (PyFloat_Check(object))
    return {types::float64()};
  if (PyComplex_CheckExact(object))
    return {types::scalar(ScalarId::Complex128)};
  if (PyArray_Check(object))
    return is_plain_array(object) ? type_of_array(object)
                                  : no_type("Unsupported array type: numpy.ma.MaskedArray");
  if (PyTuple_Check(object))
    return type_of_tuple(object);
  if (PyList_CheckExact(object))
    return type_of_list(object);
  if (const Typed *container = typed_container(object))
    return type_of_typed(*container);
  if (PyAnySet_CheckExact(object))
    return type_of_set(object);
  if (PyRange_Check(object))
    return type_of_range(object);
  if (PySlice_Check(object))
    return type_of_slice(object);
  if (object == Py_Ellipsis)
    return {types::ellipsis()};
  if (const Type *generator = type_of_generator(object))
    return {generator};
  if (!is_typed_by_identity(object))
    return undetermined(object);
  Fact fact = fact_of(const_of(object));
  return fact.type ? TypeOf{fact.type} : undetermined(object);
}

TypeOf type_of_argument(PyObject *object) {
  TypeOf of = type_of(object);
  if (!of.type || !of.type->is_array() || !PyArray_Check(object) ||
      !has_contiguous_rows(reinterpret_cast<PyArrayObject *>(object)))
    return of;
  of.type = types::view(of.type, of.type->ndim, Layout::I);
  return of;
}

} // namespace numjit
