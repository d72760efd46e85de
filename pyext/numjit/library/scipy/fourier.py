"""``scipy.fft``: the transforms of ``numpy.fft`` by SciPy's names, and lengths that are fast."""

import numpy as np

from ..core.intrinsics import promote
from ..core.registry import function
from ..numpy.fourier import precision_of
from .fft_names import BASIC, HELPERS, MODULES, OF_ALL_AXES, OF_ONE_AXIS, OF_TWO_AXES


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


# -- the functions in C++ --------------------------------------------------------------------------


def passes(x, axes, forward):
    """Transforms along several axes, which nothing is divided by."""
    for axis in axes:
        x = np.fft.fft(x, None, axis) if forward else np.fft.ifft(x, None, axis, "forward")
    return x


def extent_of(x, axes):
    count = 1
    for axis in axes:
        count *= x.shape[axis]
    return count


def result(x, count, inorm, out):
    if inorm != 0:
        x *= 1 / np.sqrt(count) if inorm == 1 else 1 / count
    if out is None:
        return x
    else:
        out[...] = x
        return out


def c2c(a, axes=None, forward=True, inorm=0, out=None, nthreads=1):
    if axes is None:
        return c2c(a, tuple(range(a.ndim)), forward, inorm, out)
    else:
        kind = promote(precision_of(a), np.complex64)
        return result(passes(a.astype(kind), axes, forward), extent_of(a, axes), inorm, out)


def r2c(a, axes=None, forward=True, inorm=0, out=None, nthreads=1):
    if axes is None:
        return r2c(a, tuple(range(a.ndim)), forward, inorm, out)
    else:
        x = passes(np.fft.rfft(a, None, axes[len(axes) - 1]), axes[:-1], True)
        if not forward:
            np.conj(x, x)
        return result(x, extent_of(a, axes), inorm, out)


def c2r(a, axes=None, lastsize=0, forward=True, inorm=0, out=None, nthreads=1):
    if axes is None:
        return c2r(a, tuple(range(a.ndim)), lastsize, forward, inorm, out)
    else:
        x = passes(np.conj(a) if forward else a + 0, axes[:-1], False)
        real = np.fft.irfft(x, lastsize, axes[len(axes) - 1], "forward")
        return result(real, extent_of(real, axes), inorm, out)


for _module in MODULES:
    for _function in (c2c, r2c, c2r):
        function(f"{_module}.{_function.__name__}")(_function)


# -- what the functions in Python ask --------------------------------------------------------------


def workers(workers):
    """How many threads are used: one. The default of a context is not known here."""
    if workers is None:
        return 1
    if workers == 0:
        raise ValueError("workers must not be zero")
    return workers


def datacopied(arr, original):
    """Whether an array may be overwritten, as it is a copy: that is not known here."""
    return False


for _module in HELPERS:
    function(f"{_module}._workers")(workers)
    function(f"{_module}._datacopied")(datacopied)
