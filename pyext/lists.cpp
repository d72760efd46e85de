// Python lists as runtime lists and back: in bulk, and only where something changed.
#include "pyext/fast_long.h"
#include "pyext/typed_containers.h"
#include "pyext/values.h"
#include "typeinfer/item_descriptor.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <unordered_map>
#include <utility>

namespace numjit {

namespace {

nj_list *header_of(void *block) {
  return reinterpret_cast<nj_list *>(static_cast<char *>(block) + NJ_PAYLOAD_OFFSET);
}

/// A runtime list with room for `length` items, none there yet: their memory need not be zeroed.
void *new_list(const Type *item, Py_ssize_t length) {
  const int64_t size = layout_of(item).size;
  void *block = nullptr;
  if (nj_list_new(0, size, item_descriptor(item), &block) == 0 &&
      nj_list_grow(block, length, size) == 0)
    return block;
  nj_release(block);
  nj_clear_error();
  PyErr_NoMemory();
  return nullptr;
}

bool heterogeneous(PyObject *item, const Type *type) {
  PyErr_Format(PyExc_TypeError, "can't unbox heterogeneous list: %.200s != %s",
               Py_TYPE(item)->tp_name, type->text.c_str());
  return false;
}

// One function for each way of reading all items; the number of items read. Fewer than there are:
// an exception is set.

bool read_floats(PyObject *const *items, Py_ssize_t length, char *data, const Type *type,
                 const PythonView *) {
  auto *values = reinterpret_cast<double *>(data);
  for (Py_ssize_t i = 0; i < length; ++i) {
    if (!PyFloat_CheckExact(items[i]))
      return heterogeneous(items[i], type);
    values[i] = PyFloat_AS_DOUBLE(items[i]);
  }
  return true;
}

bool read_integers(PyObject *const *items, Py_ssize_t length, char *data, const Type *type,
                   const PythonView *) {
  auto *values = reinterpret_cast<int64_t *>(data);
  for (Py_ssize_t i = 0; i < length; ++i) {
    if (!PyLong_CheckExact(items[i]))
      return heterogeneous(items[i], type);
    if (!fast_long(items[i], values[i])) {
      PyErr_SetString(PyExc_OverflowError, "int too big to convert");
      return false;
    }
  }
  return true;
}

bool read_any(PyObject *const *items, Py_ssize_t length, char *data, const Type *type,
              const PythonView *view) {
  const int64_t size = layout_of(type).size;
  for (Py_ssize_t i = 0; i < length; ++i) {
    if (!is_of_class(items[i], type))
      return heterogeneous(items[i], type);
    if (!unbox_to(items[i], type, data + i * size, view))
      return false;
  }
  return true;
}

/// What PyFloat_FromDouble does, without its look at the free list of the interpreter, which holds
/// a hundred floats: a tenth of the time where floats come by the thousand.
PyObject *new_float(double value) {
  auto *made = static_cast<PyFloatObject *>(PyObject_Malloc(sizeof(PyFloatObject)));
  if (!made)
    return PyErr_NoMemory();
  PyObject_Init(reinterpret_cast<PyObject *>(made), &PyFloat_Type);
  made->ob_fval = value;
  return reinterpret_cast<PyObject *>(made);
}

} // namespace

PyObject *items_to_python(const nj_list &list, const Type *item) {
  PyObject *made = PyList_New(list.length);
  if (!made)
    return nullptr;
  const TypeLayout &layout = layout_of(item);
  const bool floats = item->is(ScalarId::Float64), integers = item->is(ScalarId::Int64);
  int64_t i = 0;
  for (; i < std::min<int64_t>(list.length, PyList_GET_SIZE(made)); ++i) {
    PyObject *value = floats ? new_float(reinterpret_cast<const double *>(list.data)[i])
                      : integers
                          ? PyLong_FromLongLong(reinterpret_cast<const int64_t *>(list.data)[i])
                          : box_from(item, list.data + i * layout.size);
    if (!value) {
      Py_DECREF(made);
      return nullptr;
    }
    PyList_SET_ITEM(made, i, value);
  }
  Py_SET_SIZE(made, i); // making items may run Python code, which may have shortened the list
  return made;
}

namespace {

/// Whether a Python float holds these very bits: then it stays, and costs no allocation.
bool same_float(PyObject *object, double value) {
  if (!PyFloat_CheckExact(object))
    return false;
  double old = PyFloat_AS_DOUBLE(object);
  return std::memcmp(&old, &value, sizeof old) == 0;
}

bool write_floats(const nj_list &list, PyObject *python) {
  auto *values = reinterpret_cast<const double *>(list.data);
  for (int64_t i = 0; i < list.length; ++i) {
    PyObject *old = PyList_GET_ITEM(python, i);
    if (same_float(old, values[i]))
      continue;
    PyObject *made = new_float(values[i]);
    if (!made)
      return false;
    PyList_SET_ITEM(python, i, made);
    Py_DECREF(old);
  }
  return true;
}

} // namespace

bool is_of_class(PyObject *object, const Type *type) {
  switch (type->kind) {
  case Kind::Scalar:
    switch (type->cls()) {
    case ScalarClass::Bool: return PyBool_Check(object) || PyArray_IsScalar(object, Bool);
    case ScalarClass::Signed:
    case ScalarClass::Unsigned:
      return (PyLong_Check(object) && !PyBool_Check(object)) || PyArray_IsScalar(object, Integer);
    case ScalarClass::Float: return PyFloat_Check(object) || PyArray_IsScalar(object, Floating);
    case ScalarClass::Complex:
      return PyComplex_Check(object) || PyArray_IsScalar(object, ComplexFloating);
    }
    return false;
  case Kind::Array: return PyArray_Check(object);
  case Kind::Unicode: return PyUnicode_Check(object);
  case Kind::Bytes: return type->readonly ? PyBytes_Check(object) : PyByteArray_Check(object);
  case Kind::Tuple:
  case Kind::NamedTuple:
    if (!PyTuple_Check(object) ||
        PyTuple_GET_SIZE(object) != static_cast<Py_ssize_t>(type->params.size()))
      return PyTuple_Check(object); // the length is named when it is unboxed
    for (size_t i = 0; i < type->params.size(); ++i) {
      PyObject *item = PyTuple_GET_ITEM(object, i);
      if (!is_of_class(item, type->params[i]) &&
          !(type->params[i]->is_float() && PyLong_Check(item)))
        return false;
    }
    return true;
  default: return true;
  }
}

void *list_from_python(PyObject *list, const Type *item, const PythonView *view) {
  const Py_ssize_t length = PyList_GET_SIZE(list);
  void *block = new_list(item, length);
  if (!block)
    return nullptr;
  auto *read = item->is(ScalarId::Float64) ? read_floats
               : item->is(ScalarId::Int64) ? read_integers
                                           : read_any;
  nj_list &header = *header_of(block);
  header.length = length;
  if (item->counted) // an item that cannot be read leaves those behind it without an owner
    std::memset(header.data, 0, length * layout_of(item).size);
  PyObject *const *items = reinterpret_cast<PyListObject *>(list)->ob_item;
  if (read(items, length, header.data, item, view))
    return block;
  nj_release(block);
  return nullptr;
}

bool update_list(void *block, const Type *item, PyObject *list, const PythonView &view) {
  void *fresh = list_from_python(list, item, &view);
  if (!fresh)
    return false;
  std::swap(*header_of(block), *header_of(fresh));
  header_of(block)->dirty = 0;
  nj_release(fresh);
  return true;
}

bool write_list(void *block, const Type *item, PyObject *python) {
  nj_list &list = *header_of(block);
  if (!list.dirty)
    return true;
  list.dirty = 0;
  if (item->is(ScalarId::Float64) && list.length == PyList_GET_SIZE(python))
    return write_floats(list, python);
  Ref made(items_to_python(list, item));
  return made && PyList_SetSlice(python, 0, PyList_GET_SIZE(python), made.get()) == 0;
}

PyObject *box_list(const Type *type, const uint64_t *&slots) {
  auto *block = reinterpret_cast<nj_block *>(*slots++);
  if (type->typed)
    return box_typed(type, block);
  // The block of an argument names the list it came from (Unboxer::unbox_copy).
  auto *made = static_cast<PyObject *>(block->extra);
  if (!made)
    made = items_to_python(*header_of(block), type->params[0]);
  else
    made = write_list(block, type->params[0], made) ? Py_NewRef(made) : nullptr;
  nj_release(block);
  return made;
}

} // namespace numjit
