"""Edit distances of Levenshtein (Wagner and Fischer's algorithm), one pair of words a thread, with
a row of the table in local memory."""

import numpy as np
from gpu_kernel import GpuKernel, Problem, blocks

THREADS = 128
MOST = 64  # letters of a word
ROW = MOST + 1

SOURCE = r"""
#define MOST 64

extern "C" __global__ void distances(const unsigned char *first, const int *first_lengths,
                                     const unsigned char *second, const int *second_lengths,
                                     int *out, int pairs) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p < pairs) {
    int row[MOST + 1];
    int n = first_lengths[p], m = second_lengths[p];
    for (int j = 0; j <= m; ++j)
      row[j] = j;
    for (int i = 0; i < n; ++i) {
      unsigned char letter = first[p * MOST + i];
      int diagonal = row[0];
      row[0] = i + 1;
      for (int j = 0; j < m; ++j) {
        int changed = diagonal + (letter == second[p * MOST + j] ? 0 : 1);
        diagonal = row[j + 1];
        row[j + 1] = min(min(diagonal, row[j]) + 1, changed);
      }
    }
    out[p] = row[m];
  }
}
"""


def kernels(cuda):
    @cuda.jit
    def distances(first, first_lengths, second, second_lengths, out):
        p = cuda.grid(1)
        if p < out.size:
            row = cuda.local.array(ROW, np.int32)
            n, m = first_lengths[p], second_lengths[p]
            for j in range(m + 1):
                row[j] = j
            for i in range(n):
                letter = first[p, i]
                diagonal = row[0]
                row[0] = i + 1
                for j in range(m):
                    changed = diagonal + (0 if letter == second[p, j] else 1)
                    diagonal = row[j + 1]
                    row[j + 1] = min(min(diagonal, row[j]) + 1, changed)
            out[p] = row[m]

    return (distances,)


def distances_of(first, first_lengths, second, second_lengths):
    pairs = np.arange(len(first))
    table = np.zeros((MOST + 1, MOST + 1, len(first)), np.int32)
    table[0] = table[:, 0] = np.arange(MOST + 1)[:, None]
    for i in range(MOST):
        for j in range(MOST):
            changed = table[i, j] + (first[:, i] != second[:, j])
            table[i + 1, j + 1] = np.minimum(
                changed, np.minimum(table[i, j + 1], table[i + 1, j]) + 1
            )
    return table[first_lengths, second_lengths, pairs]


def problem(full):
    """Words of up to 64 letters, of four."""
    pairs = 1 << 17 if full else 300
    random = np.random.default_rng(11)
    arrays = {}
    for name in ("first", "second"):
        arrays[name] = random.integers(0, 4, (pairs, MOST), np.uint8)
        arrays[f"{name}_lengths"] = random.integers(0, MOST + 1, pairs, np.int32)
    arrays["out"] = np.zeros(pairs, np.int32)

    def run(launch, **arrays):
        grid = (blocks(pairs, THREADS),)
        launch("distances", grid, (THREADS,), *arrays.values(), sizes=(pairs,))

    def expected():
        """Of every 100th pair in full size."""
        some = slice(None, None, 100 if full else 1)
        return {"out": (some, distances_of(*(arrays[name][some] for name in list(arrays)[:4])))}

    return Problem(arrays, run, expected)


KERNELS = {"edit distance": GpuKernel(kernels, SOURCE, problem)}
