#include "pyext/gpu/contexts.h"

#include "pyext/api/module.h"

#include <map>
#include <utility>

namespace py = pybind11;

namespace numjit {

DriverFunctions driver;
thread_local uint64_t current_stream = 0;
thread_local bool computes_at_once = false;

namespace {

/// What a thread has chosen; numjit.cuda keeps it up to date.
thread_local std::shared_ptr<DriverContext> chosen;
/// The streams of the contexts that this thread has left, by their numbers.
thread_local std::map<uint64_t, uint64_t> streams_left;
/// Whether work was given to the chosen context that uses memory of another one.
thread_local bool uses_others = false;
uint64_t contexts_made = 0;

void synchronize(void *context) {
  WithoutGil released;
  InContext entered(context);
  driver.synchronize();
}

void choose(std::shared_ptr<DriverContext> context) {
  if (context == chosen)
    return;
  if (std::exchange(uses_others, false) && chosen && chosen->alive)
    synchronize(chosen->handle);
  if (chosen)
    streams_left[chosen->number] = current_stream;
  if (chosen && context) {
    const auto left = streams_left.find(context->number);
    current_stream = left == streams_left.end() ? 0 : left->second;
  }
  chosen = std::move(context);
}

/// Makes the chosen context current for the driver, unless it is. False: there is none to make.
PyObject *enter_chosen(PyObject *, PyObject *) {
  if (!chosen || !chosen->alive)
    Py_RETURN_FALSE;
  void *current = nullptr;
  if (driver.get_context && (driver.get_context(&current) != 0 || current != chosen->handle))
    driver.set_context(chosen->handle);
  Py_RETURN_TRUE;
}
PyMethodDef enter_method = {
    "enter_context", enter_chosen, METH_NOARGS,
    "Makes the context that this thread has chosen current; False if there is none."};

// --- what Python sees of the state of a thread ---

PyObject *get_handle(PyObject *, void *) { return PyLong_FromUnsignedLongLong(current_stream); }
int set_handle(PyObject *, PyObject *value, void *) {
  current_stream = PyLong_AsUnsignedLongLong(value);
  return PyErr_Occurred() ? -1 : 0;
}
PyObject *get_place(PyObject *, void *) { return PyLong_FromUnsignedLongLong(current_place()); }
PyObject *get_context(PyObject *, void *) { return PyLong_FromUnsignedLongLong(chosen_context()); }
PyObject *get_several(PyObject *, void *) { return PyBool_FromLong(several_contexts()); }
PyObject *get_eager(PyObject *, void *) { return PyBool_FromLong(computes_at_once); }
int set_eager(PyObject *, PyObject *value, void *) {
  computes_at_once = PyObject_IsTrue(value) == 1;
  return 0;
}
PyGetSetDef current_properties[] = {
    {"handle", get_handle, set_handle, "The driver's handle of this thread's stream.", nullptr},
    {"place", get_place, nullptr, "Number of this thread's context and stream.", nullptr},
    {"context", get_context, nullptr, "Number of this thread's context; 0: none.", nullptr},
    {"several", get_several, nullptr, "Whether there was ever more than one context.", nullptr},
    {"eager", get_eager, set_eager, "Whether this thread computes at once.", nullptr},
    {}};

PyType_Slot current_slots[] = {{Py_tp_getset, current_properties}, {0, nullptr}};
PyType_Spec current_spec = {"numjit._core.Current", sizeof(PyObject), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, current_slots};

void set_driver_functions(uint64_t launch, uint64_t cooperative, uint64_t get_context,
                          uint64_t set_context, uint64_t synchronize, uint64_t is_capturing) {
  auto set = [](auto &function, uint64_t address) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(address);
  };
  set(driver.launch, launch);
  set(driver.launch_cooperative, cooperative);
  set(driver.get_context, get_context);
  set(driver.set_context, set_context);
  set(driver.synchronize, synchronize);
  set(driver.is_capturing, is_capturing);
}

} // namespace

uint64_t chosen_context() {
  const DriverContext *context = chosen.get();
  return context && context->alive ? context->number : 0;
}

const std::shared_ptr<DriverContext> &chosen_driver_context() { return chosen; }

bool several_contexts() { return contexts_made > 1; }

void wait_for_context(void *other) {
  if (!other || !driver.synchronize || (chosen && chosen->handle == other))
    return;
  synchronize(other);
  uses_others = true;
}

InContext::InContext(void *handle) {
  void *current = nullptr;
  driver.get_context(&current);
  if (current == handle)
    return;
  driver.set_context(handle);
  before_ = current;
}

InContext::~InContext() {
  if (before_)
    driver.set_context(before_);
}

bool reach_context(const DriverContext &other) {
  if (other.number == chosen_context() || !other.alive)
    return true;
  if (chosen && chosen->handle && !chosen->reached.contains(other.handle)) {
    PyErr_SetString(PyExc_ValueError,
                    "an array lives on another device than the current one, which cannot use its "
                    "memory: work on its device, or copy it with cupy.asarray()");
    return false;
  }
  wait_for_context(other.handle);
  return true;
}

void add_contexts(py::module_ &module) {
  py::class_<DriverContext, std::shared_ptr<DriverContext>>(
      module, "DriverContext", "DriverContext(handle): a context of the driver.")
      .def(py::init([](uint64_t handle) {
             auto context = std::make_shared<DriverContext>();
             context->number = ++contexts_made;
             context->handle = reinterpret_cast<void *>(handle);
             return context;
           }),
           py::arg("handle"))
      .def_readonly("number", &DriverContext::number)
      .def(
          "reaches",
          [](DriverContext &self, const DriverContext &other) {
            self.reached.insert(other.handle);
          },
          "Notes that kernels of this context can use memory of another one.")
      .def_readwrite("alive", &DriverContext::alive, "False once it is destroyed.");
  module.def("choose_context", choose, py::arg("context").none(true),
             "Makes a context, or none, that of this thread.");
  module.def("several_contexts", several_contexts, "Whether there was ever more than one context.");
  module.def(
      "wait_for_context",
      [](uint64_t handle) { wait_for_context(reinterpret_cast<void *>(handle)); },
      py::arg("handle"), "Before this thread's context works with memory of another one.");
  module.def("set_driver_functions", set_driver_functions);
  Ref current(PyType_FromSpec(&current_spec));
  if (!current || PyModule_AddObjectRef(module.ptr(), "Current", current.get()) != 0)
    throw py::error_already_set();
  Ref enter(PyCFunction_New(&enter_method, nullptr));
  if (!enter || PyModule_AddObjectRef(module.ptr(), "enter_context", enter.get()) != 0)
    throw py::error_already_set();
}

} // namespace numjit
