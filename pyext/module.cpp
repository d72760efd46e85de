// numjit._core: the compiler, as Python sees it.
#define NUMJIT_IMPORTS_NUMPY
#include "pyext/module.h"

#include "pyext/classes.h"
#include "pyext/compile.h"
#include "pyext/contexts.h"
#include "pyext/dispatcher.h"
#include "pyext/frames.h"
#include "pyext/hooks.h"
#include "pyext/type_handle.h"
#include "pyext/typed_containers.h"
#include "pyext/ufuncs.h"
#include "pyext/values.h"

namespace py = pybind11;

#ifndef NUMJIT_VERSION
#define NUMJIT_VERSION "0"
#endif

PYBIND11_MODULE(_core, module) {
  using namespace numjit;
  module.doc() = "The compiler of numjit. Private: use the package numjit.";
  if (PyArray_ImportNumPyAPI() < 0 || !init_array_memory() || !init_type_handle(module.ptr()) ||
      !init_typed_containers(module.ptr()) || !init_instance(module.ptr()) ||
      !init_dispatcher(module.ptr()) || !init_frameless(module.ptr()) ||
      !init_ufuncs(module.ptr()) || !init_generators(module.ptr()))
    throw py::error_already_set();
  install_hooks();
  BeforeExit::arrange();
  watch_deferred_code();
  add_type_makers(module);
  add_compiler(module);
  add_contexts(module);
  add_kernels(module);
  add_simulator(module);
  module.attr("__version__") = NUMJIT_VERSION;
}
