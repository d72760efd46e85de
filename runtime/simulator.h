/* Kernels for GPUs on the CPU. A kernel is machine code that runs one thread, or all threads of one
   block in a loop; blocks run on the threads of parallel.h. Threads that may wait for each other
   (at barriers, in operations of a warp) are fibers: each has a stack, and they take turns on one
   thread of the operating system. */
#ifndef NUMJIT_RUNTIME_SIMULATOR_H
#define NUMJIT_RUNTIME_SIMULATOR_H

#include "runtime/simulated.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Runs a kernel. 0, or an error is pending; if a thread has raised it, `failed` is 1. */
int32_t nj_sim_run(nj_sim_launch *launch);

/* ---- What kernels call ----------------------------------------------------------------------- */

/* `kind` is one of NJ_SIM_SYNC... */
int32_t nj_sim_barrier(void *thread, int64_t kind, int64_t predicate, int64_t place,
                       int64_t *result);

/* `operation` is one of NJ_SIM_WARP_... */
int32_t nj_sim_warp(void *thread, int64_t operation, int64_t mask, int64_t value, int64_t argument,
                    int64_t place, int64_t *result);

/* Race check: the thread is about to use memory. */
void nj_sim_access(void *thread, void *address, int64_t bytes, int64_t how, int64_t place);

/* A new block for an array of the thread; MemoryError if its scratch memory does not suffice. */
int32_t nj_sim_alloc(void *thread, int64_t bytes, int64_t zeroed, void **result);

/* ---- Race check -------------------------------------------------------------------------------
   Those that the last launch of this thread has found, one for each pair of places. */
const nj_sim_race *nj_sim_races(int64_t *count);

/* ---- Stacks -----------------------------------------------------------------------------------
   Runs a function on the stack of the thread of the operating system, as fibers have small ones.
   Used for calls of Python or the compiler. */
void nj_on_thread_stack(void (*function)(void *), void *argument);
/* nj_fiber_poll, in a fiber: lets the others run, and returns the status of interrupts. */
int32_t nj_in_fiber(void);
int32_t nj_fiber_poll(void);

#ifdef __cplusplus
}
#endif
#endif
