"""An array expression that wants one loop and no temporaries."""

import numpy as np
from kernel import Kernel
from numjit import njit


@njit
def fused_expression(a, b, c):
    return np.sqrt(a * a + b * b) * c - 2 * a / (b + 1)


def vectors(n):
    random = np.random.default_rng(6)
    return random.random(n), random.random(n), random.random(n)


KERNEL = Kernel(fused_expression, lambda: vectors(1_000_000), lambda: vectors(100))
