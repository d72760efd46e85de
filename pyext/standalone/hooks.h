/* What the runtime asks of Python (nj_hooks). Compiled code may run with or without the GIL. */
#ifndef NUMJIT_STANDALONE_HOOKS_H
#define NUMJIT_STANDALONE_HOOKS_H

#include "pyext/standalone/errors.h"
#include "runtime/strings.h"

static void nj_retain_foreign(void *object) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  Py_INCREF((PyObject *)object);
  PyGILState_Release(gil);
}

static void nj_release_foreign(void *object) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  Py_DECREF((PyObject *)object);
  PyGILState_Release(gil);
}

static int32_t nj_poll_signals(void) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  const int32_t status = PyErr_CheckSignals();
  PyGILState_Release(gil);
  return status;
}

static int32_t nj_print_values(const nj_print_site *site, const uint64_t *slots) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  const uint64_t *at = slots;
  for (int32_t i = 0; i < site->count; ++i) { /* printing only borrows its arguments */
    nj_retain_owners(site->types[i], at);
    at += ((const nj_type *)site->types[i])->slots;
  }
  PyObject *values = nj_box_all(site->count, site->types, &slots);
  PyObject *function = PyDict_GetItemString(nj_builtins, "print");
  PyObject *done = values && function ? PyObject_Call(function, values, NULL) : NULL;
  const int32_t status = done ? 0 : 1;
  Py_XDECREF(values);
  Py_XDECREF(done);
  PyGILState_Release(gil);
  return status;
}

static void *nj_take_host_exception(void) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  PyObject *exception = nj_take_exception();
  PyGILState_Release(gil);
  return exception;
}

static void nj_set_host_exception(void *exception) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  nj_set_exception(Py_NewRef((PyObject *)exception));
  PyGILState_Release(gil);
}

static int32_t nj_matches(const nj_error *error, void *cls) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  PyObject *raised = nj_class_of_error(error);
  PyObject *wanted = raised ? nj_find_class(cls) : NULL;
  const int32_t same = wanted && PyType_IsSubtype((PyTypeObject *)raised, (PyTypeObject *)wanted);
  PyErr_Clear(); /* a class that is gone matches nothing */
  PyGILState_Release(gil);
  return same;
}

/* A copy of a Python string, whose reference is taken over, in a block of ours; -1 with an
   exception set. */
static int32_t nj_new_text(PyObject *text, void **block) {
  if (!text)
    return -1;
  const int64_t size = PyUnicode_GET_LENGTH(text), unit = PyUnicode_KIND(text);
  const int failed = nj_text_new(size, unit, block);
  if (failed) {
    nj_clear_error();
    PyErr_NoMemory();
  } else {
    memcpy((char *)*block + NJ_PAYLOAD_OFFSET + sizeof(nj_text), PyUnicode_DATA(text),
           (size_t)(size * unit));
  }
  Py_DECREF(text);
  return failed ? -1 : 0;
}

static int32_t nj_text_of_error(const nj_error *error, int64_t as_repr, void **block) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  PyObject *exception = nj_exception_of_caught(error);
  PyObject *text = !exception ? NULL : as_repr ? PyObject_Repr(exception) : PyObject_Str(exception);
  Py_XDECREF(exception);
  const int32_t status = nj_new_text(text, block);
  PyGILState_Release(gil);
  return status;
}

static void *nj_begin_parallel(void) { return PyGILState_Check() ? PyEval_SaveThread() : NULL; }

static void nj_end_parallel(void *state) {
  if (state)
    PyEval_RestoreThread(state);
}

/* NumPy chooses among its vectorised sorts by processor. */
static nj_host_sort nj_find_sort(int number) {
  PyArray_Descr *descr = PyArray_DescrFromType(number);
  if (!descr)
    return NULL;
  const nj_host_sort sort = (nj_host_sort)PyDataType_GetArrFuncs(descr)->sort[NPY_QUICKSORT];
  Py_DECREF(descr);
  return sort;
}

/* As bytes and str hash themselves. */
static int64_t nj_hash_bytes(const void *data, int64_t bytes) {
  if (bytes == 0)
    return 0;
  const Py_hash_t hash = PyHash_GetFuncDef()->hash(data, (Py_ssize_t)bytes);
  return hash == -1 ? -2 : hash;
}

static uint32_t nj_class_of_character(uint32_t c) {
  const int digit = Py_UNICODE_TODECIMAL(c);
  return (Py_UNICODE_ISALPHA(c) ? NJ_ALPHA : 0) | (Py_UNICODE_ISDIGIT(c) ? NJ_DIGIT : 0) |
         (Py_UNICODE_ISNUMERIC(c) ? NJ_NUMERIC : 0) |
         (Py_UNICODE_ISPRINTABLE(c) ? NJ_PRINTABLE : 0) | (Py_UNICODE_ISLOWER(c) ? NJ_LOWER : 0) |
         (Py_UNICODE_ISUPPER(c) ? NJ_UPPER : 0) | (Py_UNICODE_ISTITLE(c) ? NJ_TITLE : 0) |
         (digit < 0 ? 0 : NJ_DECIMAL | (uint32_t)digit << NJ_DECIMAL_SHIFT);
}

static int32_t nj_call_text_method(const char *name, const void *data, int64_t length, int64_t kind,
                                   void **block) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  PyObject *text = PyUnicode_FromKindAndData((int)kind, data, (Py_ssize_t)length);
  PyObject *result = text ? PyObject_CallMethod(text, name, NULL) : NULL;
  Py_XDECREF(text);
  int32_t status;
  if (block) {
    status = nj_new_text(result, block);
  } else { /* a question */
    status = result == Py_True ? 2 : 1;
    Py_XDECREF(result);
    PyErr_Clear();
  }
  PyGILState_Release(gil);
  return status;
}

static void nj_install_hooks(void) {
  nj_host = (nj_hooks){
      .retain_foreign = nj_retain_foreign,
      .release_foreign = nj_release_foreign,
      .poll = nj_poll_signals,
      .print = nj_print_values,
      .begin_parallel = nj_begin_parallel,
      .end_parallel = nj_end_parallel,
      .sort_int32 = nj_find_sort(NPY_INT32),
      .sort_uint32 = nj_find_sort(NPY_UINT32),
      .sort_int64 = nj_find_sort(NPY_INT64),
      .sort_uint64 = nj_find_sort(NPY_UINT64),
      .sort_float32 = nj_find_sort(NPY_FLOAT32),
      .sort_float64 = nj_find_sort(NPY_FLOAT64),
      .take_exception = nj_take_host_exception,
      .set_exception = nj_set_host_exception,
      .error_matches = nj_matches,
      .error_text = nj_text_of_error,
      .hash_bytes = nj_hash_bytes,
      .character_class = nj_class_of_character,
      .text_method = nj_call_text_method,
  };
}

#endif
