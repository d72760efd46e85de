"""Pi from random points, with a xorshift generator of its own on uint64."""

import numpy as np
from kernel import Kernel
from numjit import njit

LEFT_FIRST, RIGHT, LEFT_LAST = np.uint64(13), np.uint64(7), np.uint64(17)
LOW_BITS = np.uint64(11)
UNIT = 2.0**-53


@njit
def monte_carlo_pi(n, seed):
    state = np.uint64(seed)
    hits = 0
    for _ in range(n):
        state ^= state << LEFT_FIRST
        state ^= state >> RIGHT
        state ^= state << LEFT_LAST
        x = (state >> LOW_BITS) * UNIT
        state ^= state << LEFT_FIRST
        state ^= state >> RIGHT
        state ^= state << LEFT_LAST
        y = (state >> LOW_BITS) * UNIT
        if x * x + y * y < 1.0:
            hits += 1
    return 4.0 * hits / n


SEED = 88172645463325252

KERNEL = Kernel(monte_carlo_pi, lambda: (1_000_000, SEED), lambda: (500, SEED))
