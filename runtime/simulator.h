/* Kernels on the processor: what their compiled code calls (nj_sim_NAME, a function for each row of
   typeinfer/device_ops.def but the atomics), and how they are launched. */
#ifndef NUMJIT_SIMULATOR_H
#define NUMJIT_SIMULATOR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nj_launch {
  int32_t grid[3], block[3];
  int32_t shared_bytes; /* dynamic shared memory */
  int32_t flags;        /* 1: report races */
} nj_launch;

/* Runs a kernel, an Entry of codegen/compiler.h whose result is nothing, once for each thread of the
   launch. Returns 0, or nonzero with an error pending (runtime.h): the first one that a thread
   raised, or what the simulator found. */
int32_t nj_simulate(int32_t (*entry)(const uint64_t *arguments, uint64_t *result),
                    const uint64_t *arguments, const nj_launch *launch);

#ifdef __cplusplus
}
#endif
#endif
