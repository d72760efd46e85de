"""The functions of ``cmath`` and ``math`` that are not scalar operations of their own."""

import cmath

import numpy as np

from ..core.registry import function


@function("cmath.polar")
def polar(z):
    return abs(z) * 1.0, cmath.phase(z)


@function("math.log")
def log(x, base=None):
    if base is None:
        return np.log(x)
    else:
        return np.log(x) / np.log(base)


@function("cmath.log")
def complex_log(z, base=None):
    if base is None:
        return np.log(complex(z))
    else:
        return np.log(complex(z)) / np.log(complex(base))
