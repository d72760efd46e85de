// In place of runtime/fibers.cpp where there are no kernels, and so no fibers.
#include "runtime/simulator.h"

extern "C" {

void nj_on_thread_stack(void (*function)(void *), void *argument) { function(argument); }
int32_t nj_in_fiber(void) { return 0; }
int32_t nj_fiber_poll(void) { return 0; }

} // extern "C"
