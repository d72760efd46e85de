"""Counts of the values of bytes: each block counts in shared memory, then adds its counts."""

import numpy as np
from gpu_kernel import GpuKernel, Problem

BINS = 256  # and threads of a block

SOURCE = r"""
#define BINS 256

extern "C" __global__ void histogram(const unsigned char *data, int *counts, int n) {
  __shared__ int found[BINS];
  int t = threadIdx.x;
  found[t] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&found[data[i]], 1);
  __syncthreads();
  atomicAdd(&counts[t], found[t]);
}
"""


def kernels(cuda):
    @cuda.jit
    def histogram(data, counts):
        found = cuda.shared.array(BINS, np.int32)
        t = cuda.threadIdx.x
        found[t] = 0
        cuda.syncthreads()
        for i in range(cuda.grid(1), data.size, cuda.gridsize(1)):
            cuda.atomic.add(found, data[i], 1)
        cuda.syncthreads()
        cuda.atomic.add(counts, t, found[t])

    return (histogram,)


def problem(full):
    """Some values are much more frequent than others."""
    n = 1 << 27 if full else 10000
    random = np.random.default_rng(9)
    data = random.integers(0, 256, n, np.uint8) & random.integers(0, 256, n, np.uint8)

    def run(launch, data, counts):
        launch("histogram", (2048 if full else 5,), (BINS,), data, counts, sizes=(n,))

    def expected():
        return {"counts": (..., np.bincount(data, minlength=BINS))}

    arrays = {"data": data, "counts": np.zeros(BINS, np.int32)}
    return Problem(arrays, run, expected, restored=("counts",))


KERNELS = {"histogram": GpuKernel(kernels, SOURCE, problem)}
