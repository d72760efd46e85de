/* Kernels for GPUs on the CPU. A kernel is machine code that runs one thread, or all threads of one
   block in a loop; blocks run on the threads of parallel.h. Threads that may wait for each other
   (at barriers, in operations of a warp) are fibers: each has a stack, and they take turns on one
   thread of the operating system. */
#ifndef NUMJIT_RUNTIME_SIMULATOR_H
#define NUMJIT_RUNTIME_SIMULATOR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NJ_SCRATCH_HEADER 16 /* in front of each array of a thread */
#define NJ_SCRATCH_ALIGN 16
#define NJ_SIM_WARP 32
#define NJ_SIM_MOST_THREADS 1024  /* of a block, as on all GPUs there are */
#define NJ_SIM_SHARED_BYTES 49152 /* of a block */

/* What machine code knows of the thread that it is: its first parameter. */
typedef struct nj_sim_thread {
  int32_t thread[3], block[3], block_dim[3], grid_dim[3];
  int32_t lane;  /* its number in its warp */
  int32_t place; /* where in the user's source it is, while it is in a function of the library */
  char *shared;  /* memory of its block: static arrays first, then the dynamic part */
  int32_t dynamic_bytes;
  int64_t scratch_bytes, scratch_used; /* what its arrays may take, and take */
} nj_sim_thread;

typedef struct nj_sim_place {
  const char *file, *function;
  int32_t line;
} nj_sim_place;

typedef struct nj_sim_kernel {
  const void *entry;   /* codegen::Entry; slot 0 is the nj_sim_thread */
  int32_t whole_block; /* one call of `entry` runs all threads of a block */
  int64_t static_shared;
  const nj_sim_place *places; /* what the machine code means by numbers */
} nj_sim_kernel;

typedef struct nj_sim_launch {
  const nj_sim_kernel *kernel;
  int32_t grid[3], block[3];
  int64_t dynamic_shared;
  int64_t scratch_bytes;     /* of a thread, for its arrays; 0: any number */
  const uint64_t *arguments; /* slots; the first is left free */
  int64_t argument_count;
  int32_t cooperative; /* blocks may wait for each other */
  int32_t race_check;
  /* what became of it */
  int32_t failed;
  int32_t failed_thread[3], failed_block[3];
  int32_t status; /* of the code of that thread */
} nj_sim_launch;

/* Runs a kernel. 0, or an error is pending; if a thread has raised it, `failed` is 1. */
int32_t nj_sim_run(nj_sim_launch *launch);

/* ---- What kernels call ----------------------------------------------------------------------- */

/* Kinds of barriers. */
enum { NJ_SIM_SYNC, NJ_SIM_SYNC_COUNT, NJ_SIM_SYNC_AND, NJ_SIM_SYNC_OR, NJ_SIM_SYNC_GRID };
int32_t nj_sim_barrier(void *thread, int64_t kind, int64_t predicate, int64_t place,
                       int64_t *result);

/* Operations of a warp, over the lanes in `mask`. `value` are the bits of what is exchanged. */
enum {
  NJ_SIM_WARP_SYNC,
  NJ_SIM_WARP_SHUFFLE, /* from lane `argument` */
  NJ_SIM_WARP_SHUFFLE_UP,
  NJ_SIM_WARP_SHUFFLE_DOWN,
  NJ_SIM_WARP_SHUFFLE_XOR,
  NJ_SIM_WARP_ALL,
  NJ_SIM_WARP_ANY,
  NJ_SIM_WARP_EQUAL,
  NJ_SIM_WARP_BALLOT,
  NJ_SIM_WARP_MATCH_ANY,
  NJ_SIM_WARP_MATCH_ALL,
  NJ_SIM_WARP_ACTIVE
};
int32_t nj_sim_warp(void *thread, int64_t operation, int64_t mask, int64_t value, int64_t argument,
                    int64_t place, int64_t *result);

/* Race check: the thread is about to use memory. */
enum { NJ_SIM_WRITES = 1, NJ_SIM_ATOMIC = 2 };
void nj_sim_access(void *thread, void *address, int64_t bytes, int64_t how, int64_t place);

/* A new block for an array of the thread; MemoryError if its scratch memory does not suffice. */
int32_t nj_sim_alloc(void *thread, int64_t bytes, int64_t zeroed, void **result);

/* ---- Race check -------------------------------------------------------------------------------
   Two accesses to one address that nothing orders, one of them a write, not both atomic. */
typedef struct nj_sim_race {
  uintptr_t address;
  int64_t bytes;
  int32_t shared; /* memory of a block; else of the device */
  struct {
    int32_t thread[3], block[3];
    int32_t how; /* NJ_SIM_WRITES, NJ_SIM_ATOMIC */
    nj_sim_place place;
  } first, second;
  int64_t count; /* times that these two places met */
} nj_sim_race;
/* Those that the last launch of this thread has found, one for each pair of places. */
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
