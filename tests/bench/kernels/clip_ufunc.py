"""A ufunc made of a scalar function, over an array and two scalars."""

import numpy as np
from kernel import Kernel
from numjit import vectorize


@vectorize
def clip(x, low, high):
    return low if x < low else high if x > high else x


def values(n):
    x = np.random.default_rng(8).normal(size=n).astype(np.float32)
    return x, np.float32(-0.5), np.float32(0.5)


KERNEL = Kernel(clip, lambda: values(1_000_000), lambda: values(100))
