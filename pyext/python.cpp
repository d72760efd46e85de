#include "pyext/python.h"

namespace numjit {

std::string text_of(PyObject *object) {
  if (!object || !PyUnicode_Check(object))
    return {};
  Py_ssize_t size = 0;
  if (const char *utf8 = PyUnicode_AsUTF8AndSize(object, &size))
    return std::string(utf8, static_cast<size_t>(size));
  PyErr_Clear(); // lone surrogates
  Ref bytes(PyUnicode_AsEncodedString(object, "utf-8", "backslashreplace"));
  if (bytes)
    return PyBytes_AS_STRING(bytes.get());
  PyErr_Clear();
  return {};
}

Ref attribute_or_null(PyObject *object, const char *name) {
  Ref value(PyObject_GetAttrString(object, name));
  if (!value)
    PyErr_Clear();
  return value;
}

std::string text_attribute(PyObject *object, const char *name) {
  return text_of(attribute_or_null(object, name).get());
}

Ref take_exception() {
#if PY_VERSION_HEX >= 0x030c0000
  return Ref(PyErr_GetRaisedException());
#else
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (!type)
    return {};
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback)
    PyException_SetTraceback(value, traceback);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  return Ref(value);
#endif
}

void set_exception(Ref exception) {
#if PY_VERSION_HEX >= 0x030c0000
  PyErr_SetRaisedException(exception.release());
#else
  PyObject *value = exception.release();
  PyObject *type = reinterpret_cast<PyObject *>(Py_TYPE(value));
  Py_INCREF(type);
  PyErr_Restore(type, value, PyException_GetTraceback(value));
#endif
}

} // namespace numjit
