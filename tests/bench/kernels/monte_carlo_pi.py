"""Pi from random points: two numbers of NumPy's legacy stream a point."""

import numpy as np
from kernel import Kernel
from numjit import njit


@njit
def monte_carlo_pi(n, seed):
    np.random.seed(seed)
    hits = 0
    for _ in range(n):
        x = np.random.random()
        y = np.random.random()
        if x * x + y * y < 1.0:
            hits += 1
    return 4.0 * hits / n


SEED = 1907

KERNEL = Kernel(monte_carlo_pi, lambda: (1_000_000, SEED), lambda: (500, SEED))
