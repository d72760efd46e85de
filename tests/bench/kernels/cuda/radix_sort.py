"""Radix sort of uint32 by digits of 4 bits, after Satish, Harris and Garland: blocks count digits,
the counts are scanned, and each block sorts its keys by a digit and writes them to their places."""

import numpy as np
from gpu_kernel import GpuKernel, Problem, blocks

THREADS = 256
EACH = 4  # what a thread scans
CHUNK = THREADS * EACH
BITS = 4
DIGITS = 1 << BITS
LAST = np.uint32(0xFFFFFFFF)

SOURCE = r"""
#define THREADS 256
#define EACH 4
#define CHUNK (THREADS * EACH)
#define BITS 4
#define DIGITS (1 << BITS)

extern "C" __global__ void count(const unsigned *keys, int shift, int *counts, int n) {
  __shared__ int found[DIGITS];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  if (t < DIGITS)
    found[t] = 0;
  __syncthreads();
  if (i < n)
    atomicAdd(&found[(keys[i] >> shift) & (DIGITS - 1)], 1);
  __syncthreads();
  if (t < DIGITS)
    counts[t * gridDim.x + blockIdx.x] = found[t];
}

__device__ void inclusive_scan(int *values) {
  int t = threadIdx.x;
  for (int distance = 1; distance < THREADS; distance *= 2) {
    __syncthreads();
    int before = t >= distance ? values[t - distance] : 0;
    __syncthreads();
    values[t] += before;
  }
  __syncthreads();
}

extern "C" __global__ void scan(int *values, int *sums, int n) {
  __shared__ int scanned[THREADS];
  int t = threadIdx.x;
  int start = blockIdx.x * CHUNK + t * EACH;
  int stop = min(start + EACH, n);
  int total = 0;
  for (int i = start; i < stop; ++i)
    total += values[i];
  scanned[t] = total;
  inclusive_scan(scanned);
  int before = scanned[t] - total;
  for (int i = start; i < stop; ++i) {
    int value = values[i];
    values[i] = before;
    before += value;
  }
  if (t == THREADS - 1)
    sums[blockIdx.x] = before;
}

extern "C" __global__ void add(int *values, const int *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    values[i] += sums[i / CHUNK];
}

extern "C" __global__ void scatter(const unsigned *keys, int shift, const int *starts,
                                   unsigned *out, int n) {
  __shared__ unsigned ordered[THREADS];
  __shared__ int scanned[THREADS], first[DIGITS];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  unsigned key = i < n ? keys[i] : 0xFFFFFFFF;
  for (int bit = shift; bit < shift + BITS; ++bit) {
    int one = (key >> bit) & 1;
    scanned[t] = 1 - one;
    inclusive_scan(scanned);
    int zeros = scanned[THREADS - 1];
    int place = one ? zeros + t - scanned[t] : scanned[t] - 1;
    ordered[place] = key;
    __syncthreads();
    key = ordered[t];
  }
  int digit = (key >> shift) & (DIGITS - 1);
  if (t == 0 || digit != ((ordered[t - 1] >> shift) & (DIGITS - 1)))
    first[digit] = t;
  __syncthreads();
  if (i < n)
    out[starts[digit * gridDim.x + blockIdx.x] + t - first[digit]] = key;
}
"""


def kernels(cuda):
    return *scans(cuda), *moves(cuda)


def scans(cuda):
    inclusive_scan = scan_of_a_block(cuda)

    @cuda.jit
    def scan(values, sums):
        scanned = cuda.shared.array(THREADS, np.int32)
        t = cuda.threadIdx.x
        start = cuda.blockIdx.x * CHUNK + t * EACH
        stop = min(start + EACH, values.size)
        total = 0
        for i in range(start, stop):
            total += values[i]
        scanned[t] = total
        inclusive_scan(scanned)
        before = scanned[t] - total
        for i in range(start, stop):
            value = values[i]
            values[i] = before
            before += value
        if t == THREADS - 1:
            sums[cuda.blockIdx.x] = before

    @cuda.jit
    def add(values, sums):
        i = cuda.grid(1)
        if i < values.size:
            values[i] += sums[i // CHUNK]

    return scan, add


def scan_of_a_block(cuda):
    @cuda.jit(device=True)
    def inclusive_scan(values):
        t = cuda.threadIdx.x
        distance = 1
        while distance < THREADS:
            cuda.syncthreads()
            before = values[t - distance] if t >= distance else 0
            cuda.syncthreads()
            values[t] += before
            distance *= 2
        cuda.syncthreads()

    return inclusive_scan


def moves(cuda):
    inclusive_scan = scan_of_a_block(cuda)

    @cuda.jit
    def count(keys, shift, counts):
        found = cuda.shared.array(DIGITS, np.int32)
        t = cuda.threadIdx.x
        i = cuda.grid(1)
        if t < DIGITS:
            found[t] = 0
        cuda.syncthreads()
        if i < keys.size:
            cuda.atomic.add(found, (keys[i] >> shift) & (DIGITS - 1), 1)
        cuda.syncthreads()
        if t < DIGITS:
            counts[t * cuda.gridDim.x + cuda.blockIdx.x] = found[t]

    @cuda.jit
    def scatter(keys, shift, starts, out):
        ordered = cuda.shared.array(THREADS, np.uint32)
        scanned = cuda.shared.array(THREADS, np.int32)
        first = cuda.shared.array(DIGITS, np.int32)
        t = cuda.threadIdx.x
        i = cuda.grid(1)
        key = keys[i] if i < keys.size else LAST
        for bit in range(shift, shift + BITS):
            one = (key >> bit) & 1
            scanned[t] = 1 - one
            inclusive_scan(scanned)
            zeros = scanned[THREADS - 1]
            place = zeros + t - scanned[t] if one else scanned[t] - 1
            ordered[place] = key
            cuda.syncthreads()
            key = ordered[t]
        digit = (key >> shift) & (DIGITS - 1)
        if t == 0 or digit != (ordered[t - 1] >> shift) & (DIGITS - 1):
            first[digit] = t
        cuda.syncthreads()
        if i < keys.size:
            out[starts[digit * cuda.gridDim.x + cuda.blockIdx.x] + t - first[digit]] = key

    return count, scatter


def problem(full):
    n = 1 << 24 if full else 17000  # more than one chunk of counts
    keys = np.random.default_rng(6).integers(0, 1 << 32, n, dtype=np.uint32)
    grid, block = (blocks(n, THREADS),), (THREADS,)
    m = DIGITS * grid[0]
    chunks = blocks(m, CHUNK)
    assert chunks <= CHUNK
    arrays = {"keys": keys, "out": np.zeros_like(keys)}
    arrays |= {"counts": np.zeros(m, np.int32), "sums": np.zeros(chunks, np.int32)}
    arrays["total"] = np.zeros(1, np.int32)

    def run(launch, keys, out, counts, sums, total):
        for shift in range(0, 32, BITS):
            launch("count", grid, block, keys, shift, counts, sizes=(n,))
            launch("scan", (chunks,), block, counts, sums, sizes=(m,))
            launch("scan", (1,), block, sums, total, sizes=(chunks,))
            launch("add", (blocks(m, THREADS),), block, counts, sums, sizes=(m,))
            launch("scatter", grid, block, keys, shift, counts, out, sizes=(n,))
            keys, out = out, keys

    return Problem(arrays, run, lambda: {"keys": (..., np.sort(keys))}, restored=("keys",))


KERNELS = {"radix sort": GpuKernel(kernels, SOURCE, problem)}
