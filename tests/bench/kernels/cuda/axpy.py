"""Adds a multiple of one vector to another in place, in float32: BLAS's axpy."""

import numpy as np
from gpu_kernel import GpuKernel, Problem, blocks

THREADS = 256

SOURCE = r"""
extern "C" __global__ void axpy(float a, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] += a * x[i];
}
"""


def kernels(cuda):
    @cuda.jit
    def axpy(a, x, y):
        i = cuda.grid(1)
        if i < x.size:
            y[i] += a * x[i]

    return (axpy,)


def problem(full):
    n = 1 << 26 if full else 3000
    random = np.random.default_rng(2)
    arrays = {name: random.random(n, dtype=np.float32) for name in "xy"}
    a = np.float32(2.5)

    def run(launch, x, y):
        launch("axpy", (blocks(n, THREADS),), (THREADS,), a, x, y, sizes=(n,))

    def expected():
        return {"y": (..., a * arrays["x"] + arrays["y"])}

    return Problem(arrays, run, expected, 1e-6, restored=("y",))


KERNELS = {"axpy": GpuKernel(kernels, SOURCE, problem)}
