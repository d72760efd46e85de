"""``scipy.fft``: the transforms of ``numpy.fft`` by SciPy's names, and lengths that are fast."""

import numpy as np

from ..core.registry import function
from .fft_names import BASIC, MODULES, OF_ALL_AXES, OF_ONE_AXIS, OF_TWO_AXES


def of_one_axis(name):
    transform = getattr(np.fft, name)

    @function(f"{BASIC}.{name}")
    def transformed(
        x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan: "skip" = None
    ):
        return transform(x, n, axis, norm)


def of_axes(name, default):
    transform = getattr(np.fft, name)

    @function(f"{BASIC}.{name}")
    def transformed(
        x, s=None, axes=default, norm=None, overwrite_x=False, workers=None, *, plan: "skip" = None
    ):
        return transform(x, s, axes, norm)


for _name in OF_ONE_AXIS:
    of_one_axis(_name)
for _name in OF_TWO_AXES:
    of_axes(_name, (-2, -1))
for _name in OF_ALL_AXES:
    of_axes(_name, None)


# -- fast lengths ----------------------------------------------------------------------------------


def has_small_primes(n, real):
    """Whether there is no prime factor above 5 (of real transforms) or 11."""
    for prime in (2, 3, 5, 7, 11):
        if prime <= 5 or not real:
            while n % prime == 0:
                n //= prime
    return n == 1


def nearest(target, real, step):
    """The first fast length from a number on, upwards or downwards."""
    if target < 0:
        raise ValueError("Target length must be positive")
    length = max(target, 1)
    while not has_small_primes(length, real):
        length += step
    return length if target > 0 else 0


def good_size(target, real=False):
    return nearest(target, real, 1)


def prev_good_size(target, real=False):
    return nearest(target, real, -1)


for _module in MODULES:
    function(f"{_module}.good_size")(good_size)
    function(f"{_module}.prev_good_size")(prev_good_size)
