#include "pyext/gpu/turns.h"

#include "pyext/python.h"

#include <condition_variable>
#include <mutex>
#include <new>
#include <pthread.h>

namespace numjit {

namespace {

/// Its address is the thread's name.
thread_local char here;

struct State {
  const char *owner = nullptr;
  long depth = 0, waiting = 0;
  uint64_t ends = 0; ///< of turns while somebody waited; changed with `mutex` and the GIL
  std::mutex mutex;
  std::condition_variable ended;
};

/// Never destroyed: threads may wait when the process ends.
State &state = *new State;

/// Of the threads, only the one that forked is in the child.
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] {
  const bool own = state.owner == &here;
  const long depth = state.depth;
  new (&state) State;
  if (own) {
    state.owner = &here;
    state.depth = depth;
  }
});

void take() {
  while (others_compute()) {
    ++state.waiting;
    const uint64_t seen = state.ends;
    {
      WithoutGil released;
      std::unique_lock lock(state.mutex);
      state.ended.wait(lock, [seen] { return state.ends != seen; });
    }
    --state.waiting;
  }
  state.owner = &here;
  ++state.depth;
}

void end() {
  if (--state.depth)
    return;
  state.owner = nullptr;
  if (!state.waiting)
    return;
  {
    std::lock_guard lock(state.mutex);
    ++state.ends;
  }
  state.ended.notify_all();
}

PyObject *enter(PyObject *self, PyObject *) {
  take();
  return Py_NewRef(self);
}

PyObject *leave(PyObject *, PyObject *const *, Py_ssize_t) {
  end();
  Py_RETURN_NONE;
}

PyMethodDef turn_methods[] = {
    {"__enter__", enter, METH_NOARGS, "Waits until no other thread computes."},
    {"__exit__", reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(leave)), METH_FASTCALL,
     "Lets others compute."},
    {}};
PyType_Slot turn_slots[] = {{Py_tp_methods, turn_methods}, {0, nullptr}};
PyType_Spec turn_spec = {"numjit._core.Turn", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT, turn_slots};

} // namespace

Turn::Turn() { take(); }
Turn::~Turn() { end(); }

bool others_compute() { return state.owner && state.owner != &here; }

bool init_turns(PyObject *module) {
  Ref type(PyType_FromSpec(&turn_spec));
  return type && PyModule_AddObjectRef(module, "Turn", type.get()) == 0;
}

} // namespace numjit
