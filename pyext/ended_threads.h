/* Calls of Python code from C++ in threads that may outlive the interpreter (gil.h). */
#pragma once

#include <Python.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As PyObject_Call, PyObject_Vectorcall and Py_DECREF. A daemon thread that CPython ends in the
 * code that they run stays in them until the process ends. */
PyObject *nj_call(PyObject *callable, PyObject *arguments, PyObject *keywords);
PyObject *nj_vectorcall(PyObject *callable, PyObject *const *arguments, size_t count,
                        PyObject *names);
void nj_decref(PyObject *object);

#ifdef __cplusplus
}
#endif
