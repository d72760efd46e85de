#include "pyext/errors.h"

#include "pyext/values.h"
#include "runtime/runtime.h"

#include <frameobject.h>
#include <new>

namespace numjit {

namespace {

PyObject *error_maker = nullptr;

PyObject *find_error_maker() {
  if (!error_maker)
    if (Ref module = Ref(PyImport_ImportModule("numjit.diagnostics")))
      error_maker = PyObject_GetAttrString(module.get(), "make_error");
  return error_maker;
}

/// (filename, function, first line, line, end line, column, end column, label)
PyObject *place_tuple(const Blame &place) {
  const Position &at = place.position;
  const FunctionDef *function = place.function;
  // A place without a position is the line that defines the function.
  int line = at.known() ? at.line : function ? function->code.first_line : -1;
  return Py_BuildValue(
      "(ssiiiiis)", function ? function->code.filename.c_str() : "",
      function ? function->name().c_str() : "", function ? function->code.first_line : -1, line,
      at.known() ? at.end_line : line, at.column, at.end_column, place.label.c_str());
}

Ref make_error(const std::string &cls, const std::string &message, const std::vector<Blame> &places,
               const std::string &hint) {
  PyObject *maker = find_error_maker();
  if (!maker)
    return {};
  Ref rows(PyList_New(0));
  for (const Blame &place : places) {
    Ref row(place_tuple(place));
    if (!row || PyList_Append(rows.get(), row.get()) < 0)
      return {};
  }
  return Ref(
      PyObject_CallFunction(maker, "ssOs", cls.c_str(), message.c_str(), rows.get(), hint.c_str()));
}

void raise(Ref error) {
  if (error)
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.get())), error.get());
}

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

/// A builtin exception class by name; borrowed.
PyObject *builtin_exception(const char *name) {
  PyObject *cls = PyDict_GetItemString(PyEval_GetBuiltins(), name);
  return cls && PyExceptionClass_Check(cls) ? cls : PyExc_RuntimeError;
}

/// A message with the values of its {} put in.
Ref formatted(const nj_site &site, const uint64_t *slots) {
  Ref format(PyUnicode_FromString(site.message)), values(PyTuple_New(site.argument_count));
  for (int32_t i = 0; values && i < site.argument_count; ++i) {
    PyObject *value = box(static_cast<const Type *>(site.argument_types[i]), slots);
    if (!value)
      return {};
    PyTuple_SET_ITEM(values.get(), i, value);
  }
  Ref method(format ? PyObject_GetAttrString(format.get(), "format") : nullptr);
  Ref text(method && values ? PyObject_Call(method.get(), values.get(), nullptr) : nullptr);
  return Ref(text ? PyTuple_Pack(1, text.get()) : nullptr);
}

Ref arguments_of(const nj_site &site, const uint64_t *slots) {
  if (site.message && site.argument_count)
    return formatted(site, slots);
  if (site.message)
    return Ref(Py_BuildValue("(s)", site.message));
  Ref arguments(PyTuple_New(site.argument_count));
  for (int32_t i = 0; arguments && i < site.argument_count; ++i) {
    PyObject *value = box(static_cast<const Type *>(site.argument_types[i]), slots);
    if (!value)
      return {};
    PyTuple_SET_ITEM(arguments.get(), i, value);
  }
  return arguments;
}

void raise_at(const nj_site &site, const uint64_t *slots) {
  PyObject *cls =
      site.builtin ? builtin_exception(site.builtin) : static_cast<PyObject *>(site.cls);
  if (Ref arguments = arguments_of(site, slots))
    if (Ref error = Ref(PyObject_Call(cls, arguments.get(), nullptr)))
      PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.get())), error.get());
  add_traceback(site.function, site.file, site.line);
}

} // namespace

void set_error_maker(PyObject *maker) {
  Py_XINCREF(maker);
  Py_XSETREF(error_maker, maker);
}

Ref error_of(const CompileError &error) {
  return make_error(error.cls, error.message, error.places, error.hint);
}

void set_current_exception() {
  try {
    throw;
  } catch (const PythonError &) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_SystemError, "an error without an exception");
  } catch (const CompileError &error) {
    raise(error_of(error));
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
  } catch (const std::exception &error) {
    raise(make_error("InternalError", error.what(), {}, ""));
  } catch (...) {
    raise(make_error("InternalError", "an unknown C++ exception", {}, ""));
  }
}

void set_native_exception(const FunctionDef &function) {
  nj_error *error = nj_pending_error();
  switch (error->kind) {
  case 1: raise_at(*error->site, error->slots); break;
  case 2: PyErr_SetString(builtin_exception(error->builtin), error->message); [[fallthrough]];
  case 3: // set by Python code that compiled code called
    if (PyErr_Occurred()) {
      add_traceback(function.name().c_str(), function.code.filename.c_str(),
                    function.code.first_line);
      break;
    }
    [[fallthrough]];
  default: PyErr_SetString(PyExc_SystemError, "compiled code failed without saying why");
  }
  nj_clear_error();
}

std::string exception_text() {
  Ref exception = take_exception();
  if (!exception)
    return "unknown error";
  std::string text = Py_TYPE(exception.get())->tp_name;
  Ref message(PyObject_Str(exception.get()));
  PyErr_Clear();
  return text + ": " + text_of(message.get());
}

} // namespace numjit
