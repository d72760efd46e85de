#include "pyext/call/hooks.h"

#include "pyext/convert/native.h"
#include "pyext/convert/python_call.h"
#include "pyext/convert/raised.h"
#include "pyext/convert/values.h"
#include "pyext/errors.h"
#include "pyext/python.h"
#include "runtime/foreign.h"
#include "runtime/runtime.h"
#include "runtime/strings.h"

#include <algorithm>
#include <cstring>

namespace numjit {

namespace {

// Compiled code may run with or without the GIL (nogil=True), and in threads that Python has never
// seen.

/// The GIL for a call that may raise. Python forgets threads that it has not made as soon as they
/// give it up, with the exceptions that are set in them: these are kept in the pending error.
class WithGilAndErrors {
public:
  ~WithGilAndErrors() {
    if (forgotten_ && PyErr_Occurred())
      nj_pending_error()->object = take_exception().release();
  }

private:
  const bool forgotten_ = !PyGILState_GetThisThreadState();
  WithGil gil_;
};

int32_t call_python_here(const nj_python_call *call, const void *arguments, void *result) {
  WithGilAndErrors gil;
  return call_python(call, arguments, result);
}

void retain_foreign(void *object) {
  WithGil gil;
  Py_INCREF(static_cast<PyObject *>(object));
}

void release_foreign(void *object) {
  WithGil gil;
  Py_DECREF(static_cast<PyObject *>(object));
}

int32_t poll() {
  WithGil gil;
  return PyErr_CheckSignals();
}

int32_t print(const nj_print_site *site, const uint64_t *slots) {
  WithGilAndErrors gil;
  Ref arguments(PyTuple_New(site->count));
  for (int32_t i = 0; arguments && i < site->count; ++i) {
    auto *type = static_cast<const Type *>(site->types[i]);
    retain_owners(type, slots); // printing only borrows its arguments
    PyObject *value = box(type, slots);
    if (!value)
      return 1;
    PyTuple_SET_ITEM(arguments.get(), i, value);
  }
  PyObject *function = PyDict_GetItemString(PyEval_GetBuiltins(), "print");
  return arguments && function && Ref(PyObject_Call(function, arguments.get(), nullptr)) ? 0 : 1;
}

/// Classes do not change, so this needs no GIL.
int32_t error_matches(const nj_error *error, void *cls, int64_t exactly) {
  PyObject *raised =
      error->object ? reinterpret_cast<PyObject *>(Py_TYPE(static_cast<PyObject *>(error->object)))
                    : class_of_error(*error);
  if (exactly)
    return raised == cls;
  return PyType_IsSubtype(reinterpret_cast<PyTypeObject *>(raised),
                          static_cast<PyTypeObject *>(cls));
}

/// A copy of a Python string in a block of ours; -1 with an exception set where there is none.
int32_t new_text(PyObject *text, void **block) {
  if (!text)
    return -1;
  const int64_t size = PyUnicode_GET_LENGTH(text), unit = PyUnicode_KIND(text);
  if (nj_text_new(size, unit, block)) {
    nj_clear_error();
    PyErr_NoMemory();
    return -1;
  }
  std::memcpy(static_cast<char *>(*block) + NJ_PAYLOAD_OFFSET + sizeof(nj_text),
              PyUnicode_DATA(text), static_cast<size_t>(size * unit));
  return 0;
}

int32_t error_attribute(const nj_error *error, const char *name, const void *type, void *result) {
  WithGilAndErrors gil;
  Ref exception(exception_of(*error));
  Ref attribute(exception ? PyObject_GetAttrString(exception.get(), name) : nullptr);
  if (!attribute)
    return -1;
  auto *wanted = static_cast<const Type *>(type);
  if (unbox_into(attribute.get(), wanted, result))
    return 0;
  PyErr_Clear();
  const bool is_args = std::string_view(name) == "args";
  PyErr_Format(PyExc_TypeError,
               is_args ? "the %s of the caught %s are %R, not of type %s"
                       : "'%s' of the caught %s is %R, not of type %s",
               is_args ? "arguments" : name, Py_TYPE(exception.get())->tp_name, attribute.get(),
               wanted->text.c_str());
  return -1;
}

int32_t error_text(const nj_error *error, int64_t what, void **block) {
  WithGilAndErrors gil;
  Ref exception(exception_of(*error));
  auto *cls = exception ? reinterpret_cast<PyObject *>(Py_TYPE(exception.get())) : nullptr;
  Ref text(!exception  ? nullptr
           : what == 0 ? PyObject_Str(exception.get())
           : what == 1 ? PyObject_Repr(exception.get())
           : what == 2 ? PyObject_Str(cls)
                       : PyObject_GetAttrString(cls, "__name__"));
  return new_text(text.get(), block);
}

void *take_host_exception() {
  WithGil gil;
  return take_exception().release();
}

void set_host_exception(void *exception) {
  WithGilAndErrors gil;
  set_exception(Ref::borrow(static_cast<PyObject *>(exception)));
}

void *begin_parallel() { return PyGILState_Check() ? PyEval_SaveThread() : nullptr; }

void end_parallel(void *state) {
  if (state)
    nj_take_gil(static_cast<PyThreadState *>(state));
}

/// NumPy chooses among its vectorised sorts by processor.
nj_host_sort find_sort(int type) {
  Ref descr(reinterpret_cast<PyObject *>(PyArray_DescrFromType(type)));
  if (!descr)
    return nullptr;
  return PyDataType_GetArrFuncs(reinterpret_cast<PyArray_Descr *>(descr.get()))
      ->sort[NPY_QUICKSORT];
}

/// As bytes and str hash themselves.
int64_t hash_bytes(const void *data, int64_t bytes) {
  if (bytes == 0)
    return 0;
  const Py_hash_t hash = PyHash_GetFuncDef()->hash(data, static_cast<Py_ssize_t>(bytes));
  return hash == -1 ? -2 : hash;
}

/// CPython's tables need no GIL.
uint32_t character_class(uint32_t c) {
  uint32_t bits = 0;
  auto set = [&](int holds, uint32_t bit) { bits |= holds ? bit : 0; };
  set(Py_UNICODE_ISALPHA(c), NJ_ALPHA);
  set(Py_UNICODE_ISDIGIT(c), NJ_DIGIT);
  set(Py_UNICODE_ISNUMERIC(c), NJ_NUMERIC);
  set(Py_UNICODE_ISPRINTABLE(c), NJ_PRINTABLE);
  set(Py_UNICODE_ISLOWER(c), NJ_LOWER);
  set(Py_UNICODE_ISUPPER(c), NJ_UPPER);
  set(Py_UNICODE_ISTITLE(c), NJ_TITLE);
  if (const int digit = Py_UNICODE_TODECIMAL(c); digit >= 0)
    bits |= NJ_DECIMAL | static_cast<uint32_t>(digit) << NJ_DECIMAL_SHIFT;
  return bits;
}

int32_t text_method(const char *name, const void *data, int64_t length, int64_t kind,
                    void **block) {
  WithGil gil;
  Ref text(
      PyUnicode_FromKindAndData(static_cast<int>(kind), data, static_cast<Py_ssize_t>(length)));
  Ref result(text ? PyObject_CallMethod(text.get(), name, nullptr) : nullptr);
  if (!block) { // a question
    const bool answer = result && result.get() == Py_True;
    PyErr_Clear();
    return answer ? 2 : 1;
  }
  return new_text(result.get(), block);
}

} // namespace

void install_hooks() {
  read_builtin_exceptions();
  nj_host = {
      .retain_foreign = retain_foreign,
      .release_foreign = release_foreign,
      .poll = poll,
      .print = print,
      .begin_parallel = begin_parallel,
      .end_parallel = end_parallel,
      .sort_int32 = find_sort(NPY_INT32),
      .sort_uint32 = find_sort(NPY_UINT32),
      .sort_int64 = find_sort(NPY_INT64),
      .sort_uint64 = find_sort(NPY_UINT64),
      .sort_float32 = find_sort(NPY_FLOAT32),
      .sort_float64 = find_sort(NPY_FLOAT64),
      .take_exception = take_host_exception,
      .set_exception = set_host_exception,
      .error_matches = error_matches,
      .error_text = error_text,
      .error_attribute = error_attribute,
      .call_python = call_python_here,
      .hash_bytes = hash_bytes,
      .character_class = character_class,
      .text_method = text_method,
  };
  nj_foreign = {box_value_hook, unbox_value_hook, raise_pending};
}

} // namespace numjit
