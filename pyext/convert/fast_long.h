#pragma once

#include "pyext/python.h"

namespace numjit {

/// The value of an exact int; false (and no exception) if it does not fit.
inline bool fast_long(PyObject *object, int64_t &value) {
  auto *integer = reinterpret_cast<PyLongObject *>(object);
#if PY_VERSION_HEX >= 0x030c0000
  if (PyUnstable_Long_IsCompact(integer)) {
    value = PyUnstable_Long_CompactValue(integer);
    return true;
  }
#else
  if (Py_ssize_t size = Py_SIZE(integer); size >= -1 && size <= 1) {
    value = size * static_cast<int64_t>(integer->ob_digit[0]);
    return true;
  }
#endif
  int overflow = 0;
  value = PyLong_AsLongLongAndOverflow(object, &overflow);
  return overflow == 0;
}

} // namespace numjit
