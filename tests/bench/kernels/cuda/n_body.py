"""Accelerations by gravity between all pairs of bodies, in float32, with tiles of bodies in shared
memory: Nyland, Harris and Prins in GPU Gems 3."""

import math

import numpy as np
from gpu_kernel import GpuKernel, Problem, blocks

THREADS = 256
SOFTENING = np.float32(0.01)

SOURCE = r"""
#define THREADS 256
#define SOFTENING 0.01f

extern "C" __global__ void gravity(const float *x, const float *y, const float *z,
                                   const float *mass, float *ax, float *ay, float *az, int n) {
  __shared__ float sx[THREADS], sy[THREADS], sz[THREADS], sm[THREADS];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  float px = 0, py = 0, pz = 0, fx = 0, fy = 0, fz = 0;
  if (i < n) {
    px = x[i];
    py = y[i];
    pz = z[i];
  }
  for (int tile = 0; tile < n; tile += THREADS) {
    int j = tile + t;
    sx[t] = j < n ? x[j] : 0;
    sy[t] = j < n ? y[j] : 0;
    sz[t] = j < n ? z[j] : 0;
    sm[t] = j < n ? mass[j] : 0;
    __syncthreads();
    for (int k = 0; k < THREADS; ++k) {
      float dx = sx[k] - px, dy = sy[k] - py, dz = sz[k] - pz;
      float square = dx * dx + dy * dy + dz * dz + SOFTENING;
      float pull = sm[k] / (square * sqrtf(square));
      fx += dx * pull;
      fy += dy * pull;
      fz += dz * pull;
    }
    __syncthreads();
  }
  if (i < n) {
    ax[i] = fx;
    ay[i] = fy;
    az[i] = fz;
  }
}
"""


def kernels(cuda):
    f4 = np.float32

    @cuda.jit
    def gravity(x, y, z, mass, ax, ay, az):
        sx = cuda.shared.array(THREADS, f4)
        sy = cuda.shared.array(THREADS, f4)
        sz = cuda.shared.array(THREADS, f4)
        sm = cuda.shared.array(THREADS, f4)
        t = cuda.threadIdx.x
        i = cuda.grid(1)
        n = x.size
        px = py = pz = fx = fy = fz = f4(0)
        if i < n:
            px, py, pz = x[i], y[i], z[i]
        for tile in range(0, n, THREADS):
            j = tile + t
            sx[t] = x[j] if j < n else f4(0)
            sy[t] = y[j] if j < n else f4(0)
            sz[t] = z[j] if j < n else f4(0)
            sm[t] = mass[j] if j < n else f4(0)
            cuda.syncthreads()
            for k in range(THREADS):
                dx, dy, dz = sx[k] - px, sy[k] - py, sz[k] - pz
                square = dx * dx + dy * dy + dz * dz + SOFTENING
                pull = sm[k] / (square * math.sqrt(square))
                fx += dx * pull
                fy += dy * pull
                fz += dz * pull
            cuda.syncthreads()
        if i < n:
            ax[i], ay[i], az[i] = fx, fy, fz

    return (gravity,)


def problem(full):
    n = 1 << 16 if full else 600
    random = np.random.default_rng(8)
    arrays = {name: random.normal(size=n).astype(np.float32) for name in "xyz"}
    arrays["mass"] = (random.random(n) / n).astype(np.float32)
    arrays |= {name: np.zeros(n, np.float32) for name in ("ax", "ay", "az")}

    def run(launch, **arrays):
        launch("gravity", (blocks(n, THREADS),), (THREADS,), *arrays.values(), sizes=(n,))

    def expected():
        """Of every 300th body in full size."""
        some = slice(None, None, 300 if full else 1)
        x, y, z, mass = (arrays[name].astype("f8") for name in ("x", "y", "z", "mass"))
        distances = [each - each[some, None] for each in (x, y, z)]
        pull = mass * (sum(d * d for d in distances) + 0.01) ** -1.5
        return {f"a{axis}": (some, (d * pull).sum(axis=1)) for axis, d in zip("xyz", distances)}

    return Problem(arrays, run, expected, 1e-5)


KERNELS = {"n-body, tiles": GpuKernel(kernels, SOURCE, problem)}
