#include "pyext/call/dispatcher.h"

#include "pyext/call/dispatcher_state.h"
#include "pyext/convert/fingerprint.h"
#include "pyext/convert/native.h"
#include "pyext/read/function_def.h"
#include "pyext/read/names.h"
#include "pyext/read/objects.h"

#include <structmember.h>

#include <algorithm>

namespace numjit {

namespace {

PyTypeObject *dispatcher_type = nullptr;

DispatcherObject *as_dispatcher(PyObject *object) {
  return reinterpret_cast<DispatcherObject *>(object);
}

// --- calls ---

/// A call as Python made it, for what is called instead of machine code.
struct OriginalCall {
  PyObject *const *arguments;
  size_t count_and_flags;
  PyObject *keyword_names;
};

PyObject *call_objects(DispatcherObject *self, Specialization &target, PyObject *const *arguments,
                       const OriginalCall &original, bool by_words);

/// The first item of a list was taken for all, and others are none of its type: with the types that
/// all items have in common. Null with the exception that is set where these are no others.
PyObject *call_mixed(DispatcherObject *self, const Specialization &tried,
                     PyObject *const *arguments, const OriginalCall &original) {
  Ref error = take_exception();
  const CallKey *key = nullptr;
  try {
    key = resolve_mixed(self, arguments);
  } catch (const PythonError &) { // the exception that is set is raised
  }
  if (key && key->target != &tried)
    return call_objects(self, *key->target, arguments, original, false);
  if (!PyErr_Occurred())
    set_exception(std::move(error));
  return nullptr;
}

PyObject *call_objects(DispatcherObject *self, Specialization &target, PyObject *const *arguments,
                       const OriginalCall &original, bool by_words) {
  if (PyObject *callable = target.callable())
    return PyObject_Vectorcall(callable, original.arguments,
                               PyVectorcall_NARGS(original.count_and_flags),
                               original.keyword_names);
  bool started;
  PyObject *result = target.call(arguments, started);
  return started || !by_words ? result : call_mixed(self, target, arguments, original);
}

ScanResult scan_all(const DispatcherState &state, PyObject *const *arguments, Py_ssize_t count,
                    Scan &scan) {
  for (Py_ssize_t i = 0; i < count; ++i)
    if (ScanResult result = scan_value(arguments[i], scan); result != ScanResult::Fine)
      return result;
  return state.literals.empty() ? ScanResult::Fine : scan_literals(state, arguments, scan);
}

PyObject *call_scanned(DispatcherObject *self, PyObject *const *arguments, const uint64_t *slots,
                       const uint64_t *words, const Scan &scan, const OriginalCall &original) {
  const auto count = static_cast<size_t>(scan.words - words);
  const CallKey *key = self->state->table.find(words, count);
  if (!key) {
    try {
      key = resolve_call(self, arguments, words, count, scan.indirect);
    } catch (const PythonError &) { // the exception that is set is raised
    }
    if (!key)
      return nullptr;
    // The class of an object may have got its type only now, by a package's entry point: what was
    // scanned are no slots of it.
    auto is_converted_by_code = [](const Type *type) {
      return type->kind == Kind::Struct && is_native(type);
    };
    if (std::ranges::any_of(key->target->arguments(), is_converted_by_code))
      return call_objects(self, *key->target, arguments, original, true);
  }
  if (key->direct)
    return key->target->call(slots);
  return call_objects(self, *key->target, arguments, original, true);
}

/// Enormous tuples, arrays of many dimensions.
PyObject *call_large(DispatcherObject *self, PyObject *const *arguments, Py_ssize_t count,
                     const OriginalCall &original) {
  for (size_t size = 1024;; size *= 4) {
    std::vector<uint64_t> slots(size), words(size);
    Scan scan{slots.data(), slots.data() + size, words.data(), words.data() + size};
    ScanResult result = scan_all(*self->state, arguments, count, scan);
    if (result == ScanResult::Failed)
      return nullptr;
    if (result == ScanResult::Fine)
      return call_scanned(self, arguments, slots.data(), words.data(), scan, original);
  }
}

/// A call with exactly one object for each parameter.
PyObject *call_plain(DispatcherObject *self, PyObject *const *arguments, Py_ssize_t count,
                     const OriginalCall &original) {
  constexpr size_t kSlots = 96, kWords = 32;
  uint64_t slots[kSlots], words[kWords];
  Scan scan{slots, slots + kSlots, words, words + kWords};
  ScanResult result = scan_all(*self->state, arguments, count, scan);
  if (result == ScanResult::NoRoom)
    return call_large(self, arguments, count, original);
  if (result == ScanResult::Failed)
    return nullptr;
  return call_scanned(self, arguments, slots, words, scan, original);
}

PyObject *call_folded(DispatcherObject *self, const OriginalCall &original) {
  std::vector<Ref> folded;
  if (!fold_arguments(self->function, original.arguments,
                      PyVectorcall_NARGS(original.count_and_flags), original.keyword_names, folded))
    return nullptr;
  std::vector<PyObject *> arguments;
  arguments.reserve(folded.size());
  for (const Ref &each : folded)
    arguments.push_back(each.get());
  return call_plain(self, arguments.data(), static_cast<Py_ssize_t>(arguments.size()), original);
}

PyObject *call(PyObject *object, PyObject *const *arguments, size_t count_and_flags,
               PyObject *keyword_names) {
  auto *self = as_dispatcher(object);
  const Py_ssize_t count = PyVectorcall_NARGS(count_and_flags);
  const OriginalCall original{arguments, count_and_flags, keyword_names};
  if (keyword_names || count != self->state->plain_arity)
    return call_folded(self, original);
  return call_plain(self, arguments, count, original);
}

/// A call that profilers see: it goes through a Python function, whose frame they see.
PyObject *call_in_frame(PyObject *object, PyObject *const *arguments, size_t count_and_flags,
                        PyObject *keyword_names) {
  const Ref frame = Ref::borrow(as_dispatcher(object)->state->frame.get());
  return PyObject_Vectorcall(frame.get(), arguments, PyVectorcall_NARGS(count_and_flags),
                             keyword_names);
}

// --- life ---

PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *) {
  PyObject *function = nullptr, *options = Py_None, *target_options = Py_None;
  if (!PyArg_ParseTuple(arguments, "O!|OO:Dispatcher", &PyFunction_Type, &function, &options,
                        &target_options))
    return nullptr;
  auto state = std::make_unique<DispatcherState>();
  try {
    state->options = read_options(options);
  } catch (const PythonError &) {
    return nullptr;
  }
  auto is_set = [](PyObject *dict, const char *name) {
    PyObject *value = PyDict_Check(dict) ? PyDict_GetItemString(dict, name) : nullptr;
    return value && PyObject_IsTrue(value) == 1;
  };
  state->object_mode = is_set(target_options, "forceobj");
  state->refused = is_set(options, "refused");
  auto *code = reinterpret_cast<PyCodeObject *>(PyFunction_GetCode(function));
  if (!code->co_kwonlyargcount && !(code->co_flags & (CO_VARARGS | CO_VARKEYWORDS)))
    state->plain_arity = code->co_argcount;
  // Before 3.12, subclasses made in Python do not inherit the flag.
  if (!(type->tp_flags & Py_TPFLAGS_HAVE_VECTORCALL) && type->tp_call == PyVectorcall_Call)
    type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
  auto *self = as_dispatcher(type->tp_alloc(type, 0));
  if (!self)
    return nullptr;
  self->vectorcall = call;
  self->function = Py_NewRef(function);
  self->state = state.release();
  return reinterpret_cast<PyObject *>(self);
}

int traverse(PyObject *object, visitproc visit, void *arg) {
  auto *self = as_dispatcher(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->function);
  for (const auto &each : self->state->specializations)
    Py_VISIT(each->callable());
  for (const auto &each : self->state->others)
    Py_VISIT(each->callable());
  Py_VISIT(self->state->frame.get());
  return 0;
}

void forget_specializations(DispatcherState &state) {
  state.table.clear();
  auto gone = std::move(state.specializations);
  auto others = std::move(state.others);
  state.specializations.clear();
  state.others.clear();
  state.called.clear();
  if (state.function)
    state.function->versions.clear();
  for (auto *list : {&gone, &others})
    for (auto &each : *list)
      if (each->active())
        state.others.push_back(std::move(each));
}

int clear(PyObject *object) {
  auto *self = as_dispatcher(object);
  forget_specializations(*self->state);
  self->vectorcall = call;
  const Ref frame = std::move(self->state->frame);
  return 0;
}

void destroy(PyObject *object) {
  auto *self = as_dispatcher(object);
  PyObject_GC_UnTrack(object);
  delete self->state;
  Py_XDECREF(self->function);
  PyTypeObject *type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

// --- what Python sees ---

/// Forgets what was compiled and read: globals are looked up anew.
PyObject *forget(PyObject *object, PyObject *) {
  auto *self = as_dispatcher(object);
  DispatcherState &state = *self->state;
  forget_specializations(state);
  if (state.function) {
    state.old_functions.push_back(std::move(state.function));
    state.function_read = false;
    try {
      replace_function(object, dispatcher_function(object));
    } catch (const PythonError &) {
      return nullptr;
    }
  }
  Py_RETURN_NONE;
}

PyObject *get_can_compile(PyObject *self, void *) {
  return PyBool_FromLong(as_dispatcher(self)->state->can_compile);
}

int set_can_compile(PyObject *self, PyObject *value, void *) {
  int truth = value ? PyObject_IsTrue(value) : -1;
  if (truth < 0)
    return -1;
  as_dispatcher(self)->state->can_compile = truth;
  return 0;
}

PyObject *get_caches(PyObject *self, void *) {
  return PyBool_FromLong(as_dispatcher(self)->state->options.cache);
}

/// What is compiled from now on is kept on disk.
int set_caches(PyObject *self, PyObject *value, void *) {
  DispatcherState &state = *as_dispatcher(self)->state;
  int truth = value ? PyObject_IsTrue(value) : -1;
  if (truth < 0)
    return -1;
  state.options.cache = truth;
  if (state.function)
    state.function->options.cache = truth;
  return 0;
}

PyObject *get_looks_in_cache(PyObject *self, void *) {
  return PyBool_FromLong(as_dispatcher(self)->state->looks_in_cache);
}

int set_looks_in_cache(PyObject *self, PyObject *value, void *) {
  int truth = value ? PyObject_IsTrue(value) : -1;
  if (truth < 0)
    return -1;
  as_dispatcher(self)->state->looks_in_cache = truth;
  return 0;
}

PyObject *get_compiling(PyObject *self, void *) {
  return PyLong_FromSize_t(as_dispatcher(self)->state->pending.size());
}

/// A call as without a frame.
PyObject *call_without_frame(PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                             PyObject *keyword_names) {
  return call(self, arguments, static_cast<size_t>(count), keyword_names);
}

PyObject *get_frame(PyObject *self, void *) {
  PyObject *frame = as_dispatcher(self)->state->frame.get();
  return Py_NewRef(frame ? frame : Py_None);
}

int set_frame(PyObject *object, PyObject *value, void *) {
  auto *self = as_dispatcher(object);
  const bool none = !value || value == Py_None;
  const Ref before = std::exchange(self->state->frame, none ? Ref() : Ref::borrow(value));
  self->vectorcall = none ? call : call_in_frame;
  return 0;
}

PyObject *bind(PyObject *self, PyObject *instance, PyObject *) {
  return instance && instance != Py_None ? PyMethod_New(self, instance) : Py_NewRef(self);
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(DispatcherObject, vectorcall), READONLY, nullptr},
    {"py_func", T_OBJECT, offsetof(DispatcherObject, function), READONLY, "the Python function"},
    {}};
PyMethodDef methods[] = {
    {"_clear", forget, METH_NOARGS, "Forgets what was compiled; globals are read anew."},
    {"_call", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call_without_frame)),
     METH_FASTCALL | METH_KEYWORDS, "Calls it, whatever _frame is."},
    {}};
PyGetSetDef properties[] = {
    {"_can_compile", get_can_compile, set_can_compile, "whether calls may compile", nullptr},
    {"_caches", get_caches, set_caches, "whether code is kept on disk", nullptr},
    {"_looks_in_cache", get_looks_in_cache, set_looks_in_cache, "whether code on disk is used",
     nullptr},
    {"_frame", get_frame, set_frame, "the Python function that calls go through, or None", nullptr},
    {"_compiling", get_compiling, nullptr, "number of compilations under way", nullptr},
    {}};

PyType_Slot slots[] = {{Py_tp_doc, const_cast<char *>("A function that is compiled when called.")},
                       {Py_tp_new, reinterpret_cast<void *>(create)},
                       {Py_tp_init, reinterpret_cast<void *>(ignore_arguments)},
                       {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
                       {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
                       {Py_tp_clear, reinterpret_cast<void *>(clear)},
                       {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
                       {Py_tp_descr_get, reinterpret_cast<void *>(bind)},
                       {Py_tp_members, members},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, properties},
                       {0, nullptr}};
PyType_Spec spec = {"numjit._core.Dispatcher", sizeof(DispatcherObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                        Py_TPFLAGS_HAVE_VECTORCALL,
                    slots};

} // namespace

bool dispatcher_check(PyObject *object) { return PyObject_TypeCheck(object, dispatcher_type); }

FunctionDef *dispatcher_function(PyObject *object) {
  if (!dispatcher_check(object))
    return nullptr;
  DispatcherState &state = *as_dispatcher(object)->state;
  if (state.function_read)
    return state.function.get();
  if (state.refused && !Ref(PyObject_CallMethod(object, "_refuse", nullptr)))
    throw PythonError();
  ReadingLock reading;
  if (state.function) // read while we waited; or being read: the function closes over itself
    return state.function.get();
  state.function = std::make_unique<FunctionDef>();
  state.function->dispatcher = object;
  try {
    read_function(*state.function, as_dispatcher(object)->function, state.options);
  } catch (...) {
    state.old_functions.push_back(std::move(state.function));
    throw;
  }
  state.function_read = true;
  return state.function.get();
}

std::vector<std::shared_ptr<Specialization>> dispatcher_specializations(PyObject *dispatcher) {
  return as_dispatcher(dispatcher)->state->specializations;
}

const std::vector<CalledFunction> &compiled_with_callers(PyObject *dispatcher) {
  return as_dispatcher(dispatcher)->state->called;
}

bool init_dispatcher(PyObject *module) {
  dispatcher_type = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return dispatcher_type &&
         PyModule_AddObjectRef(module, "Dispatcher",
                               reinterpret_cast<PyObject *>(dispatcher_type)) == 0;
}

} // namespace numjit
