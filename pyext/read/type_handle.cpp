#include "pyext/read/type_handle.h"

#include "pyext/read/objects.h"

#include <algorithm>
#include <unordered_map>

namespace numjit {

namespace {

struct TypeHandle {
  PyObject_HEAD const Type *type;
};

PyTypeObject handle_type = {};

const Type *row(PyObject *self) { return reinterpret_cast<TypeHandle *>(self)->type; }

PyObject *text(const std::string &value) {
  return PyUnicode_FromStringAndSize(value.data(), static_cast<Py_ssize_t>(value.size()));
}

/// The kind's name in kinds.def in small letters.
std::string kind_text(Kind kind) {
  static constexpr std::string_view names[] = {
#define NUMJIT_KIND(id, ...) #id,
#include "typeinfer/types/kinds.def"
#undef NUMJIT_KIND
  };
  std::string text(names[static_cast<size_t>(kind)]);
  std::ranges::transform(text, text.begin(), [](char c) { return static_cast<char>(c | 0x20); });
  return text;
}

PyObject *get_kind(PyObject *self, void *) { return text(kind_text(row(self)->kind)); }
PyObject *get_params(PyObject *self, void *) { return type_handles(row(self)->params); }
PyObject *get_ndim(PyObject *self, void *) { return PyLong_FromLong(row(self)->ndim); }
PyObject *get_layout(PyObject *self, void *) {
  return PyUnicode_FromStringAndSize(&"CFAI"[static_cast<size_t>(row(self)->layout)], 1);
}
PyObject *get_readonly(PyObject *self, void *) { return PyBool_FromLong(row(self)->readonly); }

PyObject *get_typed(PyObject *self, void *) { return PyBool_FromLong(row(self)->typed); }

PyObject *get_unaligned(PyObject *self, void *) {
  const Type *type = row(self);
  const bool packed =
      type->is_array() && type->dtype()->kind == Kind::Record && !type->dtype()->numbers[1];
  return PyBool_FromLong(type->unaligned || packed);
}

PyObject *get_numbers(PyObject *self, void *) {
  const auto &numbers = row(self)->numbers;
  PyObject *tuple = PyTuple_New(static_cast<Py_ssize_t>(numbers.size()));
  for (size_t i = 0; tuple && i < numbers.size(); ++i)
    PyTuple_SET_ITEM(tuple, i, PyLong_FromLongLong(numbers[i]));
  return tuple;
}

PyObject *get_names(PyObject *self, void *) {
  const auto &names = row(self)->names;
  PyObject *tuple = PyTuple_New(static_cast<Py_ssize_t>(names.size()));
  for (size_t i = 0; tuple && i < names.size(); ++i)
    PyTuple_SET_ITEM(tuple, i, text(names[i]));
  return tuple;
}

PyObject *get_value(PyObject *self, void *) {
  const Const *constant = row(self)->constant;
  return constant ? python_of(*constant) : Py_NewRef(Py_None);
}

PyObject *get_text(PyObject *self, void *) {
  const Type *type = row(self);
  return text(type->kind == Kind::String ? type->constant->text : type->text);
}

PyObject *print_handle(PyObject *self) { return text(row(self)->text); }

PyGetSetDef handle_properties[] = {
    {"kind", get_kind, nullptr, "\"scalar\", \"array\", ...", nullptr},
    {"params", get_params, nullptr, "the types it is made of", nullptr},
    {"ndim", get_ndim, nullptr, "of an array", nullptr},
    {"typed", get_typed, nullptr, "of a list or set: whether it is that of numjit.typed", nullptr},
    {"layout", get_layout, nullptr, "of an array: C, F, A (any strides) or I", nullptr},
    {"readonly", get_readonly, nullptr, "of an array", nullptr},
    {"unaligned", get_unaligned, nullptr, "of an array", nullptr},
    {"numbers", get_numbers, nullptr, "of records: size, aligned, offsets; the unit of times",
     nullptr},
    {"names", get_names, nullptr, "fields of a named tuple, a record", nullptr},
    {"cls", get_value, nullptr, "class of a named tuple", nullptr},
    {"value", get_value, nullptr, "the value, of types with one value", nullptr},
    {"text", get_text, nullptr, "of a string: the string; else as str()", nullptr},
    {}};

} // namespace

bool init_type_handle(PyObject *module) {
  Py_SET_REFCNT(reinterpret_cast<PyObject *>(&handle_type), 1);
  handle_type.tp_name = "numjit._core.Type";
  handle_type.tp_doc = "A row of the compiler's type table: one object for each type.";
  handle_type.tp_basicsize = sizeof(TypeHandle);
  handle_type.tp_flags = Py_TPFLAGS_DEFAULT;
  handle_type.tp_getset = handle_properties;
  handle_type.tp_str = print_handle;
  handle_type.tp_repr = print_handle;
  return PyType_Ready(&handle_type) == 0 &&
         PyModule_AddObjectRef(module, "Type", reinterpret_cast<PyObject *>(&handle_type)) == 0;
}

PyObject *type_handle(const Type *type) {
  // Types live as long as the process, and so do their handles.
  static auto *handles = new std::unordered_map<const Type *, PyObject *>;
  PyObject *&handle = (*handles)[type];
  if (!handle) {
    auto *made = PyObject_New(TypeHandle, &handle_type);
    if (!made)
      return nullptr;
    made->type = type;
    handle = reinterpret_cast<PyObject *>(made);
  }
  return Py_NewRef(handle);
}

const Type *type_of_handle(PyObject *object) {
  return Py_TYPE(object) == &handle_type ? row(object) : nullptr;
}

PyObject *type_handles(const std::vector<const Type *> &types) {
  PyObject *tuple = PyTuple_New(static_cast<Py_ssize_t>(types.size()));
  for (size_t i = 0; tuple && i < types.size(); ++i)
    PyTuple_SET_ITEM(tuple, i, type_handle(types[i]));
  return tuple;
}

} // namespace numjit
