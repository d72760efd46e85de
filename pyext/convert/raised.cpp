#include "pyext/convert/raised.h"

#include "pyext/convert/values.h"

#include <frameobject.h>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace numjit {

namespace {

/// Appends a line of the user's source to the traceback of the exception that is set.
void add_traceback(const char *function, const char *file, int line) {
  static PyObject *globals = PyDict_New();
  Ref exception = take_exception();
  Ref code(reinterpret_cast<PyObject *>(PyCode_NewEmpty(file, function, line)));
  Ref frame;
  if (code)
    frame = Ref(reinterpret_cast<PyObject *>(PyFrame_New(
        PyThreadState_Get(), reinterpret_cast<PyCodeObject *>(code.get()), globals, nullptr)));
  PyErr_Clear();
  set_exception(std::move(exception));
  if (frame)
    PyTraceBack_Here(reinterpret_cast<PyFrameObject *>(frame.get()));
}

std::unordered_map<std::string_view, PyObject *> &builtin_exceptions() {
  static auto *const classes = new std::unordered_map<std::string_view, PyObject *>;
  return *classes;
}

/// A builtin exception class by name; borrowed.
PyObject *builtin_exception(const char *name) {
  auto found = name ? builtin_exceptions().find(name) : builtin_exceptions().end();
  return found == builtin_exceptions().end() ? PyExc_RuntimeError : found->second;
}

/// Puts values of `types` into a tuple.
Ref box_all(int32_t count, const void *const *types, const uint64_t *&slots) {
  Ref values(PyTuple_New(count));
  for (int32_t i = 0; values && i < count; ++i) {
    PyObject *value = box(static_cast<const Type *>(types[i]), slots);
    if (!value)
      return {};
    PyTuple_SET_ITEM(values.get(), i, value);
  }
  return values;
}

/// What a site's exception is called with: its message, into which values may be put, or values.
Ref arguments_of(const nj_site &site, int32_t count, const uint64_t *&slots) {
  if (!site.message)
    return box_all(count, site.argument_types, slots);
  if (count == 0)
    return Ref(Py_BuildValue("(s)", site.message));
  Ref format(PyUnicode_FromString(site.message)),
      values = box_all(count, site.argument_types, slots);
  Ref method(format ? PyObject_GetAttrString(format.get(), "format") : nullptr);
  Ref text(method && values ? PyObject_Call(method.get(), values.get(), nullptr) : nullptr);
  return Ref(text ? PyTuple_Pack(1, text.get()) : nullptr);
}

/// The exception that a site raises; takes over the counts in the slots.
Ref exception_at(const nj_site &site, const uint64_t *slots) {
  PyObject *cls =
      site.builtin ? builtin_exception(site.builtin) : static_cast<PyObject *>(site.cls);
  const int32_t count = site.argument_count - (site.has_cause ? 1 : 0);
  Ref arguments = arguments_of(site, count, slots);
  Ref error = arguments ? Ref(PyObject_Call(cls, arguments.get(), nullptr)) : Ref();
  if (!error || !site.has_cause)
    return error;
  Ref cause(box(static_cast<const Type *>(site.argument_types[count]), slots));
  if (cause && PyExceptionClass_Check(cause.get()))
    cause = Ref(PyObject_CallNoArgs(cause.get()));
  if (!cause)
    return {};
  if (PyExceptionInstance_Check(error.get()))
    PyException_SetCause(error.get(), cause.get() == Py_None ? nullptr : cause.release());
  return error;
}

void raise_at(const nj_site &site, const uint64_t *slots) {
  if (Ref error = exception_at(site, slots))
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.get())), error.get());
}

} // namespace

void set_native_exception(const FunctionDef &function, const nj_place *place) {
  nj_error *error = nj_pending_error();
  const std::string name = function.name();
  nj_place where{name.c_str(), function.code.filename.c_str(), function.code.first_line};
  switch (error->kind) {
  case 1:
    raise_at(*error->site, error->slots);
    where = {error->site->function, error->site->file, error->site->line};
    break;
  case 2: PyErr_SetString(builtin_exception(error->builtin), error->message); break;
  default: // raised by Python code that compiled code called, often set already
    if (error->object)
      set_exception(Ref(static_cast<PyObject *>(std::exchange(error->object, nullptr))));
    break;
  }
  if (place)
    where = *place;
  if (error->kind != 0 && PyErr_Occurred())
    add_traceback(where.function, where.file, static_cast<int>(where.line));
  else
    PyErr_SetString(PyExc_SystemError, "compiled code failed without saying why");
  nj_clear_error();
}

void read_builtin_exceptions() {
  PyObject *name, *value;
  for (Py_ssize_t at = 0; PyDict_Next(PyEval_GetBuiltins(), &at, &name, &value);)
    if (PyExceptionClass_Check(value))
      builtin_exceptions()[PyUnicode_AsUTF8(name)] = value; // both live as long as the process
}

PyObject *class_of_error(const nj_error &error) {
  if (!error.site)
    return builtin_exception(error.builtin);
  return error.site->builtin ? builtin_exception(error.site->builtin)
                             : static_cast<PyObject *>(error.site->cls);
}

PyObject *exception_of(const nj_error &error) {
  if (error.object)
    return Py_NewRef(static_cast<PyObject *>(error.object));
  if (!error.site)
    return PyObject_CallFunction(class_of_error(error), "s", error.message);
  for (int32_t i = 0; error.slots && i < error.site->owner_count; ++i) // boxing takes counts over
    nj_retain(reinterpret_cast<void *>(error.slots[error.site->owner_slots[i]]));
  return exception_at(*error.site, error.slots).release();
}

PyObject *box_exception(const Type *type, const uint64_t *&slots) {
  if (type->constant) {
    std::vector<const void *> types(type->params.begin(), type->params.end());
    Ref arguments = box_all(static_cast<int32_t>(types.size()), types.data(), slots);
    auto *cls = static_cast<PyObject *>(type->constant->object->handle);
    return arguments ? PyObject_Call(cls, arguments.get(), nullptr) : nullptr;
  }
  void *block = reinterpret_cast<void *>(*slots++);
  PyObject *exception = exception_of(*nj_caught_error(block));
  nj_release(block);
  return exception;
}

} // namespace numjit
