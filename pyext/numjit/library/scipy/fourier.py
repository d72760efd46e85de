"""``scipy.fft``: the transforms of ``numpy.fft`` by SciPy's names, and lengths that are fast."""

import numpy as np

from ..core.registry import function
from .fft_names import MODULES


def of_one_axis(name, transform):
    @function(f"scipy.fft._basic.{name}")
    def transformed(
        x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan: "skip" = None
    ):
        return transform(x, n, axis, norm)


def of_two_axes(name, transform):
    @function(f"scipy.fft._basic.{name}")
    def transformed(
        x,
        s=None,
        axes=(-2, -1),
        norm=None,
        overwrite_x=False,
        workers=None,
        *,
        plan: "skip" = None,
    ):
        return transform(x, s, axes, norm)


def of_all_axes(name, transform):
    @function(f"scipy.fft._basic.{name}")
    def transformed(
        x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan: "skip" = None
    ):
        return transform(x, s, axes, norm)


for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    of_one_axis(_name, getattr(np.fft, _name))
for _name in ("fft2", "ifft2", "rfft2", "irfft2"):
    of_two_axes(_name, getattr(np.fft, _name))
for _name in ("fftn", "ifftn", "rfftn", "irfftn"):
    of_all_axes(_name, getattr(np.fft, _name))


# -- fast lengths ----------------------------------------------------------------------------------


def has_small_primes(n, real):
    """Whether there is no prime factor above 5 (of real transforms) or 11."""
    for prime in (2, 3, 5, 7, 11):
        if prime <= 5 or not real:
            while n % prime == 0:
                n //= prime
    return n == 1


def good_size(target, real=False):
    if target < 0:
        raise ValueError("Target length must be positive")
    length = max(target, 1)
    while not has_small_primes(length, real):
        length += 1
    return length if target > 0 else 0


def prev_good_size(target, real=False):
    if target < 0:
        raise ValueError("Target length must be positive")
    length = max(target, 1)
    while not has_small_primes(length, real):
        length -= 1
    return length if target > 0 else 0


for _module in MODULES:
    function(f"{_module}.good_size")(good_size)
    function(f"{_module}.prev_good_size")(prev_good_size)
