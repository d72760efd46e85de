"""Products of float32 matrices: one element a thread with tiles of 16 x 16 in shared memory, and
4 x 4 elements a thread, held in registers, of tiles of 64 x 64."""

import numpy as np
from gpu_kernel import GpuKernel, Problem, blocks

TILE = 16
BLOCK, DEPTH, EACH = 64, 16, 4  # rows and columns of a block's tile, its depth, a thread's rows
PITCH = BLOCK + 4  # of a tile's rows in shared memory, against conflicts of banks
ACROSS = BLOCK // EACH
THREADS = ACROSS * ACROSS

SOURCE = r"""
#define TILE 16

extern "C" __global__ void tiled(const float *a, const float *b, float *c, int n, int m, int l) {
  __shared__ float sa[TILE][TILE], sb[TILE][TILE];
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int tx = threadIdx.x, ty = threadIdx.y;
  float total = 0;
  for (int k = 0; k < m; k += TILE) {
    sa[ty][tx] = i < n && k + tx < m ? a[i * m + k + tx] : 0;
    sb[ty][tx] = k + ty < m && j < l ? b[(k + ty) * l + j] : 0;
    __syncthreads();
    for (int q = 0; q < TILE; ++q)
      total += sa[ty][q] * sb[q][tx];
    __syncthreads();
  }
  if (i < n && j < l)
    c[i * l + j] = total;
}

#define BLOCK 64
#define DEPTH 16
#define EACH 4
#define PITCH (BLOCK + 4)
#define ACROSS (BLOCK / EACH)
#define THREADS (ACROSS * ACROSS)

extern "C" __global__ void registers(const float *a, const float *b, float *c, int m, int l) {
  __shared__ float sa[DEPTH][PITCH], sb[DEPTH][PITCH];
  float left[EACH], right[EACH], sums[EACH][EACH];
  int t = threadIdx.x;
  int tx = t % ACROSS, ty = t / ACROSS;
  int row = blockIdx.y * BLOCK, column = blockIdx.x * BLOCK;
  for (int r = 0; r < EACH; ++r)
    for (int s = 0; s < EACH; ++s)
      sums[r][s] = 0;
  for (int k = 0; k < m; k += DEPTH) {
    for (int e = t; e < BLOCK * DEPTH; e += THREADS) {
      sa[e % DEPTH][e / DEPTH] = a[(row + e / DEPTH) * m + k + e % DEPTH];
      sb[e / BLOCK][e % BLOCK] = b[(k + e / BLOCK) * l + column + e % BLOCK];
    }
    __syncthreads();
    for (int q = 0; q < DEPTH; ++q) {
      for (int r = 0; r < EACH; ++r) {
        left[r] = sa[q][ty * EACH + r];
        right[r] = sb[q][tx * EACH + r];
      }
      for (int r = 0; r < EACH; ++r)
        for (int s = 0; s < EACH; ++s)
          sums[r][s] += left[r] * right[s];
    }
    __syncthreads();
  }
  for (int r = 0; r < EACH; ++r)
    for (int s = 0; s < EACH; ++s)
      c[(row + ty * EACH + r) * l + column + tx * EACH + s] = sums[r][s];
}
"""


def tiled_kernel(cuda):
    f4 = np.float32

    @cuda.jit
    def tiled(a, b, c):
        sa = cuda.shared.array((TILE, TILE), f4)
        sb = cuda.shared.array((TILE, TILE), f4)
        j, i = cuda.grid(2)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        n, l = c.shape
        m = a.shape[1]
        total = f4(0)
        for k in range(0, m, TILE):
            sa[ty, tx] = a[i, k + tx] if i < n and k + tx < m else f4(0)
            sb[ty, tx] = b[k + ty, j] if k + ty < m and j < l else f4(0)
            cuda.syncthreads()
            for q in range(TILE):
                total += sa[ty, q] * sb[q, tx]
            cuda.syncthreads()
        if i < n and j < l:
            c[i, j] = total

    return (tiled,)


def register_kernel(cuda):
    f4 = np.float32

    @cuda.jit
    def registers(a, b, c):
        sa = cuda.shared.array((DEPTH, PITCH), f4)
        sb = cuda.shared.array((DEPTH, PITCH), f4)
        left = cuda.local.array(EACH, f4)
        right = cuda.local.array(EACH, f4)
        sums = cuda.local.array((EACH, EACH), f4)
        t = cuda.threadIdx.x
        tx, ty = t % ACROSS, t // ACROSS
        row, column = cuda.blockIdx.y * BLOCK, cuda.blockIdx.x * BLOCK
        for r in range(EACH):
            for s in range(EACH):
                sums[r, s] = 0
        for k in range(0, a.shape[1], DEPTH):
            for e in range(t, BLOCK * DEPTH, THREADS):
                sa[e % DEPTH, e // DEPTH] = a[row + e // DEPTH, k + e % DEPTH]
                sb[e // BLOCK, e % BLOCK] = b[k + e // BLOCK, column + e % BLOCK]
            cuda.syncthreads()
            for q in range(DEPTH):
                for r in range(EACH):
                    left[r] = sa[q, ty * EACH + r]
                    right[r] = sb[q, tx * EACH + r]
                for r in range(EACH):
                    for s in range(EACH):
                        sums[r, s] += left[r] * right[s]
            cuda.syncthreads()
        for r in range(EACH):
            for s in range(EACH):
                c[row + ty * EACH + r, column + tx * EACH + s] = sums[r, s]

    return (registers,)


def problem(n, m, l, launches):
    random = np.random.default_rng(4)
    arrays = {
        "a": random.random((n, m), dtype=np.float32),
        "b": random.random((m, l), dtype=np.float32),
        "c": np.zeros((n, l), np.float32),
    }

    def expected():
        return {"c": (..., arrays["a"].astype("f8") @ arrays["b"].astype("f8"))}

    return Problem(arrays, launches, expected, 1e-5)


def tiled_problem(full):
    n, m, l = (2048,) * 3 if full else (25, 37, 40)

    def run(launch, a, b, c):
        grid = blocks(l, TILE), blocks(n, TILE)
        launch("tiled", grid, (TILE, TILE), a, b, c, sizes=(n, m, l))

    return problem(n, m, l, run)


def register_problem(full):
    """All sizes are multiples of a tile's."""
    n, m, l = (2048,) * 3 if full else (64, 48, 128)

    def run(launch, a, b, c):
        grid = l // BLOCK, n // BLOCK
        launch("registers", grid, (THREADS,), a, b, c, sizes=(m, l))

    return problem(n, m, l, run)


KERNELS = {
    "matrix product, tiles": GpuKernel(tiled_kernel, SOURCE, tiled_problem),
    "matrix product, registers": GpuKernel(register_kernel, SOURCE, register_problem),
}
