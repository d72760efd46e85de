"""Batcher's bitonic sort of float32 in global memory: a launch for each step of comparisons."""

import numpy as np
from gpu_kernel import GpuKernel, Problem, blocks

THREADS = 256

SOURCE = r"""
extern "C" __global__ void step(float *x, int distance, int length, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int other = i ^ distance;
  if (i < n && i < other) {
    float a = x[i], b = x[other];
    bool rising = (i & length) == 0;
    if (rising ? a > b : a < b) {
      x[i] = b;
      x[other] = a;
    }
  }
}
"""


def kernels(cuda):
    @cuda.jit
    def step(x, distance, length):
        i = cuda.grid(1)
        other = i ^ distance
        if i < x.size and i < other:
            a, b = x[i], x[other]
            rising = (i & length) == 0
            if a > b if rising else a < b:
                x[i] = b
                x[other] = a

    return (step,)


def problem(full):
    n = 1 << 25 if full else 1 << 10
    x = np.random.default_rng(5).random(n, dtype=np.float32)

    def run(launch, x):
        length = 2
        while length <= n:
            distance = length // 2
            while distance:
                launch("step", (blocks(n, THREADS),), (THREADS,), x, distance, length, sizes=(n,))
                distance //= 2
            length *= 2

    return Problem({"x": x}, run, lambda: {"x": (..., np.sort(x))}, restored=("x",))


KERNELS = {"bitonic sort": GpuKernel(kernels, SOURCE, problem)}
