// Keywords and defaults of a call, under Numba's messages, but for keywords Python's.
#include "pyext/call/dispatcher_state.h"

namespace numjit {

namespace {

struct Parameters {
  int positional, keyword_only, positional_only;
  bool varargs, varkeywords;
  Ref names;

  int named() const { return positional + keyword_only; }
};

Parameters parameters_of(PyObject *function) {
  auto *code = reinterpret_cast<PyCodeObject *>(PyFunction_GetCode(function));
  return {code->co_argcount,
          code->co_kwonlyargcount,
          code->co_posonlyargcount,
          (code->co_flags & CO_VARARGS) != 0,
          (code->co_flags & CO_VARKEYWORDS) != 0,
          Ref(PyCode_GetVarnames(code))};
}

/// The default of a parameter, borrowed; null if it has none.
PyObject *default_of(PyObject *function, const Parameters &parameters, int index) {
  PyObject *name = PyTuple_GET_ITEM(parameters.names.get(), index);
  if (index >= parameters.positional) {
    PyObject *defaults = PyFunction_GetKwDefaults(function);
    return defaults && PyDict_Check(defaults) ? PyDict_GetItemWithError(defaults, name) : nullptr;
  }
  PyObject *defaults = PyFunction_GetDefaults(function);
  if (!defaults || !PyTuple_Check(defaults))
    return nullptr;
  Py_ssize_t at = index - (parameters.positional - PyTuple_GET_SIZE(defaults));
  return at >= 0 ? PyTuple_GET_ITEM(defaults, at) : nullptr;
}

int count_required(PyObject *function, const Parameters &parameters) {
  int required = 0;
  for (int i = 0; i < parameters.named(); ++i)
    required += !default_of(function, parameters, i);
  return required;
}

int index_of(const Parameters &parameters, PyObject *name) {
  for (int i = parameters.positional_only; i < parameters.named(); ++i)
    if (PyUnicode_Compare(name, PyTuple_GET_ITEM(parameters.names.get(), i)) == 0)
      return i;
  return -1;
}

/// A class of tuples whose items are keyword arguments with these names, the same one each time:
/// calls are told apart by it, and intake_types.cpp makes a dict with constant keys of it.
PyObject *keywords_class(PyObject *names) {
  static PyObject *classes = nullptr; // never unloaded
  if (!classes && !(classes = PyDict_New()))
    return nullptr;
  if (PyObject *known = PyDict_GetItemWithError(classes, names))
    return Py_NewRef(known);
  Ref made(PyErr_Occurred()
               ? nullptr
               : PyObject_CallFunction(reinterpret_cast<PyObject *>(&PyType_Type), "s(O){sOsO}",
                                       "Keywords", &PyTuple_Type, "_fields", names,
                                       "_numjit_keywords_", Py_True));
  return made && PyDict_SetItem(classes, names, made.get()) == 0 ? made.release() : nullptr;
}

/// What a **parameter is given: the values in a tuple of that class.
Ref keyword_tuple(PyObject *keywords) {
  Ref names(PyDict_Keys(keywords)), values(PyDict_Values(keywords));
  Ref row(names ? PyList_AsTuple(names.get()) : nullptr);
  Ref cls(row ? keywords_class(row.get()) : nullptr);
  return Ref(cls && values ? PyObject_CallOneArg(cls.get(), values.get()) : nullptr);
}

/// A keyword that is none of a parameter, or of one that has its value; returns false.
bool refuse_keyword(PyObject *function, const Parameters &parameters, PyObject *name,
                    bool unknown) {
  const Ref called(PyObject_GetAttrString(function, "__qualname__"));
  const char *text = unknown ? "%S() got an unexpected keyword argument '%S'"
                             : "%S() got multiple values for argument '%S'";
  for (int i = 0; i < parameters.positional_only; ++i)
    if (PyUnicode_Compare(name, PyTuple_GET_ITEM(parameters.names.get(), i)) == 0)
      text = "%S() got some positional-only arguments passed as keyword arguments: '%S'";
  if (called)
    PyErr_Format(PyExc_TypeError, text, called.get(), name);
  return false;
}

} // namespace

bool fold_arguments(PyObject *function, PyObject *const *arguments, Py_ssize_t count,
                    PyObject *keyword_names, std::vector<Ref> &folded) {
  const Parameters parameters = parameters_of(function);
  if (!parameters.names)
    return false;
  const Py_ssize_t keywords = keyword_names ? PyTuple_GET_SIZE(keyword_names) : 0;
  const int named = parameters.named();
  if (count > parameters.positional && !parameters.varargs) {
    PyErr_Format(PyExc_TypeError, "too many arguments: expected %d, got %zd", parameters.positional,
                 count + keywords);
    return false;
  }
  Ref others(parameters.varkeywords ? PyDict_New() : nullptr);
  folded.resize(named);
  for (Py_ssize_t i = 0; i < count && i < parameters.positional; ++i)
    folded[i] = Ref::borrow(arguments[i]);
  for (Py_ssize_t i = 0; i < keywords; ++i) {
    PyObject *name = PyTuple_GET_ITEM(keyword_names, i);
    int index = index_of(parameters, name);
    if (index < 0 && others && PyDict_SetItem(others.get(), name, arguments[count + i]) == 0)
      continue;
    if (index < 0 || folded[index])
      return refuse_keyword(function, parameters, name, index < 0);
    folded[index] = Ref::borrow(arguments[count + i]);
  }
  for (int i = 0; i < named; ++i) {
    if (!folded[i])
      folded[i] = Ref::borrow(default_of(function, parameters, i));
    if (!folded[i]) {
      int required = count_required(function, parameters);
      PyErr_Format(PyExc_TypeError, "not enough arguments: expected %s%d, got %zd",
                   required < named ? "at least " : "", required, count + keywords);
      return false;
    }
  }
  if (parameters.varargs) {
    Py_ssize_t extra = std::max<Py_ssize_t>(count - parameters.positional, 0);
    Ref rest(PyTuple_New(extra));
    for (Py_ssize_t i = 0; rest && i < extra; ++i)
      PyTuple_SET_ITEM(rest.get(), i, Py_NewRef(arguments[parameters.positional + i]));
    folded.push_back(std::move(rest));
  }
  if (parameters.varkeywords)
    folded.push_back(keyword_tuple(others.get()));
  return folded.empty() || folded.back();
}

} // namespace numjit
