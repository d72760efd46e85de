"""The functions of NumPy's C module that its functions in Python call."""

import numpy as np

from ..core.registry import function

_MODULE = "numpy._core._multiarray_umath"


@function(_MODULE + ".count_nonzero")
def count_nonzero(a, /):
    return np.count_nonzero(a)


@function(_MODULE + ".correlate")
def correlate(a, v, mode="valid"):
    """Without conjugation, and as if the longer one came first."""
    if len(a) < len(v):
        return np.convolve(v, a[::-1], mode)
    else:
        return np.convolve(a, v[::-1], mode)


@function(_MODULE + ".correlate2")
def correlate_conjugated(a, v, mode="valid"):
    return np.correlate(a, v, mode)


@function(_MODULE + ".interp")
@function(_MODULE + ".interp_complex")
def interp(x, xp, fp, left=None, right=None):
    return np.interp(x, xp, fp, left, right)


@function(_MODULE + "._place")
def place(arr, mask, vals, /):
    np.place(arr, mask, vals)


@function(_MODULE + "._monotonicity")
def monotonicity(x, /):
    """1 if no item is less than the one before, -1 if none is greater, else 0."""
    items = np.asarray(x, np.float64)
    if np.all(items[1:] >= items[:-1]):
        return 1
    elif np.all(items[1:] <= items[:-1]):
        return -1
    else:
        return 0
