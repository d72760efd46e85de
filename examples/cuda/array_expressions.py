"""What waits and when it is computed: expressions over device arrays, with their plans.

python examples/cuda/array_expressions.py         on a GPU
NUMJIT_CUDA_SIMULATOR=1 python examples/cuda/array_expressions.py
"""

import time

import numjit.cupy as cp
import numpy as np


def timed(function):
    """The least time of a function in milliseconds, with all work done."""
    times = []
    for _ in range(5):
        cp.cuda.Device().synchronize()
        begin = time.perf_counter()
        kept = function()
        cp.cuda.Device().synchronize()
        times.append(1e3 * (time.perf_counter() - begin))
        del kept
    return min(times)


def polynomial(x):
    y = ((x * 0.5 + 1) * x + 2) * x
    y *= 3
    return y


def main():
    host = np.linspace(-1, 1, 100_000)
    x = cp.array(host)
    print("a polynomial:")
    cp.show_plan(polynomial(x))
    print("\nits distance from its mean:")
    y = polynomial(x)
    cp.show_plan(abs(y - y.mean()))
    expected = 3 * ((host * 0.5 + 1) * host + 2) * host
    assert np.allclose(polynomial(x).get(), expected)

    fused = timed(lambda: polynomial(x))
    with cp.eager():
        eager = timed(lambda: polynomial(x))
    print(f"\none kernel: {fused:.3f} ms; a kernel for each operation: {eager:.3f} ms")


if __name__ == "__main__":
    main()
