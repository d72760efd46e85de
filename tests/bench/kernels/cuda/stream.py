"""The five loops of BabelStream: copy, mul, add, triad and the dot product, in float64."""

import functools

import numpy as np
from gpu_kernel import GpuKernel, Problem, blocks

SCALAR = 0.4
THREADS = 256
# The arguments, of which the last is written, and what it becomes.
ELEMENTWISE = {
    "copy": ("ac", lambda a: a),
    "mul": ("cb", lambda c: SCALAR * c),
    "add": ("abc", lambda a, b: a + b),
    "triad": ("bca", lambda b, c: b + SCALAR * c),
}

SOURCE = r"""
#define THREADS 256
#define SCALAR 0.4

extern "C" __global__ void copy(const double *a, double *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i];
}

extern "C" __global__ void mul(const double *c, double *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    b[i] = SCALAR * c[i];
}

extern "C" __global__ void add(const double *a, const double *b, double *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}

extern "C" __global__ void triad(const double *b, const double *c, double *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = b[i] + SCALAR * c[i];
}

__device__ double block_sum(double value) {
  __shared__ double shared[THREADS];
  int t = threadIdx.x;
  shared[t] = value;
  __syncthreads();
  for (int offset = THREADS / 2; offset > 0; offset /= 2) {
    if (t < offset)
      shared[t] += shared[t + offset];
    __syncthreads();
  }
  return shared[0];
}

extern "C" __global__ void dot(const double *a, const double *b, double *sums, int n) {
  double total = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    total += a[i] * b[i];
  total = block_sum(total);
  if (threadIdx.x == 0)
    sums[blockIdx.x] = total;
}

extern "C" __global__ void sum(const double *sums, double *out, int n) {
  double total = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    total += sums[i];
  total = block_sum(total);
  if (threadIdx.x == 0)
    out[0] = total;
}
"""


def elementwise(cuda):
    @cuda.jit
    def copy(a, c):
        i = cuda.grid(1)
        if i < a.size:
            c[i] = a[i]

    @cuda.jit
    def mul(c, b):
        i = cuda.grid(1)
        if i < c.size:
            b[i] = SCALAR * c[i]

    @cuda.jit
    def add(a, b, c):
        i = cuda.grid(1)
        if i < a.size:
            c[i] = a[i] + b[i]

    @cuda.jit
    def triad(b, c, a):
        i = cuda.grid(1)
        if i < b.size:
            a[i] = b[i] + SCALAR * c[i]

    return copy, mul, add, triad


def reductions(cuda):
    @cuda.jit(device=True)
    def block_sum(value):
        shared = cuda.shared.array(THREADS, np.float64)
        t = cuda.threadIdx.x
        shared[t] = value
        cuda.syncthreads()
        offset = THREADS // 2
        while offset > 0:
            if t < offset:
                shared[t] += shared[t + offset]
            cuda.syncthreads()
            offset //= 2
        return shared[0]

    @cuda.jit
    def dot(a, b, sums):
        total = 0.0
        for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
            total += a[i] * b[i]
        total = block_sum(total)
        if cuda.threadIdx.x == 0:
            sums[cuda.blockIdx.x] = total

    @cuda.jit
    def sum(sums, out):
        total = 0.0
        for i in range(cuda.threadIdx.x, sums.size, cuda.blockDim.x):
            total += sums[i]
        total = block_sum(total)
        if cuda.threadIdx.x == 0:
            out[0] = total

    return dot, sum


def inputs(names, full):
    n = 1 << 25 if full else 3000
    random = np.random.default_rng(1)
    return n, {name: random.random(n) for name in names}


def elementwise_problem(name, full):
    names, value = ELEMENTWISE[name]
    n, arrays = inputs(names, full)

    def run(launch, **arrays):
        launch(name, (blocks(n, THREADS),), (THREADS,), *arrays.values(), sizes=(n,))

    def expected():
        *given, written = names
        return {written: (..., value(*(arrays[each] for each in given)))}

    return Problem(arrays, run, expected, 1e-15)


def dot_problem(full):
    n, arrays = inputs("ab", full)
    arrays |= {"sums": np.zeros(1024 if full else 5), "out": np.zeros(1)}

    def run(launch, a, b, sums, out):
        launch("dot", sums.shape, (THREADS,), a, b, sums, sizes=(n,))
        launch("sum", (1,), (THREADS,), sums, out, sizes=sums.shape)

    return Problem(arrays, run, lambda: {"out": (..., [arrays["a"] @ arrays["b"]])}, 1e-12)


KERNELS = {
    f"stream {name}": GpuKernel(elementwise, SOURCE, functools.partial(elementwise_problem, name))
    for name in ELEMENTWISE
} | {"stream dot": GpuKernel(reductions, SOURCE, dot_problem)}
