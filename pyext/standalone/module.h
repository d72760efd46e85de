/* Calls of the functions of a module, and its import. */
#ifndef NUMJIT_STANDALONE_MODULE_H
#define NUMJIT_STANDALONE_MODULE_H

#include "pyext/standalone/constants.h"
#include "pyext/standalone/hooks.h"
#include "runtime/interrupt.h"
#include "runtime/processor.h"

#include <dlfcn.h>
#include <marshal.h>

/* -- calls ----------------------------------------------------------------------------------------
 */

static int nj_position_of(const nj_function *function, PyObject *name) {
  for (int32_t i = 0; i < function->count - function->has_rest; ++i)
    if (PyUnicode_CompareWithASCIIString(name, function->names[i]) == 0)
      return i;
  PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", function->name,
               name);
  return -1;
}

/* What is in *args; null with an exception set. */
static PyObject *nj_rest(nj_kept *kept, PyObject *const *arguments, Py_ssize_t count) {
  PyObject *rest = PyTuple_New(count > 0 ? count : 0);
  for (Py_ssize_t i = 0; rest && i < count; ++i)
    PyTuple_SET_ITEM(rest, i, Py_NewRef(arguments[i]));
  if (rest && !nj_keep(kept, rest))
    Py_CLEAR(rest);
  Py_XDECREF(rest); /* it is kept */
  return rest;
}

static int nj_bind_keywords(const nj_function *function, PyObject *const *values,
                            PyObject *keywords, PyObject **given) {
  for (Py_ssize_t i = 0; keywords && i < PyTuple_GET_SIZE(keywords); ++i) {
    const int at = nj_position_of(function, PyTuple_GET_ITEM(keywords, i));
    if (at < 0)
      return 0;
    if (given[at]) {
      PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%s'", function->name,
                   function->names[at]);
      return 0;
    }
    given[at] = values[i];
  }
  return 1;
}

/* Puts the arguments of a call into `given`, by parameter. */
static int nj_bind(const nj_function *function, nj_kept *kept, PyObject *const *arguments,
                   Py_ssize_t count, PyObject *keywords, PyObject **given) {
  const int32_t positional = function->positional;
  const int32_t named = function->count - function->has_rest;
  if (count > positional && !function->has_rest) {
    PyErr_Format(PyExc_TypeError, "%s() takes %d argument(s) but %zd were given", function->name,
                 (int)positional, count);
    return 0;
  }
  for (int32_t i = 0; i < function->count; ++i)
    given[i] = i < count && i < positional ? arguments[i] : NULL;
  if (!nj_bind_keywords(function, arguments + count, keywords, given))
    return 0;
  for (int32_t i = 0; i < named; ++i) {
    if (!given[i] && function->default_values)
      given[i] = PyDict_GetItemString(function->default_values, function->names[i]);
    if (!given[i]) {
      PyErr_Format(PyExc_TypeError, "%s() missing a required argument: '%s'", function->name,
                   function->names[i]);
      return 0;
    }
  }
  if (function->has_rest)
    given[named] = nj_rest(kept, arguments + positional, count - positional);
  return !function->has_rest || given[named];
}

static PyObject *nj_run(const nj_function *function, const uint64_t *slots) {
  uint64_t result[function->result->slots + 1];
  int32_t lent = 0, status;
  if (function->runs_long) {
    nj_enter_long();
    lent = nj_lend_host_lock(function->lends_gil);
  }
  if (function->without_gil) {
    nj_expect_threads();
    PyThreadState *state = PyEval_SaveThread();
    status = function->entry(slots, result);
    PyEval_RestoreThread(state);
  } else {
    status = function->entry(slots, result);
  }
  if (function->runs_long) {
    nj_lend_host_lock(lent);
    nj_leave_long();
  }
  if (status) {
    nj_raise(function, status);
    return NULL;
  }
  const uint64_t *at = result;
  return nj_box(function->result, &at);
}

static PyObject *nj_call(const nj_function *function, PyObject *const *arguments, Py_ssize_t count,
                         PyObject *keywords) {
  PyObject *given[function->count + 1];
  nj_kept kept = {0};
  if (!nj_bind(function, &kept, arguments, count, keywords, given)) {
    nj_drop_kept(&kept);
    return NULL;
  }
  int32_t words = 1;
  for (int32_t i = 0; i < function->count; ++i)
    words += function->params[i]->slots;
  uint64_t slots[words], *at = slots;
  int fine = 1;
  for (int32_t i = 0; fine && i < function->count; ++i)
    fine = nj_unbox(&kept, given[i], function->params[i], &at);
  PyObject *result = fine ? nj_run(function, slots) : NULL;
  if (kept.copy_count && fine) { /* an exception must not undo what the list has seen so far */
    PyObject *exception = result ? NULL : nj_take_exception();
    if (!nj_write_back(&kept) && result)
      Py_CLEAR(result);
    if (exception) {
      PyErr_Clear();
      nj_set_exception(exception);
    }
  }
  nj_drop_kept(&kept);
  return result;
}

/* -- import -------------------------------------------------------------------------------------
 */

/* Code runs on processors that have what the one had that it was made for. */
static int nj_check_processor(PyObject *module, const nj_module *content) {
  const char *missing = nj_missing_feature(content->features);
  if (!missing)
    return 1;
  PyErr_Format(PyExc_ImportError,
               "%s was compiled for processors with %s, which this one lacks; set target_cpu "
               "(\"x86-64-v2\", \"generic\") where it is compiled",
               PyModule_GetName(module), missing);
  return 0;
}

/* What NumPy's linear algebra is linked to is found through its module. */
static void *nj_open_linear_algebra(void) {
  PyObject *file = nj_attribute_of_module("numpy.linalg._umath_linalg", "__file__");
  const char *path = file ? PyUnicode_AsUTF8(file) : NULL;
  void *library = path ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
  Py_XDECREF(file);
  PyErr_Clear();
  return library;
}

static int nj_find_outside(PyObject *module, const nj_module *content) {
  for (int32_t i = 0; i < content->outside_count; ++i) {
    nj_outside *row = &content->outside[i];
    void *library =
        row->file ? dlopen(row->file, RTLD_LAZY | RTLD_LOCAL) : nj_open_linear_algebra();
    row->address = library ? dlsym(library, row->symbol) : NULL;
    if (row->address)
      continue;
    PyErr_Format(PyExc_ImportError, "%s needs %s of %s, which is not there",
                 PyModule_GetName(module), row->symbol,
                 row->file ? row->file : "the BLAS of the NumPy that it was compiled with");
    return 0;
  }
  return 1;
}

static int nj_find_dtypes(const nj_module *content) {
  for (int32_t i = 0; i < content->dtype_count; ++i) {
    nj_dtype *row = content->dtypes[i];
    PyObject *loads = row->found ? NULL : nj_attribute_of_module("pickle", "loads");
    if (loads)
      row->found =
          (PyArray_Descr *)PyObject_CallFunction(loads, "y#", row->pickled, (Py_ssize_t)row->size);
    Py_XDECREF(loads);
    if (!row->found)
      return 0;
  }
  return 1;
}

static int nj_add_classes(PyObject *module, const nj_module *content) {
  for (int32_t i = 0; i < content->class_count; ++i) {
    PyObject *cls = nj_find_class(content->classes[i]);
    if (!cls || PyModule_AddObjectRef(module, content->classes[i]->name, cls) < 0)
      return 0;
  }
  return 1;
}

static int nj_fill(PyObject *module, const nj_module *content) {
  if (!nj_check_processor(module, content))
    return -1;
  import_array1(-1);
  nj_builtins = PyEval_GetBuiltins();
  Py_XINCREF(nj_builtins);
  nj_install_hooks();
  if (!nj_find_outside(module, content) || !nj_find_dtypes(content) ||
      !nj_add_classes(module, content))
    return -1;
  for (int32_t i = 0; i < content->constant_count; ++i)
    if (!nj_make_constant(content->constants[i]))
      return -1;
  for (int32_t i = 0; i < content->function_count; ++i) {
    nj_function *function = content->functions[i];
    if (function->defaults && !function->default_values)
      function->default_values =
          PyMarshal_ReadObjectFromString(function->defaults, function->defaults_size);
    if (function->defaults && !function->default_values)
      return -1;
  }
  return 0;
}

#endif
