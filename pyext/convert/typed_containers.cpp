#include "pyext/convert/typed_containers.h"

#include "pyext/convert/fast_long.h"
#include "pyext/convert/item_rules.h"
#include "pyext/convert/tables.h"
#include "pyext/convert/typeof.h"
#include "pyext/read/objects.h"
#include "pyext/read/scalar_codes.h"
#include "pyext/read/type_handle.h"
#include "typeinfer/types/item_descriptor.h"

#include <cstring>

namespace numjit {

PyTypeObject *typed_base = nullptr;

namespace {

Typed *as_typed(PyObject *object) { return reinterpret_cast<Typed *>(object); }

PyObject *out_of_memory() {
  nj_clear_error();
  return PyErr_NoMemory();
}

/// The class in numjit.typed that values of a type get in Python; borrowed.
PyTypeObject *class_of(const Type *type) {
  static PyObject *list, *dict, *set;
  const bool is_dict = type->kind == Kind::Dict, is_set = type->kind == Kind::Set;
  PyObject *&cls = is_dict ? dict : is_set ? set : list;
  if (!cls)
    if (Ref module = Ref(PyImport_ImportModule("numjit.typed")))
      cls = PyObject_GetAttrString(module.get(), is_dict ? "Dict" : is_set ? "Set" : "List");
  return reinterpret_cast<PyTypeObject *>(cls);
}

bool make_block(Typed *self, const Type *type) {
  void *block = nullptr;
  const int32_t status = type->kind != Kind::List
                             ? nj_table_new(item_descriptor(entry_type(type)), &block)
                             : nj_list_new(0, layout_of(type->params[0]).size,
                                           item_descriptor(type->params[0]), &block);
  if (status != 0)
    return out_of_memory();
  self->type = type;
  self->block = static_cast<nj_block *>(block);
  return true;
}

// --- both ---

/// _init(type or None): what __init__ of the Python class calls.
PyObject *init(PyObject *object, PyObject *handle) {
  Typed *self = as_typed(object);
  const Type *type = handle == Py_None ? nullptr : type_object(handle);
  if (!type && handle != Py_None) {
    PyErr_SetString(PyExc_TypeError, "expected a type");
    return nullptr;
  }
  if (self->block)
    nj_release(std::exchange(self->block, nullptr));
  self->type = nullptr;
  if (type && !make_block(self, type))
    return nullptr;
  Py_RETURN_NONE;
}

PyObject *get_type(PyObject *object, void *) {
  const Type *type = as_typed(object)->type;
  return type ? type_handle(type) : Py_NewRef(Py_None);
}

PyObject *get_address(PyObject *object, void *) {
  return PyLong_FromVoidPtr(as_typed(object)->block);
}

void destroy(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  if (PyType_IS_GC(type))
    PyObject_GC_UnTrack(object);
  if (nj_block *block = as_typed(object)->block)
    nj_release(block);
  type->tp_free(object);
  Py_DECREF(type);
}

PyGetSetDef properties[] = {{"_type", get_type, nullptr, "row of its type, None: untyped", nullptr},
                            {"_address", get_address, nullptr, "where its block is", nullptr},
                            {}};

// --- lists ---

nj_list &list_of(Typed *self) {
  return *reinterpret_cast<nj_list *>(reinterpret_cast<char *>(self->block) + NJ_PAYLOAD_OFFSET);
}

Py_ssize_t list_length(PyObject *object) {
  Typed *self = as_typed(object);
  return self->block ? list_of(self).length : 0;
}

const Type *item_of(Typed *self) { return self->type->params[0]; }

char *item_at(Typed *self, int64_t index) {
  return list_of(self).data + index * layout_of(item_of(self)).size;
}

void release_items(Typed *self, int64_t from, int64_t to) {
  for (int64_t i = from; i < to; ++i)
    for (const LeafInfo &leaf : layout_of(item_of(self)).leaves)
      if (leaf.owner) {
        void *owner;
        std::memcpy(&owner, item_at(self, i) + leaf.offset, sizeof owner);
        nj_release(owner);
      }
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
      if (leaf.owner) {
        void *owner;
        std::memcpy(&owner, item_at(part, i) + leaf.offset, sizeof owner);
        nj_retain(owner);
      }
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
PyType_Spec list_spec = {"numjit._core.TypedList", sizeof(Typed), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, list_slots};

// --- dicts ---

Py_ssize_t dict_length(PyObject *object) {
  Typed *self = as_typed(object);
  return self->block ? table_of(self->block).used : 0;
}

PyObject *key_error(PyObject *key) {
  if (!PyErr_Occurred())
    PyErr_SetObject(PyExc_KeyError, Ref(PyTuple_Pack(1, key)).get());
  return nullptr;
}

/// Number of a key's entry, -1 if there is none; -2 with an exception set.
int64_t find(Typed *self, PyObject *key) {
  if (!self->block)
    return -1;
  if (!may_be_item(key, self->type->params[0]))
    return -2;
  const int64_t found = Table(self->type, self->block).find(key);
  if (found != -2 || !PyErr_ExceptionMatches(PyExc_OverflowError))
    return found;
  PyErr_Clear(); // an int that the type does not hold is none of the keys
  return -1;
}

PyObject *dict_subscript(PyObject *object, PyObject *key) {
  Typed *self = as_typed(object);
  const int64_t entry = find(self, key);
  return entry < 0 ? key_error(key) : Table(self->type, self->block).value(entry);
}

int dict_contains(PyObject *object, PyObject *key) {
  const int64_t entry = find(as_typed(object), key);
  return entry == -2 ? -1 : entry >= 0;
}

int dict_assign(PyObject *object, PyObject *key, PyObject *value) {
  Typed *self = as_typed(object);
  if (!self->block && value) {
    const Type *key_type = type_of_first_item(key);
    const Type *value_type = key_type ? type_of_first_item(value) : nullptr;
    if (!value_type || !make_block(self, types::dict(key_type, value_type)))
      return -1;
  }
  if (!value) {
    const int64_t at = find(self, key);
    if (at < 0)
      return key_error(key), -1;
    Table(self->type, self->block).remove(at);
    return 0;
  }
  if (!may_be_item(key, self->type->params[0]) || !may_be_item(value, self->type->params[1]))
    return -1;
  Table table(self->type, self->block);
  int64_t entry = table.find(key);
  if (entry >= 0)
    return table.set_value(entry, value, true) ? 0 : -1;
  entry = entry == -1 ? table.insert() : -1;
  if (entry < 0)
    return -1;
  // A value that cannot be made leaves nothing behind: nothing is owned by zeroed memory.
  std::memset(table.value_at(entry), 0, layout_of(self->type->params[1]).size);
  if (table.set_value(entry, value, false))
    return 0;
  table.remove(entry);
  return -1;
}

/// A Python list of what `of` returns for each entry.
template <class Of>
PyObject *entries(PyObject *object, Of of) {
  Typed *self = as_typed(object);
  PyObject *made = PyList_New(dict_length(object));
  if (!made || !self->block)
    return made;
  Table table(self->type, self->block);
  Py_ssize_t at = 0;
  for (int64_t i = 0; i < table.header().end && at < PyList_GET_SIZE(made); ++i) {
    if (!table.is_alive(i))
      continue;
    PyObject *item = of(table, i);
    if (!item) {
      Py_DECREF(made);
      return nullptr;
    }
    PyList_SET_ITEM(made, at++, item);
  }
  return made;
}

PyObject *dict_keys(PyObject *object, PyObject *) {
  return entries(object, [](Table &table, int64_t i) { return table.key(i); });
}
PyObject *dict_values(PyObject *object, PyObject *) {
  return entries(object, [](Table &table, int64_t i) { return table.value(i); });
}
PyObject *dict_items(PyObject *object, PyObject *) {
  return entries(object, [](Table &table, int64_t i) -> PyObject * {
    Ref key(table.key(i)), value(key ? table.value(i) : nullptr);
    return value ? PyTuple_Pack(2, key.get(), value.get()) : nullptr;
  });
}

PyObject *dict_clear(PyObject *object, PyObject *) {
  if (nj_block *block = as_typed(object)->block)
    nj_table_clear(block);
  Py_RETURN_NONE;
}

PyObject *dict_popitem(PyObject *object, PyObject *) {
  Typed *self = as_typed(object);
  if (dict_length(object) == 0) {
    PyErr_SetString(PyExc_KeyError, "popitem(): dictionary is empty");
    return nullptr;
  }
  Table table(self->type, self->block);
  int64_t last = table.header().end - 1;
  while (!table.is_alive(last))
    --last;
  Ref key(table.key(last)), value(key ? table.value(last) : nullptr);
  if (!value)
    return nullptr;
  table.remove(last);
  table.header().end = last;
  return PyTuple_Pack(2, key.get(), value.get());
}

PyObject *set_add(PyObject *object, PyObject *item) {
  Typed *self = as_typed(object);
  if (!self->block) {
    const Type *type = type_of_first_item(item);
    if (!type || !make_block(self, types::set(type, true)))
      return nullptr;
  }
  if (!may_be_item(item, item_of(self)))
    return nullptr;
  Table table(self->type, self->block);
  const int64_t found = table.find(item);
  if (found == -2 || (found == -1 && table.insert() < 0))
    return nullptr;
  Py_RETURN_NONE;
}

PyObject *set_discard(PyObject *object, PyObject *item) {
  Typed *self = as_typed(object);
  const int64_t found = find(self, item);
  if (found == -2)
    return nullptr;
  if (found >= 0)
    Table(self->type, self->block).remove(found);
  return PyBool_FromLong(found >= 0);
}

PyMethodDef set_methods[] = {
    {"_init", init, METH_O, "makes it empty, of a type or untyped"},
    {"add", set_add, METH_O, "puts an item in"},
    {"_discard", set_discard, METH_O, "takes an item out; whether it was there"},
    {"_items", dict_keys, METH_NOARGS, "a Python list of the items"},
    {"clear", dict_clear, METH_NOARGS, "removes all items"},
    {}};

PyType_Slot set_slots[] = {{Py_tp_doc, const_cast<char *>("What numjit.typed.Set is made of.")},
                           {Py_tp_methods, set_methods},
                           {Py_sq_contains, reinterpret_cast<void *>(dict_contains)},
                           {Py_sq_length, reinterpret_cast<void *>(dict_length)},
                           {0, nullptr}};
PyType_Spec set_spec = {"numjit._core.TypedSet", sizeof(Typed), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, set_slots};

PyMethodDef dict_methods[] = {
    {"_init", init, METH_O, "makes it empty, of a type or untyped"},
    {"_keys", dict_keys, METH_NOARGS, "a Python list of the keys"},
    {"_values", dict_values, METH_NOARGS, "a Python list of the values"},
    {"_items", dict_items, METH_NOARGS, "a Python list of keys and values"},
    {"clear", dict_clear, METH_NOARGS, "removes all items"},
    {"popitem", dict_popitem, METH_NOARGS, "removes the last item, and gives it"},
    {}};

PyType_Slot dict_slots[] = {{Py_tp_doc, const_cast<char *>("What numjit.typed.Dict is made of.")},
                            {Py_tp_methods, dict_methods},
                            {Py_sq_contains, reinterpret_cast<void *>(dict_contains)},
                            {Py_mp_length, reinterpret_cast<void *>(dict_length)},
                            {Py_mp_subscript, reinterpret_cast<void *>(dict_subscript)},
                            {Py_mp_ass_subscript, reinterpret_cast<void *>(dict_assign)},
                            {0, nullptr}};
PyType_Spec dict_spec = {"numjit._core.TypedDict", sizeof(Typed), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, dict_slots};

PyType_Slot base_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void *>(destroy)}, {Py_tp_getset, properties}, {0, nullptr}};
PyType_Spec base_spec = {"numjit._core.Typed", sizeof(Typed), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, base_slots};

PyObject *make_class(PyType_Spec &spec) {
  Ref bases(PyTuple_Pack(1, reinterpret_cast<PyObject *>(typed_base)));
  return bases ? PyType_FromSpecWithBases(&spec, bases.get()) : nullptr;
}

} // namespace

PyObject *box_typed(const Type *type, nj_block *block) {
  PyTypeObject *cls = class_of(type);
  PyObject *made = cls ? cls->tp_alloc(cls, 0) : nullptr;
  if (!made) {
    nj_release(block);
    return nullptr;
  }
  as_typed(made)->type = type;
  as_typed(made)->block = block;
  return made;
}

PyObject *box_dict(const Type *type, const uint64_t *&slots) {
  auto *block = reinterpret_cast<nj_block *>(*slots++);
  if (type->readonly) { // a global one: Python gets a dict of its own
    PyObject *copy = copy_of_dict(block, type);
    nj_release(block);
    return copy;
  }
  if (!block->extra)
    return box_typed(type, block);
  auto *made = static_cast<PyObject *>(block->extra); // the dict of an argument
  made = write_dict(block, type, made) ? Py_NewRef(made) : nullptr;
  nj_release(block);
  return made;
}

bool unbox_typed(PyObject *object, const Type *type, uint64_t *&slots) {
  const Typed *typed = typed_container(object);
  if (!typed || typed->type != type) {
    PyErr_Format(typing_error_class(), "can't unbox %.200s as %s",
                 typed && typed->type ? typed->type->text.c_str() : Py_TYPE(object)->tp_name,
                 type->text.c_str());
    return false;
  }
  *slots++ = reinterpret_cast<uint64_t>(typed->block);
  return true;
}

bool init_typed_containers(PyObject *module) {
  typed_base = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&base_spec));
  if (!typed_base)
    return false;
  for (auto [name, spec] : {std::pair{"TypedList", &list_spec}, std::pair{"TypedDict", &dict_spec},
                            std::pair{"TypedSet", &set_spec}})
    if (Ref cls(make_class(*spec)); !cls || PyModule_AddObjectRef(module, name, cls.get()) < 0)
      return false;
  return true;
}

} // namespace numjit
