"""Names that NumPy has dropped or moved, and that CuPy still has."""

from __future__ import annotations

import sys
import warnings

import numpy as np
from numpy import exceptions as _exceptions

import numjit.cupy as cp

from .creation import asarray
from .ndarrays import ndarray

AxisError, ComplexWarning = _exceptions.AxisError, _exceptions.ComplexWarning
RankWarning, TooHardError = _exceptions.RankWarning, _exceptions.TooHardError
VisibleDeprecationWarning = _exceptions.VisibleDeprecationWarning
ModuleDeprecationWarning = _exceptions.ModuleDeprecationWarning


def in1d(ar1, ar2, assume_unique=False, invert=False):
    """Whether elements of a vector are in another one."""
    return cp.isin(asarray(ar1).ravel(), asarray(ar2), assume_unique, invert)


def trapz(y, x=None, dx=1.0, axis=-1):
    """The integral by trapezoids."""
    return cp.trapezoid(y, x, dx, axis)


def row_stack(tup, *, dtype=None, casting="same_kind"):
    """Arrays as rows."""
    warnings.warn("`row_stack` is deprecated: use `vstack`", DeprecationWarning, 2)
    return cp.vstack(tup, dtype=dtype, casting=casting)


def byte_bounds(a):
    """The first address of an array, and the first one behind it."""
    begin, size = a._force()._extent()
    return begin, begin + size


def asarray_chkfinite(a, dtype=None, order=None):
    """An array; ValueError if an element is infinite or NaN."""
    found = asarray(a, dtype=dtype, order=order)
    if found.dtype.kind in "fc" and not bool(cp.isfinite(found).all()):
        raise ValueError("array must not contain Infs or NaNs")
    return found


def find_common_type(array_types, scalar_types):
    return np.result_type(*array_types, *scalar_types)


def who(vardict=None):
    """Prints the arrays of a dict, by default of the caller's global names, and their bytes."""
    vardict = sys._getframe(1).f_globals if vardict is None else vardict
    arrays = {name: each for name, each in vardict.items() if isinstance(each, ndarray)}
    if arrays:
        print(f"{'Name':<16}{'Shape':<20}{'Bytes':<16}Type\n{'=' * 60}\n")
    for name, each in arrays.items():
        print(f"{name:<16}{' x '.join(map(str, each.shape)):<20}{each.nbytes:<16}{each.dtype}")
    print(f"\nUpper bound on total bytes  =       {sum(each.nbytes for each in arrays.values())}")


def disable_experimental_feature_warning():
    """Nothing warns here."""


def __getattr__(name):
    """Numbers, dtypes and functions that NumPy 2 calls otherwise."""
    if name in _NUMBERS:
        return _NUMBERS[name]
    if name in _DTYPES:
        return getattr(np, _DTYPES[name])
    if name in _FUNCTIONS:
        return getattr(cp, _FUNCTIONS[name])
    raise AttributeError(name)


_NUMBERS = {
    "Inf": float("inf"), "Infinity": float("inf"), "infty": float("inf"), "PINF": float("inf"),
    "NINF": float("-inf"), "NAN": float("nan"), "NaN": float("nan"), "PZERO": 0.0, "NZERO": -0.0,
}  # fmt: skip
_DTYPES = {
    "float_": "float64", "complex_": "complex128", "cfloat": "complex128",
    "singlecomplex": "complex64",
}  # fmt: skip
_FUNCTIONS = {
    "alltrue": "all", "sometrue": "any", "product": "prod", "cumproduct": "cumprod",
    "round_": "round",
}  # fmt: skip


def asfarray(a, dtype=float):
    """An array of floating point numbers."""
    return asarray(a, dtype=dtype if np.issubdtype(dtype, np.inexact) else float)
