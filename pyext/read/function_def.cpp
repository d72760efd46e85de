#include "pyext/read/function_def.h"

#include "frontend/opcodes.h"
#include "pyext/read/objects.h"
#include "pyext/read/read_code.h"

#include <chrono>
#include <memory>
#include <thread>

namespace numjit {

namespace {

Code read_code_of(const FunctionDef &owner, PyCodeObject *code);

/// The code of an inner function: it shares globals and options with the function around it, whose
/// signatures are not those of its own arguments.
const Const *inner_code(const FunctionDef &owner, PyCodeObject *code) {
  auto def = std::make_unique<FunctionDef>();
  def->globals = owner.globals;
  def->options = owner.options;
  def->options.signatures.clear();
  def->is_library = owner.is_library;
  def->promotes_as_numpy = owner.promotes_as_numpy;
  def->runtime_closure = true;
  def->code = read_code_of(*def, code);
  auto row = std::make_unique<Object>();
  row->kind = ObjectKind::Code;
  Py_INCREF(code);
  row->handle = code;
  row->name = def->name();
  row->function = def.release(); // rows and what they point to live as long as the process
  return constants::object(row.release());
}

Code read_code_of(const FunctionDef &owner, PyCodeObject *code) {
  Code result = read_code(code, [&](PyObject *value) {
    return PyCode_Check(value) ? inner_code(owner, reinterpret_cast<PyCodeObject *>(value))
                               : const_of(value);
  });
  if (PyErr_Occurred())
    throw PythonError();
  link_siblings(result);
  box_variables(result);
  return result;
}

/// The thread that reads, and how often it took the lock; guarded by the GIL.
unsigned long reader = 0;
int reading_depth = 0;

} // namespace

std::vector<const Const *> read_closure(const FunctionDef &def) {
  auto *cells = static_cast<PyObject *>(def.cells);
  std::vector<const Const *> values;
  for (Py_ssize_t i = 0; cells && i < PyTuple_GET_SIZE(cells); ++i) {
    Ref value(PyCell_Get(PyTuple_GET_ITEM(cells, i)));
    if (!value && def.code.freevars[static_cast<size_t>(i)] == def.code.name)
      value = Ref::borrow(own_object(def));
    values.push_back(value ? const_of(value.get()) : nullptr);
  }
  return values;
}

PyObject *own_object(const FunctionDef &def) { return static_cast<PyObject *>(def.dispatcher); }

ReadingLock::ReadingLock() {
  const unsigned long me = PyThread_get_thread_ident();
  while (reading_depth > 0 && reader != me) {
    WithoutGil released; // rare and short: not worth a condition variable
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  reader = me;
  ++reading_depth;
}

ReadingLock::~ReadingLock() { --reading_depth; }

static bool has_with(PyObject *function) {
  Ref code(PyCode_GetCode(reinterpret_cast<PyCodeObject *>(PyFunction_GetCode(function))));
  if (!code)
    throw PythonError();
  const auto *bytes = reinterpret_cast<const uint8_t *>(PyBytes_AS_STRING(code.get()));
  return has_with_statement(PY_MINOR_VERSION,
                            {bytes, static_cast<size_t>(PyBytes_GET_SIZE(code.get()))});
}

/// The function with its blocks of `with objmode` turned into calls.
static PyObject *without_objmode(PyObject *function) {
  if (!has_with(function))
    return function;
  Ref module(PyImport_ImportModule("numjit.with_objmode"));
  Ref made(module ? PyObject_CallMethod(module.get(), "rewritten", "O", function) : nullptr);
  if (!made)
    throw PythonError();
  return made.release(); // definitions refer to it for as long as the process
}

/// What a decorator of numjit.library.core.registry left on the function: `short_loops`.
static bool is_marked(PyObject *function, const char *mark) {
  return Ref(PyObject_GetAttrString(function, mark)) || (PyErr_Clear(), false);
}

void read_function(FunctionDef &def, PyObject *function, const CompileOptions &options) {
  def.handle = function;
  function = without_objmode(function);
  def.globals = PyFunction_GetGlobals(function);
  def.options = options;
  def.is_library = is_library_module(text_of(PyFunction_GetModule(function)));
  if (def.is_library) { // helpers of library functions; names.cpp overrides this for registered
                        // ones
    def.accepts_lazy = true;
    def.options.inline_always = true;
    def.options.short_loops = is_marked(function, "short_loops");
    def.promotes_as_numpy = !is_marked(function, "callers_promotion");
  }
  def.makes_self = is_marked(function, "_numjit_makes_self_");
  def.code = read_code_of(def, reinterpret_cast<PyCodeObject *>(PyFunction_GetCode(function)));
  if (PyObject *defaults = PyFunction_GetDefaults(function); defaults && defaults != Py_None)
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(defaults); ++i)
      def.defaults.push_back(const_of(PyTuple_GET_ITEM(defaults, i)));
  if (PyObject *defaults = PyFunction_GetKwDefaults(function); defaults && PyDict_Check(defaults)) {
    PyObject *name, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(defaults, &at, &name, &value))
      def.kwdefaults[text_of(name)] = const_of(value);
  }
  def.cells = PyFunction_GetClosure(function);
  def.surroundings->closure = read_closure(def);
}

/// [(argument types, result type or None), ...]
static std::vector<DeclaredSignature> read_signatures(PyObject *rows) {
  std::vector<DeclaredSignature> signatures;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(rows); ++i) {
    PyObject *arguments, *result;
    if (!PyArg_ParseTuple(PyList_GET_ITEM(rows, i), "O!O", &PyTuple_Type, &arguments, &result))
      throw PythonError();
    DeclaredSignature &signature = signatures.emplace_back();
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(arguments); ++k)
      signature.arguments.push_back(type_object(PyTuple_GET_ITEM(arguments, k)));
    if (result != Py_None)
      signature.result = type_object(result);
  }
  return signatures;
}

CompileOptions read_options(PyObject *dict) {
  CompileOptions options;
  if (!dict || dict == Py_None)
    return options;
  if (!PyDict_Check(dict)) {
    PyErr_SetString(PyExc_TypeError, "options must be a dict");
    throw PythonError();
  }
  auto read = [&](const char *name, auto &field) {
    if (PyObject *value = PyDict_GetItemString(dict, name)) // a bool is an int
      field = static_cast<std::decay_t<decltype(field)>>(PyLong_AsUnsignedLong(value));
  };
#define NUMJIT_OPTION(type, field, ...) read(#field, options.field);
#include "frontend/compile_options.def"
#undef NUMJIT_OPTION
  if (PyObject *locals = PyDict_GetItemString(dict, "locals"); locals && PyDict_Check(locals)) {
    PyObject *name, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(locals, &at, &name, &value))
      if (const Type *type = type_object(value))
        options.locals[text_of(name)] = type;
  }
  if (PyObject *rows = PyDict_GetItemString(dict, "signatures"); rows && PyList_Check(rows))
    options.signatures = read_signatures(rows);
  if (PyErr_Occurred())
    throw PythonError();
  return options;
}

bool is_library_module(const std::string &module) { return module.starts_with("numjit.library"); }

} // namespace numjit
