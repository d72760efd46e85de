"""cupy.fft: numpy.fft's functions over device arrays."""

from __future__ import annotations

import functools
import math
import operator

import numpy as np

from numjit.cuda.cudadrv.driver import simulated

from . import fft_config as config  # noqa: F401
from . import numpy_code
from .cufft import CUFFT_FORWARD, CUFFT_INVERSE, get_current_plan, transform_all
from .fft_callbacks import current_callbacks
from .ndarrays import ndarray
from .ufuncs import numpy_calls

__path__: list = []  # a package of CuPy, see compat/cupy_paths.py

_KINDS = {"fft": "C2C", "ifft": "C2C", "rfft": "R2C", "irfft": "C2R"}
#: norm -> the factor of a transform of so many elements, and whether it is an inverse one.
_FACTORS = {
    None: lambda size, inverse: 1 / size if inverse else 1,
    "backward": lambda size, inverse: 1 / size if inverse else 1,
    "ortho": lambda size, inverse: 1 / math.sqrt(size),
    "forward": lambda size, inverse: 1 if inverse else 1 / size,
}


def own(name):
    """What does not come from NumPy's Python: calls of cuFFT without a step in between."""
    return globals().get(name) if name in _KINDS else None


def _check_plan(name, a, sizes, axes):
    """Compares a transform that the user calls, not NumPy's code, with the plan in use."""
    if (plan := get_current_plan()) is not None and not numpy_calls.depth:
        plan.check(name, a, sizes, axes)


def _lengths(a, kind, sizes, axes):
    """(lengths, axes from 0 on) of a transform; None if NumPy's code is to say what is wrong with
    them."""
    if axes is None:
        axes = range(-(a.ndim if sizes is None else len(sizes)), 0)
    lengths = [None] * len(axes) if sizes is None else list(sizes)
    try:
        places = [range(a.ndim)[axis] for axis in axes]
        if not places or len(lengths) != len(places):
            return None
        for i, (length, axis) in enumerate(zip(lengths, places)):
            given = a.shape[axis]
            if kind == "C2R" and i == len(places) - 1 and length is None:
                given = 2 * (given - 1)
            lengths[i] = given if length is None or length == -1 else operator.index(length)
    except (IndexError, TypeError):
        return None
    return (lengths, places) if min(lengths) >= 1 else None


def _transformed(name, a, sizes, axes, norm, out):
    """A transform by cuFFT; None if NumPy's code is to compute it, or to raise."""
    loads, stores = current_callbacks()
    kind = _KINDS[name]
    if simulated() or type(a) is not ndarray or norm.__hash__ is None or norm not in _FACTORS:
        return None
    if (kind == "R2C" and a.dtype.kind == "c") or (out is not None and not (loads or stores)):
        return None
    found = _lengths(a, kind, sizes, axes)
    if found is None:
        return None
    lengths, axes = found
    inverse = name[0] == "i"
    direction = CUFFT_INVERSE if inverse else CUFFT_FORWARD
    result = transform_all(a, kind, direction, lengths, axes, loads, stores)
    factor = _FACTORS[norm](math.prod(lengths), inverse)
    if factor != 1:
        result *= factor
    # Of real numbers of half precision NumPy's irfft gives such numbers again.
    if kind == "C2R" and a.dtype.char == "e" and len(axes) == 1:
        result = result.astype(a.dtype)
    if out is not None:
        out[...] = result
        return out
    return result


def _of_axis(name):
    of_numpy = numpy_code.from_numpy(getattr(np.fft, name))

    @functools.wraps(getattr(np.fft, name))
    def transform(a, n=None, axis=-1, norm=None, out=None):
        sizes = None if n is None else (n,)
        _check_plan(name, a, sizes, (axis,))
        found = None if n == -1 else _transformed(name, a, sizes, (axis,), norm, out)
        return of_numpy(a, n, axis, norm, out) if found is None else found

    return transform


def _of_axes(name, of_numpy):
    default = (-2, -1) if name[-1] == "2" else None

    @functools.wraps(of_numpy)
    def transform(a, s=None, axes=default, norm=None, out=None):
        _check_plan(name, a, s, axes)
        found = _transformed(name[:-1], a, s, axes, norm, out)
        return of_numpy(a, s, axes, norm, out) if found is None else found

    return transform


fft, ifft, rfft, irfft = map(_of_axis, _KINDS)


def __getattr__(name):
    value = None if name.startswith("_") else getattr(np.fft, name, None)
    found = None if value is None else numpy_code.from_numpy(value)
    if found is None:
        raise AttributeError(f"module 'numjit.cupy.fft' has no attribute {name!r}")
    if name.endswith(("fft2", "fftn")):
        found = _of_axes(name, found)
    globals()[name] = found
    return found
