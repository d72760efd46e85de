"""Functions for the text of kernels: of float16, what cannot be computed in float32 and rounded,
and powers of integers, which cannot raise there."""

from __future__ import annotations

import numpy as np


def _step(x, below):
    """The distance of a finite number to its neighbour, away from 0 or (below) towards 0."""
    if x == 0:
        return np.float32(2.0**-24)
    mantissa, exponent = np.frexp(abs(x))
    if below and mantissa == 0.5:
        exponent -= 1
    return np.float32(2.0 ** max(exponent - 11, -24))


def spacing(x):
    """np.spacing, which is positive: the distance to the next greater number."""
    value = np.float32(x)
    if not abs(value) < np.float32(np.inf):
        return np.float16(np.float32(np.nan))
    if value == np.float32(65504):
        return np.float16(np.float32(np.inf))
    return np.float16(_step(value, value < 0))


def nextafter(x, y):
    """np.nextafter."""
    value, target = np.float32(x), np.float32(y)
    if value != value or target != target:
        return np.float16(value + target)
    if value == target:
        return np.float16(target)
    if abs(value) == np.float32(np.inf):
        return np.float16(np.copysign(np.float32(65504), value))
    up = target > value
    step = _step(value, up == (value < 0))
    return np.float16(value + step) if up else np.float16(value - step)


def power(x, y):
    """np.power of signed integers; with negative exponents 1 / x ** -y without its fraction."""
    if y >= 0:
        return np.power(x, y)
    if x == -1:
        return np.power(x, y & 1)
    return np.power(x, 0) * (x == 1)
