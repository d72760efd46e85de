"""Sum, mean, least and greatest of an array, by loops."""

import numpy as np
from kernel import Kernel
from numjit import njit


@njit
def reduction_loops(a):
    total = 0.0
    for i in range(a.size):
        total += a[i]
    least = greatest = a[0]
    for i in range(a.size):
        if a[i] < least:
            least = a[i]
        if a[i] > greatest:
            greatest = a[i]
    return total, total / a.size, least, greatest


def vector(n):
    return (np.random.default_rng(8).random(n),)


KERNEL = Kernel(reduction_loops, lambda: vector(1_000_000), lambda: vector(100))
