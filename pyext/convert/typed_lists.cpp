// numjit.typed.List: the methods that must be fast.
#include "pyext/convert/fast_long.h"
#include "pyext/convert/item_rules.h"
#include "pyext/convert/owners.h"
#include "pyext/convert/typed_parts.h"
#include "pyext/convert/typeof.h"
#include "pyext/convert/values.h"
#include "pyext/read/scalar_codes.h"
#include "typeinfer/types/item_descriptor.h"

#include <cstring>

namespace numjit::typed_parts {

namespace {

nj_list &list_of(Typed *self) {
  return *reinterpret_cast<nj_list *>(reinterpret_cast<char *>(self->block) + NJ_PAYLOAD_OFFSET);
}

Py_ssize_t list_length(PyObject *object) {
  Typed *self = as_typed(object);
  return self->block ? list_of(self).length : 0;
}

char *item_at(Typed *self, int64_t index) {
  return list_of(self).data + index * layout_of(item_of(self)).size;
}

void release_items(Typed *self, int64_t from, int64_t to) {
  for (int64_t i = from; i < to; ++i)
    for (const LeafInfo &leaf : layout_of(item_of(self)).leaves)
      if (leaf.owner)
        nj_release(owner_at(item_at(self, i) + leaf.offset));
}

bool grow(Typed *self, int64_t items) {
  return nj_list_grow(self->block, items, layout_of(item_of(self)).size) == 0 || out_of_memory();
}

bool list_append_one(Typed *self, PyObject *item) {
  if (!self->block) {
    const Type *type = type_of_first_item(item);
    if (!type || !make_block(self, types::list(type, true)))
      return false;
  }
  nj_list &list = list_of(self);
  if (!may_be_item(item, item_of(self)) ||
      (list.length == list.capacity && !grow(self, list.length + 1)))
    return false;
  // Making the item may run Python code, which may change this list.
  std::vector<char> memory(layout_of(item_of(self)).size);
  if (!unbox_to(item, item_of(self), memory.data()))
    return false;
  if (list.length == list.capacity && !grow(self, list.length + 1))
    return false;
  std::memcpy(item_at(self, list.length), memory.data(), memory.size());
  ++list.length;
  list.dirty = 1;
  return true;
}

PyObject *list_append(PyObject *object, PyObject *item) {
  if (!list_append_one(as_typed(object), item))
    return nullptr;
  Py_RETURN_NONE;
}

bool make_room(Typed *self, int64_t items) { return grow(self, list_of(self).length + items); }

/// The memory behind the items.
char *end_of(Typed *self) { return item_at(self, list_of(self).length); }

bool extend_by_array(Typed *self, PyArrayObject *array) {
  const npy_intp count = PyArray_DIM(array, 0), stride = PyArray_STRIDE(array, 0);
  const int64_t size = layout_of(item_of(self)).size;
  if (!make_room(self, count))
    return false;
  char *to = end_of(self);
  const char *from = PyArray_BYTES(array);
  if (stride == size)
    std::memcpy(to, from, count * size);
  else
    for (npy_intp i = 0; i < count; ++i)
      std::memcpy(to + i * size, from + i * stride, size);
  list_of(self).length += count;
  return true;
}

bool is_array_of(PyObject *object, const Type *item) {
  if (!PyArray_Check(object))
    return false;
  auto *array = reinterpret_cast<PyArrayObject *>(object);
  return PyArray_NDIM(array) == 1 && PyArray_ISBEHAVED_RO(array) &&
         scalar_of_typenum(PyArray_TYPE(array)) == item;
}

/// Appends all items of a Python list, in bulk where they are plain numbers.
bool extend_by_list(Typed *self, PyObject *items) {
  const Type *item = item_of(self);
  if (item->is(ScalarId::Int64) || item->is(ScalarId::Float64)) {
    const Py_ssize_t count = PyList_GET_SIZE(items);
    if (!make_room(self, count))
      return false;
    char *to = end_of(self);
    Py_ssize_t i = 0;
    for (; i < count; ++i) {
      PyObject *each = PyList_GET_ITEM(items, i);
      if (item->is(ScalarId::Float64)) {
        if (!PyFloat_CheckExact(each))
          break;
        reinterpret_cast<double *>(to)[i] = PyFloat_AS_DOUBLE(each);
      } else if (!PyLong_CheckExact(each) || !fast_long(each, reinterpret_cast<int64_t *>(to)[i])) {
        break;
      }
    }
    list_of(self).length += i;
    for (; i < PyList_GET_SIZE(items); ++i)
      if (!list_append_one(self, PyList_GET_ITEM(items, i)))
        return false;
    return true;
  }
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items); ++i)
    if (!list_append_one(self, Ref::borrow(PyList_GET_ITEM(items, i)).get()))
      return false;
  return true;
}

/// _extend(items): a sequence or iterable.
PyObject *list_extend(PyObject *object, PyObject *given) {
  Typed *self = as_typed(object);
  Ref items(PyList_CheckExact(given) || PyArray_Check(given) ? Py_NewRef(given)
                                                             : PySequence_List(given));
  if (!items)
    return nullptr;
  if (!self->block) { // the first item says what the others are
    const Py_ssize_t size = PySequence_Size(items.get());
    if (size < 0)
      return nullptr;
    if (size == 0)
      Py_RETURN_NONE;
    Ref first(PyList_CheckExact(items.get()) ? nullptr : PySequence_GetItem(items.get(), 0));
    const Type *type = PyList_CheckExact(items.get()) ? type_of_first_items(items.get())
                       : first                        ? type_of_first_item(first.get())
                                                      : nullptr;
    if (!type || !make_block(self, types::list(type, true)))
      return nullptr;
  }
  if (PyArray_Check(items.get()) && !is_array_of(items.get(), item_of(self)))
    items = Ref(PySequence_List(items.get()));
  if (!items || !(PyArray_Check(items.get())
                      ? extend_by_array(self, reinterpret_cast<PyArrayObject *>(items.get()))
                      : extend_by_list(self, items.get())))
    return nullptr;
  Py_RETURN_NONE;
}

PyObject *list_items(PyObject *object, PyObject *) {
  Typed *self = as_typed(object);
  return self->block ? items_to_python(list_of(self), item_of(self)) : PyList_New(0);
}

PyObject *list_clear(PyObject *object, PyObject *) {
  Typed *self = as_typed(object);
  if (self->block) {
    const int64_t length = std::exchange(list_of(self).length, 0);
    list_of(self).dirty = 1;
    release_items(self, 0, length);
  }
  Py_RETURN_NONE;
}

PyObject *list_get(PyObject *object, Py_ssize_t index) {
  if (index < 0 || index >= list_length(object)) {
    PyErr_SetString(PyExc_IndexError, "list index out of range");
    return nullptr;
  }
  Typed *self = as_typed(object);
  return box_from(item_of(self), item_at(self, index));
}

/// An index from Python as one from 0 on; -1 with an exception set.
Py_ssize_t checked_index(PyObject *object, PyObject *given, const char *message) {
  Py_ssize_t index = PyNumber_AsSsize_t(given, PyExc_IndexError);
  if (index == -1 && PyErr_Occurred())
    return -1;
  if (index < 0)
    index += list_length(object);
  if (index >= 0 && index < list_length(object))
    return index;
  PyErr_SetString(PyExc_IndexError, message);
  return -1;
}

PyObject *list_slice(PyObject *object, PyObject *slice) {
  Py_ssize_t start, stop, step;
  if (PySlice_Unpack(slice, &start, &stop, &step) < 0)
    return nullptr;
  const Py_ssize_t count = PySlice_AdjustIndices(list_length(object), &start, &stop, step);
  Typed *self = as_typed(object);
  PyTypeObject *cls = Py_TYPE(object);
  Ref made(cls->tp_alloc(cls, 0));
  if (!made || !self->type)
    return made.release();
  Typed *part = as_typed(made.get());
  if (!make_block(part, self->type) || !grow(part, count))
    return nullptr;
  const int64_t size = layout_of(item_of(self)).size;
  for (Py_ssize_t i = 0; i < count; ++i) {
    std::memcpy(item_at(part, i), item_at(self, start + i * step), size);
    for (const LeafInfo &leaf : layout_of(item_of(self)).leaves)
      if (leaf.owner)
        nj_retain(owner_at(item_at(part, i) + leaf.offset));
  }
  list_of(part).length = count;
  return made.release();
}

PyObject *list_subscript(PyObject *object, PyObject *index) {
  if (PySlice_Check(index))
    return list_slice(object, index);
  Py_ssize_t at = checked_index(object, index, "list index out of range");
  return at < 0 ? nullptr : list_get(object, at);
}

int list_delete(PyObject *object, Py_ssize_t at) {
  Typed *self = as_typed(object);
  const int64_t size = layout_of(item_of(self)).size;
  std::vector<char> old(item_at(self, at), item_at(self, at) + size);
  nj_list &list = list_of(self);
  std::memmove(item_at(self, at), item_at(self, at + 1), (list.length - at - 1) * size);
  std::memcpy(item_at(self, list.length - 1), old.data(), size);
  --list.length;
  list.dirty = 1;
  release_items(self, list.length, list.length + 1);
  return 0;
}

/// Items by index; slices are assigned by the Python class.
int list_assign(PyObject *object, PyObject *index, PyObject *value) {
  Py_ssize_t at = checked_index(object, index, "list assignment index out of range");
  if (at < 0)
    return -1;
  if (!value)
    return list_delete(object, at);
  Typed *self = as_typed(object);
  const int64_t size = layout_of(item_of(self)).size;
  std::vector<char> made(size);
  if (!may_be_item(value, item_of(self)) || !unbox_to(value, item_of(self), made.data()))
    return -1;
  if (at >= list_length(object)) { // making the value may run Python code
    PyErr_SetString(PyExc_IndexError, "list assignment index out of range");
    return -1;
  }
  list_of(self).dirty = 1;
  replace_item(item_of(self), item_at(self, at), made.data());
  return 0;
}

PyObject *list_iterate(PyObject *object) { return PySeqIter_New(object); }

PyMethodDef list_methods[] = {{"_init", init, METH_O, "makes it empty, of a type or untyped"},
                              {"append", list_append, METH_O, "puts an item at the end"},
                              {"_extend", list_extend, METH_O, "appends all items of an iterable"},
                              {"_items", list_items, METH_NOARGS, "a Python list of the items"},
                              {"clear", list_clear, METH_NOARGS, "removes all items"},
                              {}};

PyType_Slot list_slots[] = {{Py_tp_doc, const_cast<char *>("What numjit.typed.List is made of.")},
                            {Py_tp_methods, list_methods},
                            {Py_tp_iter, reinterpret_cast<void *>(list_iterate)},
                            {Py_sq_length, reinterpret_cast<void *>(list_length)},
                            {Py_sq_item, reinterpret_cast<void *>(list_get)},
                            {Py_mp_length, reinterpret_cast<void *>(list_length)},
                            {Py_mp_subscript, reinterpret_cast<void *>(list_subscript)},
                            {Py_mp_ass_subscript, reinterpret_cast<void *>(list_assign)},
                            {0, nullptr}};

} // namespace

PyType_Spec list_spec = {"numjit._core.TypedList", sizeof(Typed), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, list_slots};

} // namespace numjit::typed_parts
