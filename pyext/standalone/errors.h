/* Pending errors of compiled code as Python exceptions. */
#ifndef NUMJIT_STANDALONE_ERRORS_H
#define NUMJIT_STANDALONE_ERRORS_H

#include "pyext/standalone/lists.h"

#include <frameobject.h>

static PyObject *nj_builtins; /* the dict of the module */

/* Appends a line of the user's source to the traceback of the exception that is set. */
static void nj_add_traceback(const char *function, const char *file, int line) {
  PyObject *exception = nj_take_exception();
  PyObject *globals = PyDict_New();
  PyObject *code = (PyObject *)PyCode_NewEmpty(file, function, line);
  PyObject *frame = globals && code ? (PyObject *)PyFrame_New(PyThreadState_Get(),
                                                              (PyCodeObject *)code, globals, NULL)
                                    : NULL;
  PyErr_Clear();
  nj_set_exception(exception);
  if (frame)
    PyTraceBack_Here((PyFrameObject *)frame);
  Py_XDECREF(globals);
  Py_XDECREF(code);
  Py_XDECREF(frame);
}

/* Borrowed. */
static PyObject *nj_builtin_class(const char *name) {
  PyObject *found = PyDict_GetItemString(nj_builtins, name);
  return found ? found : PyExc_RuntimeError;
}

/* What an error is an instance of; borrowed, null with an exception set. */
static PyObject *nj_class_of_error(const nj_error *error) {
  if (error->object)
    return (PyObject *)Py_TYPE((PyObject *)error->object);
  if (!error->site)
    return nj_builtin_class(error->builtin);
  return error->site->builtin ? nj_builtin_class(error->site->builtin)
                              : nj_find_class((nj_class *)error->site->cls);
}

static PyObject *nj_box_all(int32_t count, const void *const *types, const uint64_t **slots) {
  PyObject *values = PyTuple_New(count);
  for (int32_t i = 0; values && i < count; ++i) {
    PyObject *value = nj_box(types[i], slots);
    if (value)
      PyTuple_SET_ITEM(values, i, value);
    else
      Py_CLEAR(values);
  }
  return values;
}

/* What the exception of a site is called with: its message, into which values may be put, or
   values. */
static PyObject *nj_arguments_of(const nj_site *site, int32_t count, const uint64_t **slots) {
  if (!site->message)
    return nj_box_all(count, site->argument_types, slots);
  if (count == 0)
    return Py_BuildValue("(s)", site->message);
  PyObject *values = nj_box_all(count, site->argument_types, slots);
  PyObject *format = values ? PyUnicode_FromString(site->message) : NULL;
  PyObject *method = format ? PyObject_GetAttrString(format, "format") : NULL;
  PyObject *text = method ? PyObject_Call(method, values, NULL) : NULL;
  Py_XDECREF(method);
  Py_XDECREF(format);
  Py_XDECREF(values);
  return text ? Py_BuildValue("(N)", text) : NULL;
}

/* Gives an exception the cause that the site's last argument is. */
static int nj_set_cause(PyObject *error, const nj_site *site, const uint64_t **slots) {
  PyObject *cause = nj_box(site->argument_types[site->argument_count - 1], slots);
  if (cause && PyExceptionClass_Check(cause))
    Py_SETREF(cause, PyObject_CallNoArgs(cause));
  if (!cause)
    return 0;
  if (cause == Py_None)
    Py_CLEAR(cause);
  if (PyExceptionInstance_Check(error))
    PyException_SetCause(error, cause);
  else
    Py_XDECREF(cause);
  return 1;
}

/* The exception of an error, null with one set. The counts in its slots are taken over. */
static PyObject *nj_exception_of(const nj_error *error) {
  if (error->object)
    return Py_NewRef((PyObject *)error->object);
  PyObject *cls = nj_class_of_error(error);
  if (!cls || !error->site)
    return cls ? PyObject_CallFunction(cls, "s", error->message) : NULL;
  const nj_site *site = error->site;
  const uint64_t *slots = error->slots;
  PyObject *arguments =
      nj_arguments_of(site, site->argument_count - (site->has_cause ? 1 : 0), &slots);
  PyObject *made = arguments ? PyObject_Call(cls, arguments, NULL) : NULL;
  Py_XDECREF(arguments);
  if (made && site->has_cause && !nj_set_cause(made, site, &slots))
    Py_CLEAR(made);
  return made;
}

/* The same of an error that stays. */
static PyObject *nj_exception_of_caught(const nj_error *error) {
  if (error->site && error->slots && !error->object)
    for (int32_t i = 0; i < error->site->owner_count; ++i)
      nj_retain((void *)error->slots[error->site->owner_slots[i]]);
  return nj_exception_of(error);
}

/* One that code made from a class, or one that it caught. */
static PyObject *nj_box_exception(const nj_type *type, const uint64_t **slots) {
  if (type->cls) {
    PyObject *cls = nj_find_class(type->cls);
    PyObject *arguments = nj_box_all(type->count, (const void *const *)type->params, slots);
    PyObject *made = cls && arguments ? PyObject_Call(cls, arguments, NULL) : NULL;
    Py_XDECREF(arguments);
    return made;
  }
  void *block = (void *)*(*slots)++;
  PyObject *exception = nj_exception_of_caught(nj_caught_error(block));
  nj_release(block);
  return exception;
}

/* The pending error becomes the exception that is set. */
static void nj_raise(const nj_function *function, int32_t status) {
  const nj_error *error = nj_pending_error();
  const int32_t kind = error->kind;
  nj_place where = {function->name, function->file, function->line};
  if (kind == 1)
    where = (nj_place){error->site->function, error->site->file, error->site->line};
  if (kind == 1 || kind == 2) {
    PyObject *exception = nj_exception_of(error);
    if (exception) {
      PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
      Py_DECREF(exception);
    }
  }
  const int64_t number = (int64_t)status - 2;
  if (function->places && number >= 0 && number < function->places->count)
    where = function->places->rows[number];
  if (kind && PyErr_Occurred())
    nj_add_traceback(where.function, where.file, (int)where.line);
  else
    PyErr_SetString(PyExc_SystemError, "compiled code failed without saying why");
  nj_clear_error();
}

#endif
