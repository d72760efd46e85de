// Objects as constants and rows (objects.h). Functions refer to objects, and objects to functions.
#include "pyext/read/dispatchers.h"
#include "pyext/read/dtypes.h"
#include "pyext/read/foreign_objects.h"
#include "pyext/read/function_def.h"
#include "pyext/read/globals.h"
#include "pyext/read/names.h"
#include "pyext/read/objects.h"
#include "pyext/read/plain_objects.h"
#include "pyext/read/scalar_codes.h"
#include "pyext/read/type_handle.h"
#include "pyext/read/user_classes.h"
#include "typeinfer/infer.h"
#include "typeinfer/infer/builtins.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace numjit {

namespace {

Const of_kind(ConstKind kind) {
  Const value;
  value.kind = kind;
  return value;
}

// --- plain data ---

const Const *of_int(PyObject *object) {
  Const value = of_kind(ConstKind::Int);
  int overflow = 0;
  value.integer = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow > 0) {
    value.integer = static_cast<int64_t>(PyLong_AsUnsignedLongLong(object));
    value.is_unsigned = !PyErr_Occurred();
  }
  if (overflow < 0 || PyErr_Occurred()) {
    PyErr_Clear();
    value.big = true;
    value.integer = 0;
    value.text = text_of(Ref(PyObject_Str(object)).get());
  }
  return constants::intern(std::move(value));
}

const Const *of_complex(double real, double imag, std::string scalar = {}) {
  Const value = of_kind(ConstKind::Complex);
  value.real = real;
  value.imag = imag;
  value.scalar = std::move(scalar);
  return constants::intern(std::move(value));
}

const Const *of_numpy_scalar(PyObject *object, const Type *type) {
  Const value;
  value.scalar = type->text;
  switch (type->cls()) {
  case ScalarClass::Bool: return constants::boolean(PyObject_IsTrue(object) == 1);
  case ScalarClass::Signed: {
    value.kind = ConstKind::Int;
    value.integer = PyLong_AsLongLong(Ref(PyNumber_Long(object)).get());
    break;
  }
  case ScalarClass::Unsigned: {
    value.kind = ConstKind::Int;
    value.integer =
        static_cast<int64_t>(PyLong_AsUnsignedLongLong(Ref(PyNumber_Long(object)).get()));
    value.is_unsigned = value.integer < 0;
    break;
  }
  case ScalarClass::Float:
    value.kind = ConstKind::Float;
    value.real = PyFloat_AsDouble(object);
    break;
  case ScalarClass::Complex: {
    Py_complex parts = PyComplex_AsCComplex(object);
    return of_complex(parts.real, parts.imag, type->text);
  }
  }
  return constants::intern(std::move(value));
}

/// Surrogates as if they were characters: strings may hold them.
std::string utf8_of(PyObject *object) {
  std::string text = text_of(object);
  if (!text.empty() || PyUnicode_GET_LENGTH(object) == 0)
    return text;
  Ref bytes(PyUnicode_AsEncodedString(object, "utf-8", "surrogatepass"));
  if (!bytes) {
    PyErr_Clear();
    return {};
  }
  return {PyBytes_AS_STRING(bytes.get()), static_cast<size_t>(PyBytes_GET_SIZE(bytes.get()))};
}

/// Of a named tuple the constant also holds the class.
const Const *of_tuple(PyObject *tuple) {
  Const value = of_kind(ConstKind::Tuple);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i)
    value.items.push_back(const_of(PyTuple_GET_ITEM(tuple, i)));
  if (is_named_tuple(tuple))
    value.object = const_of(reinterpret_cast<PyObject *>(Py_TYPE(tuple)))->object;
  return constants::intern(std::move(value));
}

const Const *of_slice(PyObject *object) {
  auto *slice = reinterpret_cast<PySliceObject *>(object);
  Const value = of_kind(ConstKind::Slice);
  for (PyObject *part : {slice->start, slice->stop, slice->step}) {
    const Const *item = const_of(part);
    const bool is_beyond = item->big || (item->is_unsigned && item->integer < 0);
    const int64_t end = item->big && item->text[0] == '-' ? INT64_MIN : INT64_MAX;
    value.items.push_back(is_beyond ? constants::integer(end) : item);
  }
  return constants::intern(std::move(value));
}

/// The constant of plain data; nullptr for an object.
const Const *of_data(PyObject *object) {
  if (object == Py_None)
    return constants::none();
  if (object == Py_Ellipsis)
    return constants::ellipsis();
  if (PyBool_Check(object))
    return constants::boolean(object == Py_True);
  if (PyFloat_CheckExact(object))
    return constants::floating(PyFloat_AS_DOUBLE(object));
  if (PyArray_CheckScalar(object) && !PyArray_Check(object)) {
    if (const Type *type = type_of_item(object); type && type->is_time()) {
      Const value = of_kind(ConstKind::Int);
      value.scalar = type->text;
      value.integer = time_count(object);
      return constants::intern(std::move(value));
    }
    int number = typenum_of_scalar_class(Py_TYPE(object));
    return number < 0 ? nullptr : of_numpy_scalar(object, scalar_of_typenum(number));
  }
  if (!PyLong_CheckExact(object) && user_class(Py_TYPE(object)) == UserClass::Enum)
    return nullptr;
  if (PyLong_Check(object))
    return of_int(object);
  if (PyFloat_Check(object)) // subclasses are what they derive from, as arguments are
    return constants::floating(PyFloat_AS_DOUBLE(object));
  if (PyComplex_Check(object))
    return of_complex(PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object));
  if (PyUnicode_Check(object))
    return constants::string(utf8_of(object));
  if (PyBytes_CheckExact(object)) {
    Const value = of_kind(ConstKind::Bytes);
    value.text.assign(PyBytes_AS_STRING(object), PyBytes_GET_SIZE(object));
    return constants::intern(std::move(value));
  }
  if (PyTuple_CheckExact(object) || is_named_tuple(object))
    return of_tuple(object);
  if (PySlice_Check(object))
    return of_slice(object);
  return nullptr;
}

// --- objects ---

PyObject *numjit_type_class() {
  static PyObject *cache;
  return class_in(cache, "numjit.types.abstract", "Type");
}

PyObject *intrinsic_class() {
  static PyObject *cache;
  return class_in(cache, "numjit.library.core.intrinsics", "Intrinsic");
}

PyObject *python_call_class() {
  static PyObject *cache;
  return class_in(cache, "numjit.python_calls", "PythonCall");
}

/// The Python function in the subset that calls a C function.
Ref foreign_call(PyObject *object) {
  Ref module(PyImport_ImportModule("numjit.library.core.foreign"));
  Ref function(module ? PyObject_CallMethod(module.get(), "function_of", "O", object) : nullptr);
  if (!function)
    throw PythonError();
  return function;
}

std::vector<std::string> named_tuple_fields(PyObject *cls) {
  std::vector<std::string> names;
  Ref fields = attribute_or_null(cls, "_fields");
  if (fields && PyTuple_Check(fields.get()))
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(fields.get()); ++i)
      names.push_back(text_of(PyTuple_GET_ITEM(fields.get(), i)));
  return names;
}

void describe_class(Object &row, PyObject *object) {
  auto *cls = reinterpret_cast<PyTypeObject *>(object);
  row.kind = ObjectKind::Class;
  if (int number = typenum_of_scalar_class(cls); number >= 0) {
    row.name = "numpy." + scalar_of_typenum(number)->text;
    return;
  }
  if (UserClass kind = user_class(cls); kind != UserClass::None) {
    describe_user_class(row, object, kind);
    return;
  }
  if (PyExceptionClass_Check(object)) {
    row.kind = ObjectKind::ExceptionClass;
    if (cls->tp_flags & Py_TPFLAGS_HEAPTYPE) // a program's
      describe_plain_class(row, object);
  } else if (PyType_IsSubtype(cls, &PyTuple_Type) && cls != &PyTuple_Type &&
             PyObject_HasAttrString(object, "_fields")) {
    row.kind = ObjectKind::NamedTupleClass;
    row.fields = named_tuple_fields(object);
    if (Ref defaults = attribute_or_null(object, "_field_defaults");
        defaults && PyDict_Check(defaults.get()))
      for (const std::string &field : row.fields)
        if (PyObject *value = PyDict_GetItemString(defaults.get(), field.c_str()))
          row.field_defaults.push_back(const_of(value));
    describe_members(row, object);
  } else if (PyObject *types = numjit_type_class();
             types && PyType_IsSubtype(cls, reinterpret_cast<PyTypeObject *>(types))) {
    row.name = "numjit.types." + text_attribute(object, "__qualname__");
    return;
  }
  row.name = qualified_name(object);
  if (row.kind == ObjectKind::Class && cls->tp_flags & Py_TPFLAGS_HEAPTYPE)
    describe_plain_class(row, object);
}

void describe_array(Object &row, PyArrayObject *array) {
  row.kind = ObjectKind::Array;
  row.name = "array";
  auto data = std::make_unique<ArrayData>();
  const Type *dtype = item_of_descr(PyArray_DESCR(array));
  if (dtype && PyArray_ISNBO(PyArray_DESCR(array)->byteorder)) {
    data->dtype = dtype->text;
    row.type = dtype;
  }
  data->unaligned = !PyArray_ISALIGNED(array);
  data->shape.assign(PyArray_DIMS(array), PyArray_DIMS(array) + PyArray_NDIM(array));
  data->strides.assign(PyArray_STRIDES(array), PyArray_STRIDES(array) + PyArray_NDIM(array));
  data->data = PyArray_DATA(array);
  data->layout = PyArray_IS_C_CONTIGUOUS(array) ? 'C' : PyArray_IS_F_CONTIGUOUS(array) ? 'F' : 'A';
  row.array = std::move(data);
}

/// An object with `__cuda_array_interface__`: an array in the memory of a GPU. False if it has none
/// that kernels can take.
bool describe_device_array(Object &row, PyObject *object) {
  if (!attribute_or_null(object, "__cuda_array_interface__"))
    return false;
  Ref module(PyImport_ImportModule("numjit.cuda.cudadrv.devicearray"));
  Ref array(module ? PyObject_CallMethod(module.get(), "captured", "O", object) : nullptr);
  if (!array)
    throw PythonError();
  if (!PyArray_Check(array.get()))
    return false;
  describe_array(row, reinterpret_cast<PyArrayObject *>(array.get()));
  row.array->on_device = true;
  array.release(); // the row refers to its memory
  return true;
}

/// Fills the row of an object; it is in the table already, for functions that close over
/// themselves.
void describe_foreign_function(Object &row, PyObject *object) {
  row.kind = ObjectKind::Function;
  row.function = new FunctionDef;
  Ref call = foreign_call(object);
  read_function(*row.function, call.get(), {});
  row.name = row.function->name();
  call.release(); // the definition refers to it
}

/// The module's variable that holds an object, with the module's name; empty if none does.
std::string place_in_modules(PyObject *object) {
  PyObject *name = nullptr, *module = nullptr, *variable = nullptr, *value = nullptr;
  for (Py_ssize_t i = 0; PyDict_Next(PyImport_GetModuleDict(), &i, &name, &module);)
    if (PyModule_Check(module))
      for (Py_ssize_t k = 0; PyDict_Next(PyModule_GetDict(module), &k, &variable, &value);)
        if (value == object)
          return text_of(name) + "." + text_of(variable);
  return {};
}

/// Where it is held, so that other processes find code for it in the disk cache; a random name if
/// that is not known, or was the place of another one: code for one must not run for another.
std::string name_of_sentinel(PyObject *object) {
  if (object == Py_NotImplemented)
    return "builtins.NotImplemented";
  if (!Py_IS_TYPE(object, &PyBaseObject_Type))
    return "numpy._NoValue";
  static std::unordered_set<std::string> given; // guarded by the GIL
  static std::random_device random;
  std::string name = place_in_modules(object);
  if (name.empty() || !given.insert(name).second)
    name = "object " + std::to_string(random()) + std::to_string(random());
  return name;
}

void describe_dtype(Object &row, PyObject *object) {
  row.kind = ObjectKind::DType;
  const Type *item = item_of_descr(reinterpret_cast<PyArray_Descr *>(object));
  row.type = item;
  row.name = item ? item->text : text_of(Ref(PyObject_Str(object)).get());
}

/// What is known by its name alone, methods of C among it.
void describe_other(Object &row, PyObject *object) {
  row.name = qualified_name(object);
  // Methods are other objects each time they are asked for: typed.Dict.empty, ffi.from_buffer,
  // dict.fromkeys.
  Ref self = attribute_or_null(object, "__self__");
  if (PyTuple_Check(object)) { // sys.version_info: attributes are found like those of modules
    row.value = of_tuple(object);
  } else if (self && PyCFunction_Check(object) && PyType_Check(self.get())) {
    const std::string known = qualified_name(self.get()) + "." + text_attribute(object, "__name__");
    if (find_builtin(known) || library_function(known)) {
      row.kind = ObjectKind::Builtin;
      row.name = known;
    }
  } else if (self && is_ffi(self.get())) {
    row.kind = ObjectKind::Builtin;
    row.name = "cffi." + text_attribute(object, "__name__");
  } else if (PyMethod_Check(object) && find_builtin(row.name)) {
    row.kind = ObjectKind::Builtin;
  } else if (Py_IS_TYPE(object, &PyMethodDescr_Type)) { // str.lower
    const std::string cls = qualified_name(reinterpret_cast<PyObject *>(PyDescr_TYPE(object)));
    if (cls.starts_with("builtins.") || cls == "numpy.ndarray")
      row.kind = ObjectKind::Builtin, row.name = cls + "." + text_attribute(object, "__name__");
  }
}

void describe(Object &row, PyObject *object) {
  if (FunctionDef *function = dispatcher_function(object)) {
    row.kind = ObjectKind::Function;
    row.function = function;
    row.name = function->name();
    return;
  }
  if (const std::string *known = known_name(object)) {
    row.kind = PyType_Check(object) ? ObjectKind::Class : ObjectKind::Builtin;
    row.name = *known;
    if (PyType_Check(object))
      describe_value_class(row, object);
    return;
  }
  if (const Type *type = type_object(object)) {
    row.kind = ObjectKind::Type;
    row.type = type;
    row.name = type->text;
  } else if (PyModule_Check(object)) {
    row.kind = ObjectKind::Module;
    row.name = text_attribute(object, "__name__");
  } else if (PyType_Check(object)) {
    describe_class(row, object);
  } else if (PyFunction_Check(object)) {
    row.kind = ObjectKind::Function;
    row.name = qualified_name(object);
    row.function = new FunctionDef; // before it is read: the function may hold itself
    read_function(*row.function, object, {});
  } else if (const char *name = like_a_module(object)) {
    row.kind = ObjectKind::Module;
    row.name = name;
  } else if (is_foreign_function(object)) {
    describe_foreign_function(row, object);
  } else if (PyArray_Check(object)) {
    describe_array(row, reinterpret_cast<PyArrayObject *>(object));
  } else if (PyArray_DescrCheck(object)) {
    describe_dtype(row, object);
  } else if (is_instance_of(object, python_call_class())) {
    row.kind = ObjectKind::Builtin;
    row.name = "numjit.call_python";
    row.type = type_object(attribute_or_null(object, "result").get());
  } else if (const Type *type = type_of_item(object)) { // a record: others are plain data
    row.kind = ObjectKind::Record;
    row.type = type;
    row.data = record_memory(object);
    row.name = type->text;
  } else if (user_class(Py_TYPE(object)) == UserClass::Enum) {
    describe_enum_member(row, object);
  } else if (is_instance_of(object, intrinsic_class())) {
    row.kind = ObjectKind::Builtin;
    row.name = text_attribute(object, "name");
  } else if (is_sentinel(object)) {
    row.kind = ObjectKind::Builtin;
    row.name = name_of_sentinel(object);
  } else if (!describe_device_array(row, object)) {
    describe_other(row, object);
  }
}

/// Object -> row; read and written with the GIL. Rows keep their objects alive.
std::unordered_map<PyObject *, Object *> &rows() {
  static auto *instance = new std::unordered_map<PyObject *, Object *>;
  return *instance;
}

const Object *row_of(PyObject *object) {
  ReadingLock reading;
  object = first_of_bound_method(object);
  if (auto found = rows().find(object); found != rows().end())
    return found->second;
  auto *row = new Object;
  Py_INCREF(object);
  row->handle = object;
  rows()[object] = row;
  try {
    describe(*row, object);
  } catch (...) {
    rows().erase(object);
    Py_DECREF(object);
    delete row;
    throw;
  }
  return row;
}

PyObject *numpy_scalar(const Const &value) {
  const Type *type = types::item_named(value.scalar);
  if (type->is_time())
    return time_scalar(type, value.integer);
  Ref plain;
  switch (value.kind) {
  case ConstKind::Int:
    plain =
        Ref(value.is_unsigned ? PyLong_FromUnsignedLongLong(static_cast<uint64_t>(value.integer))
                              : PyLong_FromLongLong(value.integer));
    break;
  case ConstKind::Complex: plain = Ref(PyComplex_FromDoubles(value.real, value.imag)); break;
  default: plain = Ref(PyFloat_FromDouble(value.real));
  }
  Ref descr(reinterpret_cast<PyObject *>(descr_of(type)));
  if (!plain || !descr)
    return nullptr;
  auto *cls = reinterpret_cast<PyArray_Descr *>(descr.get())->typeobj;
  return PyObject_CallOneArg(reinterpret_cast<PyObject *>(cls), plain.get());
}

PyObject *python_type(const Type *type) {
  Ref handle(type_handle(type));
  Ref module(PyImport_ImportModule("numjit.types.wrap"));
  return handle && module ? PyObject_CallMethod(module.get(), "wrap", "O", handle.get()) : nullptr;
}

PyObject *python_items(const Const &value, bool slice) {
  Ref tuple(PyTuple_New(static_cast<Py_ssize_t>(value.items.size())));
  for (size_t i = 0; tuple && i < value.items.size(); ++i) {
    PyObject *item = python_of(*value.items[i]);
    if (!item)
      return nullptr;
    PyTuple_SET_ITEM(tuple.get(), i, item);
  }
  if (!slice || !tuple)
    return tuple.release();
  PyObject *parts = tuple.get();
  return PySlice_New(PyTuple_GET_ITEM(parts, 0), PyTuple_GET_ITEM(parts, 1),
                     PyTuple_GET_ITEM(parts, 2));
}

} // namespace

bool is_sentinel(PyObject *object) {
  return Py_IS_TYPE(object, &PyBaseObject_Type) || object == Py_NotImplemented ||
         std::strcmp(Py_TYPE(object)->tp_name, "_NoValueType") == 0;
}

/// A dataclass with its fields: a tuple that also holds the class. nullptr for others.
static const Const *of_dataclass(PyObject *instance) {
  PyTypeObject *cls = Py_TYPE(instance);
  if (user_class(cls) == UserClass::Typed) { // a type of the user's own is one to the compiler
    Ref module(PyImport_ImportModule("numjit.compat.native_types"));
    Ref value(module ? PyObject_CallMethod(module.get(), "constant_of", "O", instance) : nullptr);
    if (!value)
      throw PythonError();
    if (PyFunction_Check(value.get())) // called for it
      return const_of(value.get());
    return value.get() == Py_None ? nullptr : of_dataclass(value.get());
  }
  if (user_class(cls) != UserClass::DataClass && user_class(cls) != UserClass::Value)
    return nullptr;
  const Type *wanted = type_of_value_fields(cls);
  const Object *row = row_of(reinterpret_cast<PyObject *>(cls));
  const Visit visit(instance); // one that holds itself is no constant
  if (!visit)
    return nullptr;
  Const value = of_kind(ConstKind::Tuple);
  value.object = row;
  for (const std::string &field : row->fields) {
    Ref item = field_of(instance, field.c_str());
    if (!item)
      return nullptr;
    value.items.push_back(const_of(item.get()));
    if (wanted && fact_of(value.items.back()).type != wanted)
      return nullptr;
  }
  return constants::intern(std::move(value));
}

const Const *const_of(PyObject *object) {
  if (const Const *data = of_data(object))
    return data;
  if (Ref other = stand_in_of(object))
    return const_of(other.get());
  if (const Const *container = constant_container(object))
    return container;
  const Object *row = row_of(object);
  if (row->kind == ObjectKind::Opaque)
    if (const Const *value = of_dataclass(object))
      return value;
  if (row->kind == ObjectKind::Opaque && !row->value)
    if (const Const *value = constant_of_plain(object))
      return value;
  return constants::object(row);
}

PyObject *python_of(const Const &value) {
  if (!value.scalar.empty())
    return numpy_scalar(value);
  switch (value.kind) {
  case ConstKind::None: Py_RETURN_NONE;
  case ConstKind::Ellipsis: return Py_NewRef(Py_Ellipsis);
  case ConstKind::Bool: return PyBool_FromLong(value.integer != 0);
  case ConstKind::Int:
    if (value.big)
      return PyLong_FromString(value.text.c_str(), nullptr, 10);
    return value.is_unsigned ? PyLong_FromUnsignedLongLong(static_cast<uint64_t>(value.integer))
                             : PyLong_FromLongLong(value.integer);
  case ConstKind::Float: return PyFloat_FromDouble(value.real);
  case ConstKind::Complex: return PyComplex_FromDoubles(value.real, value.imag);
  case ConstKind::Str:
    return PyUnicode_DecodeUTF8(value.text.data(), static_cast<Py_ssize_t>(value.text.size()),
                                "surrogatepass");
  case ConstKind::Bytes:
    return PyBytes_FromStringAndSize(value.text.data(), static_cast<Py_ssize_t>(value.text.size()));
  case ConstKind::Tuple: {
    Ref items(python_items(value, false));
    if (!items || !value.object)
      return items.release();
    if (value.object->kind == ObjectKind::DataClass && value.object->data)
      return plain_object_of(*value.object, items.get());
    return made_value(static_cast<PyObject *>(value.object->handle), items.get()).release();
  }
  case ConstKind::Slice: return python_items(value, true);
  case ConstKind::Object:
    if (!value.object->handle) // a type that compiled code made
      return python_type(static_cast<const Type *>(value.object->type));
    return Py_NewRef(static_cast<PyObject *>(value.object->handle));
  }
  Py_UNREACHABLE();
}

const Type *type_object(PyObject *object) {
  if (const Type *type = type_of_handle(object))
    return type;
  if (!is_instance_of(object, numjit_type_class()))
    return nullptr;
  Ref handle = attribute_or_null(object, "_handle");
  return handle ? type_of_handle(handle.get()) : nullptr;
}

void forget_object(PyObject *object) { rows().erase(object); }

std::string qualified_name(PyObject *object) {
  std::string module = text_attribute(object, "__module__");
  if (module == "__mp_main__") // the program's own module in a process that it has spawned
    module = "__main__";
  std::string name = text_attribute(object, "__qualname__");
  if (name.empty())
    name = text_attribute(object, "__name__");
  if (name.empty()) // neither function nor class: named by its class
    return qualified_name(reinterpret_cast<PyObject *>(Py_TYPE(object)));
  return module.empty() ? name : module + "." + name;
}

void replace_function(PyObject *dispatcher, FunctionDef *function) {
  if (auto found = rows().find(dispatcher); found != rows().end())
    found->second->function = function;
}

} // namespace numjit
