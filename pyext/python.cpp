#include "pyext/python.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace numjit {

namespace {

/// Threads inside of BeforeExit.
struct Busy {
  std::mutex mutex;
  std::condition_variable fewer;
  int threads = 0;
};
Busy &busy() {
  static auto *instance = new Busy; // threads may use it when static objects are gone
  return *instance;
}
thread_local int busy_depth = 0;

void leave_busy() {
  std::lock_guard lock(busy().mutex);
  --busy().threads;
  busy().fewer.notify_all();
}

/// At the end of the interpreter. Not without limit: a thread may have been ended inside of Python
/// code that a compilation called.
void wait_for_busy() {
  std::unique_lock lock(busy().mutex);
  busy().fewer.wait_for(lock, std::chrono::seconds(10), [] { return busy().threads == 0; });
}

} // namespace

extern "C" void nj_thread_has_ended() {
  if (busy_depth)
    leave_busy();
}

BeforeExit::BeforeExit() {
  if (busy_depth++)
    return;
  std::lock_guard lock(busy().mutex);
  ++busy().threads;
}

void BeforeExit::arrange() { Py_AtExit(wait_for_busy); }

BeforeExit::~BeforeExit() {
  if (--busy_depth == 0)
    leave_busy();
}

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
