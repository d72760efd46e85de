/* C, not C++: there a cleanup handler is no frame to unwind but a place to jump to, which the C
 * library does when it has unwound the frames of CPython alone. */
#include "pyext/gil.h"

#include <pthread.h>
#include <unistd.h>

static void stay(void *unused) {
  (void)unused;
  nj_thread_has_ended();
  for (;;)
    pause();
}

void nj_take_gil(PyThreadState *state) {
  pthread_cleanup_push(stay, NULL);
  PyEval_RestoreThread(state);
  pthread_cleanup_pop(0);
}

PyGILState_STATE nj_ensure_gil(void) {
  PyGILState_STATE state;
  pthread_cleanup_push(stay, NULL);
  state = PyGILState_Ensure();
  pthread_cleanup_pop(0);
  return state;
}
