/* What the simulator of kernels (simulator.h) shares with machine code and with its own parts. */
#ifndef NUMJIT_RUNTIME_SIMULATED_H
#define NUMJIT_RUNTIME_SIMULATED_H

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

/* Kinds of barriers. */
enum { NJ_SIM_SYNC, NJ_SIM_SYNC_COUNT, NJ_SIM_SYNC_AND, NJ_SIM_SYNC_OR, NJ_SIM_SYNC_GRID };

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

/* Accesses to memory, of the race check. */
enum { NJ_SIM_WRITES = 1, NJ_SIM_ATOMIC = 2 };

/* Two accesses to one address that nothing orders, one of them a write, not both atomic. */
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

#ifdef __cplusplus
}
#endif
#endif
