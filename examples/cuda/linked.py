"""CUDA C++ that kernels call: functions in a text, with Numba's calling convention and with C's.
It needs a GPU and NVRTC (pip install numjit[cuda] nvidia-cuda-nvrtc); the simulator runs no C++.

    python examples/cuda/linked.py
"""

import numpy as np
from numjit import cuda

SOURCE = cuda.CUSource(
    r"""
// Numba's convention: the result goes to the first argument, 0 says that nothing failed.
extern "C" __device__ int distance(double *result, double x, double y) {
  *result = hypot(x, y);
  return 0;
}

extern "C" __device__ int first_bits(unsigned word, int n) {
  return __popc(word >> (32 - n));
}
""",
    "linked.cu",
)

distance = cuda.declare_device("distance", "float64(float64, float64)", link=SOURCE)
first_bits = cuda.declare_device("first_bits", "int32(uint32, int32)", link=SOURCE, abi="c")


@cuda.jit
def lengths(points, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = distance(points[i, 0], points[i, 1])


@cuda.jit
def count_bits(words, n, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = first_bits(words[i], n)


def main():
    if cuda.is_simulated():
        print("this program needs a GPU: its functions are C++")
        return
    rng = np.random.default_rng(0)
    points, out = rng.normal(size=(1000, 2)), np.zeros(1000)
    lengths[4, 256](points, out)
    assert np.allclose(out, np.hypot(points[:, 0], points[:, 1]))
    words = rng.integers(0, 1 << 32, 1000, np.uint32)
    counts = np.zeros(1000, np.int32)
    count_bits[4, 256](words, 20, counts)
    assert (counts == np.bitwise_count(words >> 12)).all()
    print(f"the farthest of 1000 points: {out.max():.3f}; the most bits: {counts.max()}")


if __name__ == "__main__":
    main()
