// numjit._core: the compiler, as Python sees it.
#define NUMJIT_IMPORTS_NUMPY
#include "pyext/api/module.h"

#include "pyext/call/compile.h"
#include "pyext/call/dispatcher.h"
#include "pyext/call/frames.h"
#include "pyext/call/hooks.h"
#include "pyext/call/ufuncs.h"
#include "pyext/convert/classes.h"
#include "pyext/convert/typed_containers.h"
#include "pyext/convert/values.h"
#include "pyext/errors.h"
#include "pyext/read/type_handle.h"

namespace py = pybind11;

#ifndef NUMJIT_VERSION
#define NUMJIT_VERSION "0"
#endif

/// Tells this module from others whose file is called _core, too.
extern "C" __attribute__((visibility("default"))) const char numjit_version[] = NUMJIT_VERSION;

/// An older NumPy sets its table, too, before it is refused: a second import would call it.
static void import_numpy() {
  if (PyArray_ImportNumPyAPI() == 0)
    return;
  PyArray_API = nullptr;
  throw py::import_error("numjit needs NumPy 2 or later: " + numjit::exception_text());
}

PYBIND11_MODULE(_core, module) {
  using namespace numjit;
  import_numpy();
  module.doc() = "The compiler of numjit. Private: use the package numjit.";
  if (!init_array_memory() || !init_type_handle(module.ptr()) ||
      !init_typed_containers(module.ptr()) || !init_instance(module.ptr()) ||
      !init_dispatcher(module.ptr()) || !init_frameless(module.ptr()) ||
      !init_ufuncs(module.ptr()) || !init_generators(module.ptr()))
    throw py::error_already_set();
  install_hooks();
  BeforeExit::arrange();
  watch_deferred_code();
  add_type_makers(module);
  add_compiler(module);
  add_standalone(module);
  add_contexts(module);
  add_kernels(module);
  add_simulator(module);
  module.attr("__version__") = NUMJIT_VERSION;
}
