/* C, not C++: a thread that CPython ends is unwound up to here, and the frames below are C++. The
 * functions have a personality routine of their own, which the unwinder calls before it goes on
 * through a frame: this one never returns. It costs nothing where no thread ends. */
#include "pyext/gil.h"

#include "pyext/ended_threads.h"

#include <unistd.h>

__attribute__((used, visibility("hidden"))) int nj_stay(void) {
  nj_thread_has_ended();
  for (;;)
    pause();
}

/* 0x1b: the address is relative to the place, in 4 bytes. */
#define STAYS __asm__ volatile(".cfi_personality 0x1b, nj_stay")
/* Behind the last call: there is no frame where it is a jump. */
#define KEEPS_ITS_FRAME __asm__ volatile("")

__attribute__((noinline)) void nj_take_gil(PyThreadState *state) {
  STAYS;
  PyEval_RestoreThread(state);
  KEEPS_ITS_FRAME;
}

__attribute__((noinline)) PyGILState_STATE nj_ensure_gil(void) {
  STAYS;
  PyGILState_STATE state = PyGILState_Ensure();
  KEEPS_ITS_FRAME;
  return state;
}

__attribute__((noinline)) PyObject *nj_call(PyObject *callable, PyObject *arguments,
                                            PyObject *keywords) {
  STAYS;
  PyObject *result = PyObject_Call(callable, arguments, keywords);
  KEEPS_ITS_FRAME;
  return result;
}

__attribute__((noinline)) PyObject *nj_vectorcall(PyObject *callable, PyObject *const *arguments,
                                                  size_t count, PyObject *names) {
  STAYS;
  PyObject *result = PyObject_Vectorcall(callable, arguments, count, names);
  KEEPS_ITS_FRAME;
  return result;
}

__attribute__((noinline)) void nj_decref(PyObject *object) {
  STAYS;
  Py_DECREF(object);
  KEEPS_ITS_FRAME;
}
