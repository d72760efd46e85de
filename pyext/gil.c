/* C, not C++: a thread that CPython ends is unwound up to here, and the frames below are C++ or
 * compiled code. */
#include "pyext/gil.h"

#include <unistd.h>
#include <unwind.h>

__attribute__((used, visibility("hidden"))) int nj_stay(void) {
  nj_thread_has_ended();
  for (;;)
    pause();
}

/* What the unwinder calls before it goes on through a frame of C++ that has something to do there.
 * The linker puts it in the place of libstdc++'s (--wrap): CPython ends a daemon thread wherever it
 * asks for the GIL, in any Python code that C++ has called, and destructors need the GIL. */
_Unwind_Reason_Code __real___gxx_personality_v0(int version, _Unwind_Action actions,
                                                _Unwind_Exception_Class class,
                                                struct _Unwind_Exception *exception,
                                                struct _Unwind_Context *context);
__attribute__((visibility("hidden"))) _Unwind_Reason_Code
__wrap___gxx_personality_v0(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
                            struct _Unwind_Exception *exception, struct _Unwind_Context *context) {
  if (actions & _UA_FORCE_UNWIND)
    nj_stay();
  return __real___gxx_personality_v0(version, actions, class, exception, context);
}

/* The same for two functions of C that compiled code may have called. 0x1b: the address is relative
 * to the place, in 4 bytes. */
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
