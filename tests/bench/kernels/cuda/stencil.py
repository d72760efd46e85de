"""One step of heat flow on a grid: 5 points in two dimensions (float64), 7 in three (float32)."""

import numpy as np
from gpu_kernel import GpuKernel, Problem, blocks

RATE = 0.1
RATE3, SIX = np.float32(0.1), np.float32(6)

SOURCE = r"""
extern "C" __global__ void heat2d(const double *u, double *v, int rows, int columns) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > 0 && i < rows - 1 && j > 0 && j < columns - 1) {
    int at = i * columns + j;
    v[at] = u[at] + 0.1 * (u[at - columns] + u[at + columns] + u[at - 1] + u[at + 1] - 4 * u[at]);
  }
}

extern "C" __global__ void heat3d(const float *u, float *v, int planes, int rows, int columns) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int i = blockIdx.z * blockDim.z + threadIdx.z;
  if (i > 0 && i < planes - 1 && j > 0 && j < rows - 1 && k > 0 && k < columns - 1) {
    int plane = rows * columns;
    int at = i * plane + j * columns + k;
    v[at] = u[at] + 0.1f * (u[at - plane] + u[at + plane] + u[at - columns] + u[at + columns] +
                            u[at - 1] + u[at + 1] - 6 * u[at]);
  }
}
"""


def kernels(cuda):
    @cuda.jit
    def heat2d(u, v):
        j, i = cuda.grid(2)
        if 0 < i < u.shape[0] - 1 and 0 < j < u.shape[1] - 1:
            around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
            v[i, j] = u[i, j] + RATE * (around - 4 * u[i, j])

    @cuda.jit
    def heat3d(u, v):
        k, j, i = cuda.grid(3)
        n, m, l = u.shape
        if 0 < i < n - 1 and 0 < j < m - 1 and 0 < k < l - 1:
            around = u[i - 1, j, k] + u[i + 1, j, k] + u[i, j - 1, k] + u[i, j + 1, k]
            around += u[i, j, k - 1] + u[i, j, k + 1]
            v[i, j, k] = u[i, j, k] + RATE3 * (around - SIX * u[i, j, k])

    return heat2d, heat3d


def after_a_step(u, rate):
    v = np.zeros_like(u)
    inner = (slice(1, -1),) * u.ndim
    around = sum(np.roll(u, shift, axis) for axis in range(u.ndim) for shift in (-1, 1))
    v[inner] = (u + rate * (around - 2 * u.ndim * u))[inner]
    return v


def problem(name, shape, block, dtype, rate, tolerance):
    u = np.random.default_rng(3).random(shape, dtype=dtype)
    grid = tuple(blocks(n, threads) for n, threads in zip(reversed(shape), block))

    def run(launch, u, v):
        launch(name, grid, block, u, v, sizes=shape)

    def expected():
        return {"v": (..., after_a_step(u, rate))}

    return Problem({"u": u, "v": np.zeros_like(u)}, run, expected, tolerance)


def problem2d(full):
    shape = (8192, 8192) if full else (37, 70)
    return problem("heat2d", shape, (32, 8), np.float64, RATE, 1e-14)


def problem3d(full):
    shape = (512, 512, 512) if full else (9, 10, 40)
    return problem("heat3d", shape, (32, 4, 2), np.float32, RATE3, 1e-6)


KERNELS = {
    "stencil 2D, 5 points": GpuKernel(kernels, SOURCE, problem2d),
    "stencil 3D, 7 points": GpuKernel(kernels, SOURCE, problem3d),
}
