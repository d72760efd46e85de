"""An array expression whose time is exp's."""

import numpy as np
from kernel import Kernel
from numjit import njit


@njit
def exp_expression(a, b):
    return np.exp(2.1 * a + 3.2 * b)


def vectors(n):
    random = np.random.default_rng(7)
    return random.random(n), random.random(n)


KERNEL = Kernel(exp_expression, lambda: vectors(1_000_000), lambda: vectors(100))
