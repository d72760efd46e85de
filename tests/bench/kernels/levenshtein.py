"""Edit distance of two integer sequences, with two rows of the table."""

import numpy as np
from kernel import Kernel
from numjit import njit


@njit
def levenshtein(a, b):
    previous = np.arange(len(b) + 1)
    current = np.empty_like(previous)
    for i in range(len(a)):
        current[0] = i + 1
        for j in range(len(b)):
            cost = 0 if a[i] == b[j] else 1
            current[j + 1] = min(previous[j] + cost, previous[j + 1] + 1, current[j] + 1)
        previous, current = current, previous
    return previous[len(b)]


def words(n):
    random = np.random.default_rng(5)
    return random.integers(0, 4, n), random.integers(0, 4, n)


KERNEL = Kernel(levenshtein, lambda: words(1000), lambda: words(20))
