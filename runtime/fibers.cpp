// What other parts of the runtime ask of fibers. Programs without kernels have another version of
// it, pyext/standalone/no_fibers.cpp.
#include "runtime/gang.h"
#include "runtime/simulator.h"

using numjit::simulator::Gang;
using numjit::simulator::running_gang;

extern "C" {

void nj_on_thread_stack(void (*function)(void *), void *argument) {
  Gang *const gang = running_gang();
  if (gang && gang->running())
    gang->on_thread_stack(function, argument);
  else
    function(argument);
}

int32_t nj_in_fiber(void) {
  const Gang *const gang = running_gang();
  return gang && gang->running();
}

int32_t nj_fiber_poll(void) { return running_gang()->poll(); }

} // extern "C"
