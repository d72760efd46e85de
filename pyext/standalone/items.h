/* np.datetime64, np.timedelta64 and records to slots and back. */
#ifndef NUMJIT_STANDALONE_ITEMS_H
#define NUMJIT_STANDALONE_ITEMS_H

#include "pyext/standalone/arrays.h"

#include <numpy/arrayscalars.h>

/* Whether an object is a scalar of NumPy with a dtype of this kind; the dtype, or null. */
static PyArray_Descr *nj_descr_of_item(PyObject *object, const nj_type *type) {
  if (!PyArray_IsScalar(object, Datetime) && !PyArray_IsScalar(object, Timedelta) &&
      !PyArray_IsScalar(object, Void))
    return NULL;
  PyArray_Descr *own = PyArray_DescrFromScalar(object);
  if (own && own->type_num != type->dtype->found->type_num)
    Py_CLEAR(own);
  return own;
}

static int nj_unbox_item(PyObject *object, const nj_type *type, uint64_t **slots) {
  PyArray_Descr *wanted = type->dtype->found, *own = nj_descr_of_item(object, type);
  const int same = own && PyArray_EquivTypes(own, wanted);
  Py_XDECREF(own);
  if (!own || (!same && type->kind == NJ_RECORD))
    return PyErr_Occurred() ? 0 : nj_wrong_class(object, type);
  if (type->kind == NJ_RECORD) {
    *(*slots)++ = (uint64_t)((PyVoidScalarObject *)object)->obval;
    *(*slots)++ = nj_owner_of(object);
    return 1;
  }
  /* NumPy converts other units. */
  PyObject *time = same ? Py_NewRef(object) : PyObject_CallMethod(object, "astype", "O", wanted);
  if (!time)
    return 0;
  *(*slots)++ =
      (uint64_t)(wanted->type_num == NPY_DATETIME ? ((PyDatetimeScalarObject *)time)->obval
                                                  : ((PyTimedeltaScalarObject *)time)->obval);
  Py_DECREF(time);
  return 1;
}

/* Of a record a copy, unless it came from Python and was no part of an array. */
static PyObject *nj_box_item(const nj_type *type, const uint64_t **slots) {
  PyArray_Descr *descr = type->dtype->found;
  if (type->kind == NJ_TIME) {
    int64_t count = (int64_t) * (*slots)++;
    return PyArray_Scalar(&count, descr, NULL);
  }
  void *memory = (void *)(*slots)[0];
  const uint64_t owner = (*slots)[1];
  *slots += 2;
  PyObject *object = nj_foreign_object(owner);
  if (object && PyArray_IsScalar(object, Void) && !((PyVoidScalarObject *)object)->base &&
      ((PyVoidScalarObject *)object)->obval == memory)
    return object;
  PyObject *made = PyArray_Scalar(memory, descr, NULL);
  nj_release((void *)owner);
  return made;
}

#endif
