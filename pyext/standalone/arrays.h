/* Arrays to slots and back, without a copy: data, owner, shape and, unless they follow from the
   shape, strides. */
#ifndef NUMJIT_STANDALONE_ARRAYS_H
#define NUMJIT_STANDALONE_ARRAYS_H

#include "pyext/standalone/python.h"

/* The Python object behind an owner; null for a block of ours. */
static PyObject *nj_foreign_object(uint64_t owner) {
  return owner & NJ_FOREIGN_BIT ? (PyObject *)(owner - NJ_FOREIGN_BIT) : NULL;
}

static uint64_t nj_owner_of(PyObject *object) { return (uint64_t)object | NJ_FOREIGN_BIT; }

static int nj_has_items(PyArrayObject *array, const nj_type *type) {
  PyArray_Descr *descr = PyArray_DESCR(array);
  const nj_dtype *dtype = type->params[0]->dtype;
  if (dtype)
    return PyArray_EquivTypes(descr, dtype->found);
  const int32_t number = type->params[0]->number;
  return (descr->type_num == number || PyArray_EquivTypenums(descr->type_num, number)) &&
         PyArray_ISNBO(descr->byteorder);
}

/* A new reference. */
static PyArray_Descr *nj_descr_of(const nj_type *element) {
  if (!element->dtype)
    return PyArray_DescrFromType(element->number);
  Py_INCREF(element->dtype->found);
  return element->dtype->found;
}

static int nj_is_array_of(PyObject *object, const nj_type *type) {
  if (!PyArray_Check(object))
    return 0;
  PyArrayObject *array = (PyArrayObject *)object;
  return PyArray_NDIM(array) == type->ndim && nj_has_items(array, type) &&
         (type->is_unaligned || PyArray_ISALIGNED(array)) &&
         (type->readonly || PyArray_ISWRITEABLE(array)) &&
         (type->layout != 'C' || PyArray_IS_C_CONTIGUOUS(array)) &&
         (type->layout != 'F' || PyArray_IS_F_CONTIGUOUS(array));
}

static int nj_has_strides(const nj_type *type) {
  return type->layout != 'C' && type->layout != 'F';
}

static int nj_unbox_array(PyObject *object, const nj_type *type, uint64_t **slots) {
  if (!nj_is_array_of(object, type))
    return nj_wrong_class(object, type);
  PyArrayObject *array = (PyArrayObject *)object;
  *(*slots)++ = (uint64_t)PyArray_DATA(array);
  *(*slots)++ = nj_owner_of(object);
  for (int i = 0; i < type->ndim; ++i)
    *(*slots)++ = (uint64_t)PyArray_DIM(array, i);
  for (int i = 0; nj_has_strides(type) && i < type->ndim; ++i)
    *(*slots)++ = (uint64_t)PyArray_STRIDE(array, i);
  return 1;
}

/* Whether an object is the array that a value is, so that it need not be made anew. */
static int nj_is_same_array(PyObject *object, const nj_type *type, const uint64_t *slots) {
  if (!PyArray_Check(object))
    return 0;
  PyArrayObject *array = (PyArrayObject *)object;
  if (PyArray_NDIM(array) != type->ndim || !nj_has_items(array, type) ||
      PyArray_DATA(array) != (void *)slots[0] || type->readonly != !PyArray_ISWRITEABLE(array))
    return 0;
  for (int i = 0; i < type->ndim; ++i) {
    if (PyArray_DIM(array, i) != (npy_intp)slots[2 + i])
      return 0;
    if (nj_has_strides(type) && PyArray_STRIDE(array, i) != (npy_intp)slots[2 + type->ndim + i])
      return 0;
  }
  return type->layout == 'F'   ? PyArray_IS_F_CONTIGUOUS(array)
         : type->layout == 'C' ? PyArray_IS_C_CONTIGUOUS(array)
                               : 1;
}

static void nj_release_memory(PyObject *capsule) {
  nj_release(PyCapsule_GetPointer(capsule, "numjit.memory"));
}

/* What keeps the memory of an array; takes over a count. Null with an exception set. */
static PyObject *nj_base_of(uint64_t owner) {
  PyObject *foreign = nj_foreign_object(owner);
  if (foreign)
    return foreign;
  PyObject *base = PyCapsule_New((void *)owner, "numjit.memory", nj_release_memory);
  if (!base)
    nj_release((void *)owner);
  return base;
}

static PyObject *nj_box_array(const nj_type *type, const uint64_t **slots) {
  const uint64_t *value = *slots;
  const int ndim = type->ndim;
  const uint64_t owner = value[1];
  *slots += 2 + (nj_has_strides(type) ? 2 : 1) * ndim;
  PyObject *base = owner ? nj_base_of(owner) : NULL;
  if (owner && !base)
    return NULL;
  if (nj_foreign_object(owner) && nj_is_same_array(base, type, value))
    return base;
  npy_intp shape[NPY_MAXDIMS], strides[NPY_MAXDIMS];
  npy_intp step = type->params[0]->bytes;
  for (int i = 0; i < ndim; ++i) {
    shape[i] = (npy_intp)value[2 + i];
    strides[i] = nj_has_strides(type) ? (npy_intp)value[2 + ndim + i] : step;
    step *= shape[i];
  }
  PyObject *array = PyArray_NewFromDescr(&PyArray_Type, nj_descr_of(type->params[0]), ndim, shape,
                                         type->layout == 'C' ? NULL : strides, (void *)value[0],
                                         type->readonly ? 0 : NPY_ARRAY_WRITEABLE, NULL);
  if (array && base && PyArray_SetBaseObject((PyArrayObject *)array, base) < 0)
    Py_CLEAR(array);
  else if (!array)
    Py_XDECREF(base);
  return array;
}

#endif
