#include "pyext/errors.h"

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

void raise(const Ref &error) {
  if (error)
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.get())), error.get());
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

std::string exception_text() {
  Ref exception = take_exception();
  if (!exception)
    return "unknown error";
  std::string text = Py_TYPE(exception.get())->tp_name;
  Ref message(PyObject_Str(exception.get()));
  PyErr_Clear();
  return text + ": " + text_of(message.get());
}

void throw_exception_of_host() {
  Ref exception = take_exception();
  if (exception) {
    PyTypeObject *cls = Py_TYPE(exception.get());
    Ref module(PyObject_GetAttrString(reinterpret_cast<PyObject *>(cls), "__module__"));
    Ref message(PyObject_Str(exception.get()));
    PyErr_Clear();
    const std::string name = cls->tp_name, text = text_of(message.get());
    if (text_of(module.get()) == "numjit.errors" && name != "InternalError")
      throw CompileError(name, text, {});
    throw InternalError(name + ": " + text);
  }
  throw InternalError("unknown error");
}

} // namespace numjit
