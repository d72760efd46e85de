#include "pyext/call/kept_code.h"

#include "codegen/called.h"
#include "pyext/cache/shipped.h"
#include "pyext/call/dispatcher_state.h"

namespace numjit {

namespace {

/// Where the entries of a dispatcher lie; empty: nowhere. Its Python class knows.
const CacheHome &cache_home(DispatcherObject *dispatcher) {
  DispatcherState &state = *dispatcher->state;
  if (!state.cache_home) {
    CacheHome home;
    Ref found(
        PyObject_CallMethod(reinterpret_cast<PyObject *>(dispatcher), "_cache_home", nullptr));
    if (found && PyTuple_Check(found.get()) && PyTuple_GET_SIZE(found.get()) == 4) {
      auto item = [&](Py_ssize_t i) { return PyTuple_GET_ITEM(found.get(), i); };
      home = {text_of(item(0)), text_of(item(1)), text_of(item(2)), PyLong_AsLongLong(item(3))};
    }
    PyErr_Clear();
    state.cache_home = std::make_unique<CacheHome>(std::move(home));
  }
  return *state.cache_home;
}

std::shared_ptr<CacheEntry> cache_entry(DispatcherObject *dispatcher, FunctionDef &function,
                                        const std::vector<const Type *> &arguments,
                                        const Type *result) {
  if (!dispatcher->state->options.cache || cache_home(dispatcher).folder.empty())
    return nullptr;
  return std::make_shared<CacheEntry>(function, arguments, result, cache_home(dispatcher));
}

void store(DispatcherObject *dispatcher, CacheEntry &entry, const Compiled &compiled) {
  const std::string problem = entry.store(compiled);
  if (problem.empty() || std::exchange(dispatcher->state->told_of_cache, true))
    return;
  if (!Ref(PyObject_CallMethod(reinterpret_cast<PyObject *>(dispatcher), "_warn_uncached", "s",
                               problem.c_str())))
    throw PythonError(); // warnings may be errors
}

void warn_not_parallel(DispatcherObject *dispatcher) {
  if (!Ref(PyObject_CallMethod(reinterpret_cast<PyObject *>(dispatcher), "_warn_not_parallel",
                               nullptr)))
    throw PythonError();
}

} // namespace

bool load_extensions() {
  Ref module(PyImport_ImportModule("numjit.compat.entrypoints"));
  Ref any(module ? PyObject_CallMethod(module.get(), "init_all", nullptr) : nullptr);
  if (!any)
    throw PythonError(); // warnings may be errors
  return any.get() == Py_True;
}

namespace {

/// What came with a pickle, for these types.
bool load_shipped(const DispatcherState &state, FunctionDef &function,
                  const std::vector<const Type *> &arguments, const Type *result,
                  Compiled &compiled) {
  if (!any_code_shipped() || !state.looks_in_cache)
    return false;
  auto entry = std::make_shared<CacheEntry>(function, arguments, result, CacheHome());
  return entry->load(compiled, entry);
}

} // namespace

void load_or_compile(DispatcherObject *dispatcher, FunctionDef &function,
                     const std::vector<const Type *> &arguments, const Type *result,
                     const std::vector<const Const *> &values, bool defers, Compiled &compiled) {
  DispatcherState &state = *dispatcher->state;
  std::shared_ptr<CacheEntry> entry; // which is found by types alone
  const bool by_types = values.empty() && !defers;
  if (by_types && load_shipped(state, function, arguments, result, compiled))
    return;
  if (by_types)
    entry = cache_entry(dispatcher, function, arguments, result);
  if (entry && state.looks_in_cache && entry->load(compiled, entry))
    return;
  load_extensions();
  {
    WithoutGil released;
    compiled = compile_function(function, arguments, result, entry, values, defers);
  }
  if (entry)
    store(dispatcher, *entry, compiled);
  if (!compiled.runs_parallel)
    warn_not_parallel(dispatcher);
}

std::string portable_code(PyObject *self, Specialization &made) {
  if (made.callable() || !made.compiled().values.empty() || made.compiled().defers)
    return {};
  FunctionDef &function = *dispatcher_function(self);
  const Type *result = made.compiled().wanted_result;
  auto entry = std::make_shared<CacheEntry>(function, made.arguments(), result, CacheHome());
  if (std::string came = entry->present(); !came.empty())
    return came;
  load_extensions();
  Compiled compiled;
  {
    WithoutGil released;
    entry->called = codegen::called_rare_functions(*made.compiled().code);
    compiled = compile_function(function, made.arguments(), result, entry);
  }
  return entry->shipped(compiled);
}

} // namespace numjit
