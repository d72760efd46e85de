/* Values of any type to slots and back. A value takes one slot for each of its leaves, in order. */
#ifndef NUMJIT_STANDALONE_VALUES_H
#define NUMJIT_STANDALONE_VALUES_H

#include "pyext/standalone/items.h"
#include "pyext/standalone/scalars.h"
#include "runtime/string_layout.h"

static PyObject *nj_box(const nj_type *type, const uint64_t **slots);

/* A Python list that was copied. */
typedef struct nj_copy {
  PyObject *object;
  void *block;
  const nj_type *type;
} nj_copy;

/* What a call needs as long as it lasts. */
typedef struct nj_kept {
  PyObject *objects; /* a list, or null */
  nj_copy *copies;
  int32_t copy_count, copy_room;
} nj_kept;

static int nj_keep(nj_kept *kept, PyObject *object) {
  if (!kept->objects)
    kept->objects = PyList_New(0);
  return kept->objects && PyList_Append(kept->objects, object) == 0;
}

/* -- strings, bytes -----------------------------------------------------------------------------
 */

static int nj_unbox_string(PyObject *object, const nj_type *type, uint64_t **slots) {
  if (!PyUnicode_Check(object))
    return nj_wrong_class(object, type);
#if PY_VERSION_HEX < 0x030c0000
  if (PyUnicode_READY(object) < 0)
    return 0;
#endif
  *(*slots)++ = (uint64_t)PyUnicode_DATA(object);
  *(*slots)++ = nj_owner_of(object);
  *(*slots)++ = (uint64_t)PyUnicode_GET_LENGTH(object);
  *(*slots)++ = (uint64_t)PyUnicode_KIND(object);
  return 1;
}

static PyObject *nj_box_string(const uint64_t **slots) {
  const uint64_t *value = *slots;
  *slots += 4;
  PyObject *object = nj_foreign_object(value[1]);
  if (object && PyUnicode_Check(object) && PyUnicode_DATA(object) == (void *)value[0] &&
      PyUnicode_GET_LENGTH(object) == (Py_ssize_t)value[2])
    return object; /* with the count that we were given */
  PyObject *made =
      PyUnicode_FromKindAndData((int)value[3], (const void *)value[0], (Py_ssize_t)value[2]);
  nj_release((void *)value[1]);
  return made;
}

static int nj_unbox_bytes(nj_kept *kept, PyObject *object, const nj_type *type, uint64_t **slots) {
  if (!(type->readonly ? PyBytes_Check(object) : PyByteArray_Check(object)))
    return nj_wrong_class(object, type);
  if (!type->readonly) { /* its memory must stay where it is */
    PyObject *view = PyMemoryView_FromObject(object);
    const int fine = view && nj_keep(kept, view);
    Py_XDECREF(view);
    if (!fine)
      return 0;
  }
  *(*slots)++ =
      (uint64_t)(type->readonly ? PyBytes_AS_STRING(object) : PyByteArray_AS_STRING(object));
  *(*slots)++ = nj_owner_of(object);
  *(*slots)++ = (uint64_t)Py_SIZE(object);
  return 1;
}

static PyObject *nj_box_bytes(const nj_type *type, const uint64_t **slots) {
  const uint64_t *value = *slots;
  *slots += 3;
  PyObject *object = nj_foreign_object(value[1]);
  const char *data = (const char *)value[0];
  const Py_ssize_t length = (Py_ssize_t)value[2];
  if (object && Py_SIZE(object) == length &&
      (type->readonly ? PyBytes_Check(object) && PyBytes_AS_STRING(object) == data
                      : PyByteArray_Check(object) && PyByteArray_AS_STRING(object) == data))
    return object;
  PyObject *made = type->readonly ? PyBytes_FromStringAndSize(data, length)
                                  : PyByteArray_FromStringAndSize(data, length);
  nj_release((void *)value[1]);
  return made;
}

/* -- what is made of other values ---------------------------------------------------------------
 */

static int nj_unbox(nj_kept *kept, PyObject *object, const nj_type *type, uint64_t **slots);

static int nj_unbox_tuple(nj_kept *kept, PyObject *object, const nj_type *type, uint64_t **slots) {
  if (!PyTuple_Check(object))
    return nj_wrong_class(object, type);
  if (PyTuple_GET_SIZE(object) != type->count) {
    PyErr_Format(PyExc_ValueError, "size mismatch for tuple, expected %d element(s) but got %zd",
                 (int)type->count, PyTuple_GET_SIZE(object));
    return 0;
  }
  for (int32_t i = 0; i < type->count; ++i)
    if (!nj_unbox(kept, PyTuple_GET_ITEM(object, i), type->params[i], slots))
      return 0;
  return 1;
}

static int nj_unbox_optional(nj_kept *kept, PyObject *object, const nj_type *type,
                             uint64_t **slots) {
  *(*slots)++ = object != Py_None;
  if (object != Py_None)
    return nj_unbox(kept, object, type->params[0], slots);
  for (int32_t i = 0; i < type->params[0]->slots; ++i)
    *(*slots)++ = 0;
  return 1;
}

static PyObject *nj_box_optional(const nj_type *type, const uint64_t **slots) {
  if (*(*slots)++ & 1)
    return nj_box(type->params[0], slots);
  *slots += type->params[0]->slots;
  return Py_NewRef(Py_None);
}

static PyObject *nj_box_tuple(const nj_type *type, const uint64_t **slots) {
  PyObject *items = PyTuple_New(type->count);
  for (int32_t i = 0; items && i < type->count; ++i) {
    PyObject *item = nj_box(type->params[i], slots);
    if (item)
      PyTuple_SET_ITEM(items, i, item);
    else
      Py_CLEAR(items);
  }
  if (!items || type->kind == NJ_TUPLE)
    return items;
  PyObject *cls = nj_find_class(type->cls);
  Py_SETREF(items, cls ? PyObject_Call(cls, items, NULL) : NULL);
  return items;
}

static void nj_retain_owners(const nj_type *type, const uint64_t *slots) {
  for (int32_t i = 0; i < type->slots; ++i)
    if (type->leaves[i].is_owner)
      nj_retain((void *)slots[i]);
}

/* A memoryview or array.array as the array that it shows. */
static int nj_unbox_shown(nj_kept *kept, PyObject *object, const nj_type *type, uint64_t **slots) {
  if (PyArray_Check(object) || !PyObject_CheckBuffer(object) || PyBytes_Check(object) ||
      PyByteArray_Check(object))
    return nj_unbox_array(object, type, slots);
  PyObject *array = PyArray_FromAny(object, NULL, 0, 0, 0, NULL);
  const int fine = array && nj_keep(kept, array);
  Py_XDECREF(array);
  return fine && nj_unbox_array(array, type, slots);
}

static int nj_unbox_list(nj_kept *kept, PyObject *object, const nj_type *type, uint64_t **slots);
static PyObject *nj_box_list(const nj_type *type, const uint64_t **slots); /* lists.h, both */

static int nj_unbox(nj_kept *kept, PyObject *object, const nj_type *type, uint64_t **slots) {
  switch (type->kind) {
  case NJ_NONE: return object == Py_None || nj_wrong_class(object, type);
  case NJ_BOOL:
  case NJ_SIGNED:
  case NJ_UNSIGNED:
  case NJ_FLOAT:
  case NJ_COMPLEX: return nj_unbox_number(object, type, slots);
  case NJ_ARRAY: return nj_unbox_shown(kept, object, type, slots);
  case NJ_STRING: return nj_unbox_string(object, type, slots);
  case NJ_BYTES: return nj_unbox_bytes(kept, object, type, slots);
  case NJ_TUPLE:
  case NJ_NAMED_TUPLE: return nj_unbox_tuple(kept, object, type, slots);
  case NJ_OPTIONAL: return nj_unbox_optional(kept, object, type, slots);
  case NJ_LIST: return nj_unbox_list(kept, object, type, slots);
  case NJ_TIME:
  case NJ_RECORD: return nj_unbox_item(object, type, slots);
  default: return nj_wrong_class(object, type);
  }
}

static PyObject *nj_box_exception(const nj_type *type, const uint64_t **slots); /* errors.h */

/* The object of a value, whose counts it takes over; null with an exception set. */
static PyObject *nj_box(const nj_type *type, const uint64_t **slots) {
  switch (type->kind) {
  case NJ_NONE: return Py_NewRef(Py_None);
  case NJ_BOOL:
  case NJ_SIGNED:
  case NJ_UNSIGNED:
  case NJ_FLOAT:
  case NJ_COMPLEX: return nj_box_number(type, slots);
  case NJ_ARRAY: return nj_box_array(type, slots);
  case NJ_STRING: return nj_box_string(slots);
  case NJ_LITERAL: return PyUnicode_FromString(type->constant);
  case NJ_BYTES: return nj_box_bytes(type, slots);
  case NJ_TUPLE:
  case NJ_NAMED_TUPLE: return nj_box_tuple(type, slots);
  case NJ_OPTIONAL: return nj_box_optional(type, slots);
  case NJ_LIST: return nj_box_list(type, slots);
  case NJ_EXCEPTION: return nj_box_exception(type, slots);
  case NJ_TIME:
  case NJ_RECORD: return nj_box_item(type, slots);
  default:
    PyErr_Format(PyExc_TypeError, "a value of type %s cannot be given to Python", type->text);
    return NULL;
  }
}

#endif
