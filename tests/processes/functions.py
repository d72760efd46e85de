"""What the tests send to other processes: code that compiles nothing there says so."""

import numpy as np
from numjit import _core, guvectorize, njit, vectorize


@njit(nogil=True)
def smooth(a):
    out = a.copy()
    for i in range(1, a.shape[0] - 1):
        out[i] = (a[i - 1] + a[i] + a[i + 1]) / 3
    return out


@vectorize(["f8(f8, f8)"])
def mixed(a, b):
    return a * 2 + b


@guvectorize(["void(f8[:], f8[:])"], "(n)->()")
def spread(a, out):
    low, high = a[0], a[0]
    for x in a:
        low, high = min(low, x), max(high, x)
    out[0] = high - low


def closure(factor):
    """Travels by value."""

    @njit(nogil=True)
    def scaled(a):
        total = 0.0
        for x in a:
            total += x * factor
        return total

    array = np.ones(3)
    scaled(array)
    array.flags.writeable = False  # as Ray passes arrays
    scaled(array)
    return scaled


def called(function, *arguments):
    """The result of a call, and whether this process compiled anything for it."""
    before = stages()
    result = function(*arguments)
    return result, stages() != before


def stages():
    return dict(_core.timings()).get("llvm optimise", 0.0)
