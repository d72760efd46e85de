/* Taking the GIL in threads that may outlive the interpreter. */
#pragma once

#include <Python.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As PyEval_RestoreThread and PyGILState_Ensure. A daemon thread that comes here when the
 * interpreter has ended stays until the process ends: CPython before 3.14 ends such threads by
 * unwinding their stacks, which frames of C++ do not survive. */
void nj_take_gil(PyThreadState *state);
PyGILState_STATE nj_ensure_gil(void);

/* Called by a thread that will not come back. */
void nj_thread_has_ended(void);

#ifdef __cplusplus
}
#endif
