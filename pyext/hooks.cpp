#include "pyext/hooks.h"

#include "pyext/python.h"
#include "pyext/values.h"
#include "runtime/runtime.h"

namespace numjit {

namespace {

// Compiled code may run with or without the GIL (nogil=True), and in threads that Python has never
// seen.

void retain_foreign(void *object) {
  WithGil gil;
  Py_INCREF(static_cast<PyObject *>(object));
}

void release_foreign(void *object) {
  WithGil gil;
  Py_DECREF(static_cast<PyObject *>(object));
}

int32_t poll() {
  WithGil gil;
  return PyErr_CheckSignals();
}

/// Printing only borrows its arguments, boxing takes counts over.
void retain_owners(const Type *type, const uint64_t *slots) {
  for (const LeafInfo &leaf : layout_of(type).leaves) {
    if (leaf.owner)
      nj_retain(reinterpret_cast<void *>(*slots));
    ++slots;
  }
}

int32_t print(const nj_print_site *site, const uint64_t *slots) {
  WithGil gil;
  Ref arguments(PyTuple_New(site->count));
  for (int32_t i = 0; arguments && i < site->count; ++i) {
    auto *type = static_cast<const Type *>(site->types[i]);
    retain_owners(type, slots);
    PyObject *value = box(type, slots);
    if (!value)
      return 1;
    PyTuple_SET_ITEM(arguments.get(), i, value);
  }
  PyObject *function = PyDict_GetItemString(PyEval_GetBuiltins(), "print");
  return arguments && function && Ref(PyObject_Call(function, arguments.get(), nullptr)) ? 0 : 1;
}

void *begin_parallel() { return PyGILState_Check() ? PyEval_SaveThread() : nullptr; }

void end_parallel(void *state) {
  if (state)
    PyEval_RestoreThread(static_cast<PyThreadState *>(state));
}

/// NumPy chooses among its vectorised sorts by processor.
nj_host_sort find_sort(int type) {
  Ref descr(reinterpret_cast<PyObject *>(PyArray_DescrFromType(type)));
  if (!descr)
    return nullptr;
  return PyDataType_GetArrFuncs(reinterpret_cast<PyArray_Descr *>(descr.get()))
      ->sort[NPY_QUICKSORT];
}

} // namespace

void install_hooks() {
  nj_host = {
      retain_foreign,        release_foreign,       poll, print, begin_parallel, end_parallel,
      find_sort(NPY_UINT32), find_sort(NPY_UINT64),
  };
}

} // namespace numjit
