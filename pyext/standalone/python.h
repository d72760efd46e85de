/* Small helpers over the C API. */
#ifndef NUMJIT_STANDALONE_PYTHON_H
#define NUMJIT_STANDALONE_PYTHON_H

#include "pyext/standalone/types.h"

/* The exception that is set, taken away; and set again. */
static PyObject *nj_take_exception(void) {
#if PY_VERSION_HEX >= 0x030c0000
  return PyErr_GetRaisedException();
#else
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (!type)
    return NULL;
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback)
    PyException_SetTraceback(value, traceback);
  Py_DECREF(type);
  Py_XDECREF(traceback);
  return value;
#endif
}

/* Takes over the reference. */
static void nj_set_exception(PyObject *exception) {
#if PY_VERSION_HEX >= 0x030c0000
  PyErr_SetRaisedException(exception);
#else
  PyErr_Restore(Py_NewRef((PyObject *)Py_TYPE(exception)), exception,
                PyException_GetTraceback(exception));
#endif
}

static PyObject *nj_attribute_of_module(const char *module, const char *name) {
  PyObject *imported = PyImport_ImportModule(module);
  PyObject *value = imported ? PyObject_GetAttrString(imported, name) : NULL;
  Py_XDECREF(imported);
  return value;
}

static PyObject *nj_find_class(nj_class *cls);

static PyObject *nj_make_class(nj_class *cls) {
  PyObject *base = nj_find_class(cls->base);
  PyObject *name = base ? PyUnicode_FromFormat("%s.%s", cls->module, cls->name) : NULL;
  const char *text = name ? PyUnicode_AsUTF8(name) : NULL;
  if (text)
    cls->found = PyErr_NewException(text, base, NULL);
  Py_XDECREF(name);
  return cls->found;
}

/* Borrowed; null with an exception set. `name` may have dots. */
static PyObject *nj_find_class(nj_class *cls) {
  if (cls->found || cls->base)
    return cls->found ? cls->found : nj_make_class(cls);
  PyObject *found = PyImport_ImportModule(cls->module);
  PyObject *names = found ? PyUnicode_FromString(cls->name) : NULL;
  PyObject *dot = PyUnicode_FromString(".");
  PyObject *parts = names && dot ? PyUnicode_Split(names, dot, -1) : NULL;
  for (Py_ssize_t i = 0; found && parts && i < PyList_GET_SIZE(parts); ++i)
    Py_SETREF(found, PyObject_GetAttr(found, PyList_GET_ITEM(parts, i)));
  if (!parts)
    Py_CLEAR(found);
  Py_XDECREF(names);
  Py_XDECREF(dot);
  Py_XDECREF(parts);
  if (found && !PyType_Check(found)) {
    PyErr_Format(PyExc_TypeError, "%s.%s is no class", cls->module, cls->name);
    Py_CLEAR(found);
  }
  return cls->found = found;
}

static int nj_wrong_class(PyObject *object, const nj_type *type) {
  PyErr_Format(PyExc_TypeError, "can't unbox %.200s as %s", Py_TYPE(object)->tp_name, type->text);
  return 0;
}

#endif
