"""Matrix product by three loops, innermost over columns."""

import numpy as np
from kernel import Kernel
from numjit import njit


@njit
def matmul(a, b):
    out = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                out[i, j] += a[i, k] * b[k, j]
    return out


def matrices(n):
    random = np.random.default_rng(2)
    return random.random((n, n)), random.random((n, n))


KERNEL = Kernel(matmul, lambda: matrices(300), lambda: matrices(20))
