#include "pyext/read/read_code.h"

namespace numjit {

namespace {

/// Owns one reference.
class Owned {
public:
  explicit Owned(PyObject *object) : object_(object) {}
  ~Owned() { Py_XDECREF(object_); }
  Owned(const Owned &) = delete;
  Owned &operator=(const Owned &) = delete;
  PyObject *get() const { return object_; }

private:
  PyObject *object_;
};

std::string text(PyObject *object) {
  if (!object || !PyUnicode_Check(object))
    return {};
  Py_ssize_t size = 0;
  if (const char *utf8 = PyUnicode_AsUTF8AndSize(object, &size))
    return std::string(utf8, static_cast<size_t>(size));
  // A name with lone surrogates: spell them out rather than fail.
  PyErr_Clear();
  Owned bytes(PyUnicode_AsEncodedString(object, "utf-8", "backslashreplace"));
  return bytes.get() ? PyBytes_AsString(bytes.get()) : std::string();
}

std::vector<std::string> texts(PyObject *tuple) {
  std::vector<std::string> result;
  for (Py_ssize_t i = 0; tuple && i < PyTuple_Size(tuple); ++i)
    result.push_back(text(PyTuple_GetItem(tuple, i)));
  return result;
}

std::vector<uint8_t> bytes(PyObject *object) {
  char *data = nullptr;
  Py_ssize_t size = 0;
  if (!object || PyBytes_AsStringAndSize(object, &data, &size) < 0)
    return {};
  return std::vector<uint8_t>(data, data + size);
}

/// Constant sets only come from `x in {1, 2}` and `{1, 2}` as a display: a tuple serves both.
const Const *constant(PyObject *object, const std::function<const Const *(PyObject *)> &const_of) {
  if (!PyFrozenSet_CheckExact(object))
    return const_of(object);
  // In an order that every process gives them: the cache on disk knows functions by their
  // constants.
  Owned list(PySequence_List(object)), builtins(PyImport_ImportModule("builtins")),
      repr(builtins.get() ? PyObject_GetAttrString(builtins.get(), "repr") : nullptr),
      sort(list.get() ? PyObject_GetAttrString(list.get(), "sort") : nullptr), none(PyTuple_New(0)),
      key(repr.get() ? Py_BuildValue("{sO}", "key", repr.get()) : nullptr);
  if (!sort.get() || !none.get() || !key.get())
    return nullptr;
  Owned sorted(PyObject_Call(sort.get(), none.get(), key.get()));
  Owned items(sorted.get() ? PyList_AsTuple(list.get()) : nullptr);
  return items.get() ? const_of(items.get()) : nullptr;
}

} // namespace

Code read_code(PyCodeObject *code, const std::function<const Const *(PyObject *)> &const_of) {
  Code result;
  result.minor = PY_MINOR_VERSION;
  result.name = text(code->co_name);
  result.qualname = text(code->co_qualname);
  result.filename = text(code->co_filename);
  result.first_line = code->co_firstlineno;
  result.flags = code->co_flags;
  result.argcount = code->co_argcount;
  result.posonlyargcount = code->co_posonlyargcount;
  result.kwonlyargcount = code->co_kwonlyargcount;
  // The accessor gives the instructions as compiled: not specialised, not instrumented.
  Owned bytecode(PyCode_GetCode(code));
  result.bytecode = bytes(bytecode.get());
  result.linetable = bytes(code->co_linetable);
  result.exceptiontable = bytes(code->co_exceptiontable);
  result.names = texts(code->co_names);
  result.localsplus = texts(code->co_localsplusnames);
  Owned varnames(PyCode_GetVarnames(code));
  Owned cellvars(PyCode_GetCellvars(code));
  Owned freevars(PyCode_GetFreevars(code));
  result.varnames = texts(varnames.get());
  result.cellvars = texts(cellvars.get());
  result.freevars = texts(freevars.get());
  for (Py_ssize_t i = 0; i < PyTuple_Size(code->co_consts); ++i)
    result.consts.push_back(constant(PyTuple_GetItem(code->co_consts, i), const_of));
  return result;
}

} // namespace numjit
