"""Sum, mean, least and greatest of an array, by NumPy's functions."""

import numpy as np
from kernel import Kernel
from numjit import njit


@njit
def reduction_arrays(a):
    return np.sum(a), np.mean(a), np.min(a), np.max(a)


def vector(n):
    return (np.random.default_rng(8).random(n),)


# np.sum adds pairwise, or in whatever order is fast: more tolerance than one order needs.
KERNEL = Kernel(reduction_arrays, lambda: vector(1_000_000), lambda: vector(100), tolerance=1e-10)
