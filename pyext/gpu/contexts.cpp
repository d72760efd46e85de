#include "pyext/gpu/contexts.h"

namespace py = pybind11;

namespace numjit {

DriverFunctions driver;

namespace {

/// What a thread has chosen; numjit.cuda keeps it up to date.
thread_local std::shared_ptr<DriverContext> chosen;

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

void set_driver_functions(uint64_t launch, uint64_t cooperative, uint64_t get_context,
                          uint64_t set_context, uint64_t is_capturing) {
  auto set = [](auto &function, uint64_t address) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(address);
  };
  set(driver.launch, launch);
  set(driver.launch_cooperative, cooperative);
  set(driver.get_context, get_context);
  set(driver.set_context, set_context);
  set(driver.is_capturing, is_capturing);
}

} // namespace

uint64_t chosen_context() {
  const DriverContext *context = chosen.get();
  return context && context->alive ? context->number : 0;
}

const std::shared_ptr<DriverContext> &chosen_driver_context() { return chosen; }

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

void add_contexts(py::module_ &module) {
  py::class_<DriverContext, std::shared_ptr<DriverContext>>(
      module, "DriverContext", "DriverContext(handle): a context of the driver.")
      .def(py::init([](uint64_t handle) {
             static uint64_t numbers = 0;
             auto context = std::make_shared<DriverContext>();
             context->number = ++numbers;
             context->handle = reinterpret_cast<void *>(handle);
             return context;
           }),
           py::arg("handle"))
      .def_readonly("number", &DriverContext::number)
      .def_readwrite("alive", &DriverContext::alive, "False once it is destroyed.");
  module.def(
      "choose_context", [](std::shared_ptr<DriverContext> context) { chosen = std::move(context); },
      py::arg("context").none(true), "Makes a context, or none, that of this thread.");
  module.def("set_driver_functions", set_driver_functions);
  Ref enter(PyCFunction_New(&enter_method, nullptr));
  if (!enter || PyModule_AddObjectRef(module.ptr(), "enter_context", enter.get()) != 0)
    throw py::error_already_set();
}

} // namespace numjit
