#include "pyext/convert/typed_containers.h"

#include "pyext/convert/fast_long.h"
#include "pyext/convert/item_rules.h"
#include "pyext/convert/tables.h"
#include "pyext/convert/typed_parts.h"
#include "pyext/convert/typeof.h"
#include "pyext/read/objects.h"
#include "pyext/read/scalar_codes.h"
#include "pyext/read/type_handle.h"
#include "typeinfer/types/item_descriptor.h"

#include <cstring>

namespace numjit {

PyTypeObject *typed_base = nullptr;

namespace typed_parts {

PyObject *out_of_memory() {
  nj_clear_error();
  return PyErr_NoMemory();
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

} // namespace typed_parts

using namespace typed_parts;

namespace {

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

// --- all of them ---

PyObject *get_type(PyObject *object, void *) {
  const Type *type = as_typed(object)->type;
  return type ? type_handle(type) : Py_NewRef(Py_None);
}

PyObject *get_address(PyObject *object, void *) {
  return PyLong_FromVoidPtr(as_typed(object)->block);
}

void container_destroy(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  if (PyType_IS_GC(type))
    PyObject_GC_UnTrack(object);
  if (nj_block *block = as_typed(object)->block)
    nj_release(block);
  type->tp_free(object);
  Py_DECREF(type);
}

PyGetSetDef container_properties[] = {
    {"_type", get_type, nullptr, "row of its type, None: untyped", nullptr},
    {"_address", get_address, nullptr, "where its block is", nullptr},
    {}};

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
    {"popitem", dict_popitem, METH_NOARGS, "removes the last item, and returns it"},
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

PyType_Slot container_slots[] = {{Py_tp_dealloc, reinterpret_cast<void *>(container_destroy)},
                                 {Py_tp_getset, container_properties},
                                 {0, nullptr}};
PyType_Spec base_spec = {"numjit._core.Typed", sizeof(Typed), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, container_slots};

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
