/* Python lists as lists of the runtime, which are copies, and back. */
#ifndef NUMJIT_STANDALONE_LISTS_H
#define NUMJIT_STANDALONE_LISTS_H

#include "pyext/standalone/values.h"

static nj_list *nj_list_in(const void *block) {
  return (nj_list *)((char *)block + NJ_PAYLOAD_OFFSET);
}

/* -- what lists hold ----------------------------------------------------------------------------
 */

/* Whether a number keeps its value as an item of a list. */
static int nj_accepts_number(PyObject *object, const nj_type *type) {
  if (PyLong_Check(object) && !PyBool_Check(object)) {
    int overflow;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (type->number == NPY_UINT64) /* unboxing refuses what is too large */
      return overflow > 0 || (!overflow && value >= 0);
    return !overflow && PyArray_CanCastSafely(NPY_INT64, type->number);
  }
  if (PyBool_Check(object))
    return PyArray_CanCastSafely(NPY_BOOL, type->number);
  if (PyFloat_CheckExact(object))
    return PyArray_CanCastSafely(NPY_DOUBLE, type->number);
  if (PyComplex_CheckExact(object))
    return type->number == NPY_CDOUBLE;
  if (!PyArray_IsScalar(object, Number) && !PyArray_IsScalar(object, Bool))
    return 0;
  PyArray_Descr *descr = PyArray_DescrFromScalar(object);
  const int fine = descr && PyArray_CanCastSafely(descr->type_num, type->number);
  Py_XDECREF(descr);
  return fine;
}

static int nj_accepts(PyObject *object, const nj_type *type) {
  switch (type->kind) {
  case NJ_BOOL:
  case NJ_SIGNED:
  case NJ_UNSIGNED:
  case NJ_FLOAT:
  case NJ_COMPLEX: return nj_accepts_number(object, type);
  case NJ_OPTIONAL: return object == Py_None || nj_accepts(object, type->params[0]);
  case NJ_TUPLE:
  case NJ_NAMED_TUPLE:
    if (!PyTuple_Check(object) || PyTuple_GET_SIZE(object) != type->count)
      return 0;
    for (int32_t i = 0; i < type->count; ++i)
      if (!nj_accepts(PyTuple_GET_ITEM(object, i), type->params[i]))
        return 0;
    return 1;
  default: return 1; /* unboxing finds out */
  }
}

/* Writes an object as an item; its memory does not own what it refers to. */
static int nj_put_item(nj_kept *kept, PyObject *object, const nj_type *type, char *memory) {
  uint64_t slots[type->slots + 1], *at = slots;
  if (!nj_accepts(object, type) || !nj_unbox(kept, object, type, &at)) {
    if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_TypeError))
      PyErr_Format(PyExc_TypeError, "can't unbox heterogeneous list: %.200s != %s",
                   Py_TYPE(object)->tp_name, type->text);
    return 0;
  }
  for (int32_t i = 0; i < type->slots; ++i)
    memcpy(memory + type->leaves[i].offset, &slots[i], (size_t)type->leaves[i].bytes);
  return 1;
}

static void nj_read_item(const nj_type *type, const char *memory, uint64_t *slots) {
  for (int32_t i = 0; i < type->slots; ++i) {
    slots[i] = 0;
    memcpy(&slots[i], memory + type->leaves[i].offset, (size_t)type->leaves[i].bytes);
  }
}

/* -- from Python --------------------------------------------------------------------------------
 */

static nj_copy *nj_new_copy(nj_kept *kept) {
  if (kept->copy_count == kept->copy_room) {
    const int32_t room = 2 * kept->copy_room + 4;
    nj_copy *copies = PyMem_Realloc(kept->copies, sizeof(nj_copy) * (size_t)room);
    if (!copies) {
      PyErr_NoMemory();
      return NULL;
    }
    kept->copies = copies;
    kept->copy_room = room;
  }
  return &kept->copies[kept->copy_count];
}

static int nj_fill_list(nj_kept *kept, PyObject *object, const nj_type *type, void *block) {
  const nj_type *item = type->params[0];
  nj_list *list = nj_list_in(block);
  if (nj_list_grow(block, PyList_GET_SIZE(object), item->memory_size)) {
    nj_clear_error();
    PyErr_NoMemory();
    return 0;
  }
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(object) && i < list->capacity; ++i) {
    char *memory = list->data + i * item->memory_size;
    PyObject *each = Py_NewRef(PyList_GET_ITEM(object, i));
    const int fine = nj_put_item(kept, each, item, memory);
    if (fine) {
      uint64_t slots[item->slots + 1];
      nj_read_item(item, memory, slots);
      nj_retain_owners(item, slots);
      list->length = i + 1;
    }
    Py_DECREF(each);
    if (!fine)
      return 0;
  }
  list->dirty = 0;
  return 1;
}

/* A list that is passed twice is one inside, too. */
static int nj_unbox_list(nj_kept *kept, PyObject *object, const nj_type *type, uint64_t **slots) {
  if (!PyList_Check(object))
    return nj_wrong_class(object, type);
  for (int32_t i = 0; i < kept->copy_count; ++i)
    if (kept->copies[i].object == object && kept->copies[i].type == type) {
      *(*slots)++ = (uint64_t)kept->copies[i].block;
      return 1;
    }
  void *block = NULL;
  if (nj_list_new(0, type->params[0]->memory_size, type->item, &block)) {
    nj_clear_error();
    PyErr_NoMemory();
    return 0;
  }
  nj_copy *copy = nj_fill_list(kept, object, type, block) ? nj_new_copy(kept) : NULL;
  if (!copy) {
    nj_release(block);
    return 0;
  }
  *copy = (nj_copy){Py_NewRef(object), block, type};
  ((nj_block *)block)->extra = object;
  ++kept->copy_count;
  *(*slots)++ = (uint64_t)block;
  return 1;
}

/* -- to Python ----------------------------------------------------------------------------------
 */

/* Whether an object of the list as it was still is the item, so that it can stay. */
static int nj_still_is(PyObject *object, const nj_type *type, const char *memory) {
  char own[type->memory_size + 1];
  memset(own, 0, sizeof own);
  nj_kept kept = {0};
  int same = type->kind <= NJ_COMPLEX && nj_put_item(&kept, object, type, own);
  for (int32_t i = 0; same && i < type->slots; ++i)
    same = memcmp(own + type->leaves[i].offset, memory + type->leaves[i].offset,
                  (size_t)type->leaves[i].bytes) == 0;
  PyErr_Clear();
  return same;
}

/* A new Python list; `old` is what it was, or null. */
static PyObject *nj_items_to_python(const nj_list *list, const nj_type *item, PyObject *old) {
  PyObject *made = PyList_New(list->length);
  for (int64_t i = 0; made && i < list->length; ++i) {
    const char *memory = list->data + i * item->memory_size;
    PyObject *object = old && i < PyList_GET_SIZE(old) ? PyList_GET_ITEM(old, i) : NULL;
    if (object && nj_still_is(object, item, memory)) {
      PyList_SET_ITEM(made, i, Py_NewRef(object));
      continue;
    }
    uint64_t slots[item->slots + 1];
    const uint64_t *at = slots;
    nj_read_item(item, memory, slots);
    nj_retain_owners(item, slots);
    object = nj_box(item, &at);
    if (object)
      PyList_SET_ITEM(made, i, object);
    else
      Py_CLEAR(made);
  }
  return made;
}

/* Takes over a count. The block of an argument names the list that it came from. */
static PyObject *nj_box_list(const nj_type *type, const uint64_t **slots) {
  nj_block *block = (nj_block *)*(*slots)++;
  PyObject *made = block->extra ? Py_NewRef((PyObject *)block->extra)
                                : nj_items_to_python(nj_list_in(block), type->params[0], NULL);
  nj_release(block);
  return made;
}

/* Changed lists show in Python. */
static int nj_write_back(const nj_kept *kept) {
  for (int32_t i = 0; i < kept->copy_count; ++i) {
    const nj_copy *copy = &kept->copies[i];
    nj_list *list = nj_list_in(copy->block);
    if (!list->dirty)
      continue;
    PyObject *items = nj_items_to_python(list, copy->type->params[0], copy->object);
    const int fine =
        items && PyList_SetSlice(copy->object, 0, PyList_GET_SIZE(copy->object), items) == 0;
    Py_XDECREF(items);
    if (!fine)
      return 0;
  }
  return 1;
}

static void nj_drop_kept(nj_kept *kept) {
  for (int32_t i = 0; i < kept->copy_count; ++i) {
    ((nj_block *)kept->copies[i].block)->extra = NULL; /* it may outlive the call in another list */
    nj_release(kept->copies[i].block);
    Py_DECREF(kept->copies[i].object);
  }
  PyMem_Free(kept->copies);
  Py_XDECREF(kept->objects);
}

#endif
