"""cupy.fft: numpy.fft's functions over device arrays."""

from __future__ import annotations

import functools
import math

import numpy as np

from numjit.cuda.cudadrv.driver import simulated

from . import fft_config as config  # noqa: F401
from . import numpy_code
from .cufft import get_current_plan, transform
from .ndarrays import ndarray
from .ufuncs import numpy_calls

__path__: list = []  # a package of CuPy, see compat/cupy_paths.py


def own(name):
    """What does not come from NumPy's Python: calls of cuFFT without a step in between."""
    return globals().get(name) if name in _DIRECT else None


def _check_plan(name, a, sizes, axes):
    """Compares a transform that the user calls, not NumPy's code, with the plan in use."""
    if (plan := get_current_plan()) is not None and not numpy_calls.depth:
        plan.check(name, a, sizes, axes)


def _direct(name):
    of_numpy = numpy_code.from_numpy(getattr(np.fft, name))

    @functools.wraps(getattr(np.fft, name))
    def direct(a, n=None, axis=-1, norm=None, out=None):
        _check_plan(name, a, None if n is None else (n,), (axis,))
        plain = type(a) is ndarray and type(axis) is int and -a.ndim <= axis < a.ndim
        if simulated() or not plain or out is not None or norm not in _FACTORS:
            return of_numpy(a, n, axis, norm, out)
        size = n
        if n is None:
            size = a.shape[axis] if name != "irfft" else 2 * (a.shape[axis] - 1)
        if type(size) is not int or size < 1:
            return of_numpy(a, n, axis, norm, out)
        inside, length = name, size
        if name == "rfft":
            inside, length = ("rfft_n_odd" if size % 2 else "rfft_n_even"), size // 2 + 1
        found = transform(inside, a, length, axis)
        factor = _FACTORS[norm](size, name in ("ifft", "irfft"))
        if factor != 1:
            found *= factor
        # Of real numbers of half precision NumPy's irfft gives such numbers again.
        return found.astype(a.dtype) if name == "irfft" and a.dtype.char == "e" else found

    return direct


#: norm -> the factor of a transform of so many elements, and whether it is an inverse one.
_FACTORS = {
    None: lambda size, inverse: 1 / size if inverse else 1,
    "backward": lambda size, inverse: 1 / size if inverse else 1,
    "ortho": lambda size, inverse: 1 / math.sqrt(size),
    "forward": lambda size, inverse: 1 if inverse else 1 / size,
}
_DIRECT = frozenset("fft ifft rfft irfft".split())
fft, ifft, rfft, irfft = map(_direct, ("fft", "ifft", "rfft", "irfft"))


def _of_axes(name, of_numpy):
    default = (-2, -1) if name[-1] == "2" else None

    @functools.wraps(of_numpy)
    def transform(a, s=None, axes=default, norm=None, out=None):
        _check_plan(name, a, s, axes)
        return of_numpy(a, s, axes, norm, out)

    return transform


def __getattr__(name):
    value = None if name.startswith("_") else getattr(np.fft, name, None)
    found = None if value is None else numpy_code.from_numpy(value)
    if found is None:
        raise AttributeError(f"module 'numjit.cupy.fft' has no attribute {name!r}")
    if name.endswith(("fft2", "fftn")):
        found = _of_axes(name, found)
    globals()[name] = found
    return found
