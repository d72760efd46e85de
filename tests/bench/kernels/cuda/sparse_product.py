"""Product of a sparse matrix (CSR, float64) and a vector: one thread a row, and one warp a row."""

import functools

import numpy as np
from gpu_kernel import GpuKernel, Problem, blocks

THREADS = 256
WARP = 32

SOURCE = r"""
extern "C" __global__ void rows(const int *starts, const int *columns, const double *values,
                                const double *x, double *y, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n) {
    double total = 0;
    for (int k = starts[row]; k < starts[row + 1]; ++k)
      total += values[k] * x[columns[k]];
    y[row] = total;
  }
}

extern "C" __global__ void warps(const int *starts, const int *columns, const double *values,
                                 const double *x, double *y, int n) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int row = thread / 32, lane = thread % 32;
  if (row < n) {
    double total = 0;
    for (int k = starts[row] + lane; k < starts[row + 1]; k += 32)
      total += values[k] * x[columns[k]];
    for (int offset = 16; offset > 0; offset /= 2)
      total += __shfl_down_sync(0xFFFFFFFF, total, offset);
    if (lane == 0)
      y[row] = total;
  }
}
"""


def kernels(cuda):
    @cuda.jit
    def rows(starts, columns, values, x, y):
        row = cuda.grid(1)
        if row < y.size:
            total = 0.0
            for k in range(starts[row], starts[row + 1]):
                total += values[k] * x[columns[k]]
            y[row] = total

    @cuda.jit
    def warps(starts, columns, values, x, y):
        thread = cuda.grid(1)
        row, lane = thread // WARP, thread % WARP
        if row < y.size:
            total = 0.0
            for k in range(starts[row] + lane, starts[row + 1], WARP):
                total += values[k] * x[columns[k]]
            offset = WARP // 2
            while offset > 0:
                total += cuda.shfl_down_sync(0xFFFFFFFF, total, offset)
                offset //= 2
            if lane == 0:
                y[row] = total

    return rows, warps


def problem(name, threads_per_row, full):
    """Rows of 0 to 63 elements."""
    n = 1 << 20 if full else 90
    random = np.random.default_rng(7)
    lengths = random.integers(0, 64, n)
    starts = np.zeros(n + 1, np.int32)
    starts[1:] = np.cumsum(lengths)
    columns = random.integers(0, n, starts[-1], dtype=np.int32)
    values, x = random.random(starts[-1]), random.random(n)

    def run(launch, starts, columns, values, x, y):
        grid = (blocks(n * threads_per_row, THREADS),)
        launch(name, grid, (THREADS,), starts, columns, values, x, y, sizes=(n,))

    def expected():
        row_of = np.repeat(np.arange(n), lengths)
        return {"y": (..., np.bincount(row_of, values * x[columns], n))}

    arrays = {"starts": starts, "columns": columns, "values": values, "x": x, "y": np.zeros(n)}
    return Problem(arrays, run, expected, 1e-12)


KERNELS = {
    "sparse product, thread a row": GpuKernel(
        kernels, SOURCE, functools.partial(problem, "rows", 1)
    ),
    "sparse product, warp a row": GpuKernel(
        kernels, SOURCE, functools.partial(problem, "warps", WARP)
    ),
}
