// numjit._core.KernelDispatcher, the base of numjit.cuda's dispatchers: kernel[configuration].
#include "pyext/call/dispatcher_state.h"
#include "pyext/convert/fast_long.h"
#include "pyext/gpu/contexts.h"
#include "pyext/gpu/kernels.h"

#include <utility>

namespace numjit {

namespace {

/// numjit._core.KernelDispatcher: a dispatcher that remembers its last launch configuration, so
/// that kernel[grid, block] in a loop costs next to nothing.
struct KernelDispatcherObject {
  DispatcherObject base;
  PyObject *configuration, *launcher;
  uint64_t context; ///< number of that of the thread that asked; 0: nothing is remembered
};

KernelDispatcherObject *as_kernel_dispatcher(PyObject *object) {
  return reinterpret_cast<KernelDispatcherObject *>(object);
}

/// Whether two configurations are alike: numbers by value, streams by identity. `false` means that
/// Python shall look.
bool same_configuration(PyObject *a, PyObject *b) {
  if (a == b)
    return true;
  if (PyLong_CheckExact(a) && PyLong_CheckExact(b)) {
    int64_t x, y;
    return fast_long(a, x) && fast_long(b, y) && x == y;
  }
  if (!PyTuple_CheckExact(a) || !PyTuple_CheckExact(b) || Py_SIZE(a) != Py_SIZE(b))
    return false;
  for (Py_ssize_t i = 0; i < Py_SIZE(a); ++i)
    if (!same_configuration(PyTuple_GET_ITEM(a, i), PyTuple_GET_ITEM(b, i)))
      return false;
  return true;
}

PyObject *subscript(PyObject *object, PyObject *configuration) {
  auto *self = as_kernel_dispatcher(object);
  const uint64_t context = chosen_context();
  if (context && context == self->context && same_configuration(configuration, self->configuration))
    return Py_NewRef(self->launcher);
  PyObject *launcher = PyObject_CallMethod(object, "_configured", "(O)", configuration);
  if (launcher && PyTuple_CheckExact(configuration)) {
    // All three at once: to drop a reference may run other threads.
    Ref old_configuration(std::exchange(self->configuration, Py_NewRef(configuration)));
    Ref old_launcher(std::exchange(self->launcher, Py_NewRef(launcher)));
    self->context = chosen_context();
  }
  return launcher;
}

struct {
  traverseproc traverse;
  inquiry clear;
  destructor destroy;
} inherited_slots; ///< of Dispatcher

int traverse_dispatcher(PyObject *object, visitproc visit, void *arg) {
  Py_VISIT(as_kernel_dispatcher(object)->configuration);
  Py_VISIT(as_kernel_dispatcher(object)->launcher);
  return inherited_slots.traverse(object, visit, arg);
}

int clear_dispatcher(PyObject *object) {
  Py_CLEAR(as_kernel_dispatcher(object)->configuration);
  Py_CLEAR(as_kernel_dispatcher(object)->launcher);
  return inherited_slots.clear(object);
}

void destroy_dispatcher(PyObject *object) {
  PyObject_GC_UnTrack(object);
  Py_CLEAR(as_kernel_dispatcher(object)->configuration);
  Py_CLEAR(as_kernel_dispatcher(object)->launcher);
  inherited_slots.destroy(object);
}

PyType_Slot kernel_dispatcher_slots[] = {
    {Py_tp_doc, const_cast<char *>("A kernel that is compiled when it is launched.")},
    {Py_tp_traverse, reinterpret_cast<void *>(traverse_dispatcher)},
    {Py_tp_clear, reinterpret_cast<void *>(clear_dispatcher)},
    {Py_tp_dealloc, reinterpret_cast<void *>(destroy_dispatcher)},
    {Py_mp_subscript, reinterpret_cast<void *>(subscript)},
    {0, nullptr}};
PyType_Spec kernel_dispatcher_spec = {
    "numjit._core.KernelDispatcher", sizeof(KernelDispatcherObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, kernel_dispatcher_slots};

} // namespace

bool init_kernel_dispatcher(PyObject *module) {
  Ref base(PyObject_GetAttrString(module, "Dispatcher"));
  if (!base)
    return false;
  auto *base_type = reinterpret_cast<PyTypeObject *>(base.get());
  inherited_slots = {base_type->tp_traverse, base_type->tp_clear, base_type->tp_dealloc};
  PyObject *type = PyType_FromSpecWithBases(&kernel_dispatcher_spec, base.get());
  return type && PyModule_AddObjectRef(module, "KernelDispatcher", type) == 0;
}

} // namespace numjit
