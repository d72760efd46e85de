/* Numbers to slots and back, with the conversions that Python itself makes. */
#ifndef NUMJIT_STANDALONE_SCALARS_H
#define NUMJIT_STANDALONE_SCALARS_H

#include "pyext/standalone/python.h"

#include <math.h>
#include <string.h>

/* A Python number, read without loss. */
typedef struct nj_number {
  enum { NJ_IS_SIGNED, NJ_IS_UNSIGNED, NJ_IS_REAL, NJ_IS_COMPLEX } form;
  int64_t integer; /* NJ_IS_UNSIGNED: the bits */
  double real, imag;
} nj_number;

static uint64_t nj_slot_of_double(double value) {
  uint64_t slot;
  memcpy(&slot, &value, sizeof slot);
  return slot;
}

static uint64_t nj_slot_of_float(double value) {
  const float rounded = (float)value;
  uint32_t bits;
  memcpy(&bits, &rounded, sizeof bits);
  return bits;
}

static double nj_real_of_slot(const nj_type *type, uint64_t slot) {
  double value;
  float single;
  if (type->bytes == 4 || (type->kind == NJ_COMPLEX && type->bytes == 8)) {
    const uint32_t bits = (uint32_t)slot;
    memcpy(&single, &bits, sizeof single);
    return single;
  }
  memcpy(&value, &slot, sizeof value);
  return value;
}

static int nj_does_not_fit(PyObject *object, const nj_type *type) {
  PyErr_Format(PyExc_OverflowError, "%R does not fit into %s", object, type->text);
  return 0;
}

static int nj_is_integer(const nj_type *type) {
  return type->kind == NJ_SIGNED || type->kind == NJ_UNSIGNED;
}

static int nj_read_integer(PyObject *object, const nj_type *type, nj_number *number) {
  int overflow = 0;
  number->integer = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow > 0) {
    number->form = NJ_IS_UNSIGNED;
    number->integer = (int64_t)PyLong_AsUnsignedLongLong(object);
    if (!PyErr_Occurred())
      return 1;
    PyErr_Clear();
  }
  if (!overflow)
    return !PyErr_Occurred();
  if (nj_is_integer(type))
    return nj_does_not_fit(object, type);
  number->form = NJ_IS_REAL; /* floats take what float() makes of it */
  number->real = type->kind == NJ_BOOL ? 1 : PyLong_AsDouble(object);
  return !PyErr_Occurred();
}

static int nj_read_number(PyObject *object, const nj_type *type, nj_number *number) {
  *number = (nj_number){NJ_IS_SIGNED, 0, 0, 0};
  if (PyFloat_Check(object)) {
    number->form = NJ_IS_REAL;
    number->real = PyFloat_AS_DOUBLE(object);
    return 1;
  }
  if (PyLong_Check(object))
    return nj_read_integer(object, type, number);
  if (PyComplex_Check(object) || PyArray_IsScalar(object, ComplexFloating)) {
    const Py_complex parts = PyComplex_AsCComplex(object);
    *number = (nj_number){NJ_IS_COMPLEX, 0, parts.real, parts.imag};
    return !PyErr_Occurred();
  }
  if (PyArray_IsScalar(object, Bool)) {
    number->integer = PyObject_IsTrue(object);
    return number->integer >= 0;
  }
  if (PyArray_IsScalar(object, Integer)) {
    PyObject *integer = PyNumber_Index(object);
    const int fine = integer && nj_read_integer(integer, type, number);
    Py_XDECREF(integer);
    return fine;
  }
  if (PyArray_IsScalar(object, Floating)) {
    number->form = NJ_IS_REAL;
    number->real = PyFloat_AsDouble(object);
    return !PyErr_Occurred();
  }
  PyErr_Format(PyExc_TypeError, "must be a number, not %.200s", Py_TYPE(object)->tp_name);
  return 0;
}

/* A float without its fraction, as int() makes it. */
static int nj_truncate(PyObject *object, const nj_type *type, nj_number *number) {
  const double whole = trunc(number->real);
  if (isnan(whole)) {
    PyErr_SetString(PyExc_ValueError, "cannot convert float NaN to integer");
    return 0;
  }
  if (!(whole >= -0x1p63 && whole < 0x1p64))
    return nj_does_not_fit(object, type);
  number->form = whole < 0x1p63 ? NJ_IS_SIGNED : NJ_IS_UNSIGNED;
  number->integer = whole < 0x1p63 ? (int64_t)whole : (int64_t)(uint64_t)whole;
  return 1;
}

static int nj_put_integer(PyObject *object, nj_number number, const nj_type *type, uint64_t *slot) {
  if (number.form == NJ_IS_REAL && !nj_truncate(object, type, &number))
    return 0;
  const int is_huge = number.form == NJ_IS_UNSIGNED && number.integer < 0; /* at least 2**63 */
  const int bits = 8 * type->bytes;
  int fits;
  if (type->kind == NJ_SIGNED) {
    const int64_t most = (int64_t)(((uint64_t)1 << (bits - 1)) - 1);
    fits = !is_huge && number.integer <= most && number.integer >= -most - 1;
  } else {
    fits =
        (is_huge || number.integer >= 0) && (bits == 64 || (uint64_t)number.integer >> bits == 0);
  }
  *slot = (uint64_t)number.integer;
  return fits || nj_does_not_fit(object, type);
}

static double nj_as_double(const nj_number *number) {
  switch (number->form) {
  case NJ_IS_SIGNED: return (double)number->integer;
  case NJ_IS_UNSIGNED: return (double)(uint64_t)number->integer;
  default: return number->real;
  }
}

static int nj_unbox_number(PyObject *object, const nj_type *type, uint64_t **slots) {
  nj_number number;
  if (!nj_read_number(object, type, &number))
    return 0;
  if (number.form == NJ_IS_COMPLEX && type->kind != NJ_COMPLEX) {
    PyErr_Format(PyExc_TypeError, "can't convert complex to %s", type->text);
    return 0;
  }
  const double real = nj_as_double(&number);
  switch (type->kind) {
  case NJ_BOOL:
    *(*slots)++ = number.form < NJ_IS_REAL ? number.integer != 0 : number.real != 0;
    return 1;
  case NJ_FLOAT:
    *(*slots)++ = type->bytes == 4 ? nj_slot_of_float(real) : nj_slot_of_double(real);
    return 1;
  case NJ_COMPLEX:
    *(*slots)++ = type->bytes == 8 ? nj_slot_of_float(real) : nj_slot_of_double(real);
    *(*slots)++ = type->bytes == 8 ? nj_slot_of_float(number.imag) : nj_slot_of_double(number.imag);
    return 1;
  default: return nj_put_integer(object, number, type, (*slots)++);
  }
}

static PyObject *nj_box_integer(const nj_type *type, uint64_t slot) {
  const int unused = 64 - 8 * type->bytes;
  if (type->kind == NJ_UNSIGNED)
    return PyLong_FromUnsignedLongLong(slot << unused >> unused);
  return PyLong_FromLongLong((int64_t)(slot << unused) >> unused);
}

static PyObject *nj_box_number(const nj_type *type, const uint64_t **slots) {
  const uint64_t first = *(*slots)++;
  switch (type->kind) {
  case NJ_BOOL: return Py_NewRef(first & 1 ? Py_True : Py_False);
  case NJ_FLOAT: return PyFloat_FromDouble(nj_real_of_slot(type, first));
  case NJ_COMPLEX: {
    const double real = nj_real_of_slot(type, first), imag = nj_real_of_slot(type, *(*slots)++);
    return PyComplex_FromDoubles(real, imag);
  }
  default: return nj_box_integer(type, first);
  }
}

#endif
