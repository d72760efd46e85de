"""Functions of numpy that SciPy's code calls and that make device arrays of everything there."""

from __future__ import annotations

import numpy as np

import numjit.cupy as cp
from numjit.cupy import creation, ndarray


def _conversion(name):
    function, host = getattr(creation, name), getattr(np, name)

    def convert(a, *args, **keywords):
        if hasattr(a, "__array__") and not isinstance(a, (ndarray, np.ndarray, np.generic)):
            inner = a.__array__()
            a = inner if isinstance(inner, ndarray) else a
        if not isinstance(a, (ndarray, int, float, complex, np.generic)):
            found = a if isinstance(a, np.ndarray) else None
            if found is None and not creation.has_device_array(a if _is_list(a) else (a,)):
                if not hasattr(a, "__cuda_array_interface__"):
                    found = host(a)
            if found is not None and found.dtype.kind not in "biufc":
                return found
        for unknown in ("subok", "like", "device"):
            keywords.pop(unknown, None)
        return function(a, *args, **keywords)

    convert.__name__ = name
    return convert


def _is_list(value):
    return isinstance(value, (list, tuple))


array, asarray = _conversion("array"), _conversion("asarray")
asanyarray, ascontiguousarray = _conversion("asanyarray"), _conversion("ascontiguousarray")


def require(a, dtype=None, requirements=None):
    """np.require."""
    return asarray(a, dtype=dtype, order="C" if requirements and "C" in requirements else None)


def copy(a, order="K", subok=False):
    return array(a, order=order)


def broadcast_arrays(*args, subok=False):
    return cp.broadcast_arrays(*map(asarray, args))


def result_type(*given):
    """np.result_type; the dtypes of device arrays are known without their elements."""
    return np.result_type(*(each.dtype if isinstance(each, ndarray) else each for each in given))


def isscalar(value):
    """NumPy's functions give scalars where those of the device give arrays of no dimensions."""
    return np.isscalar(value) or (isinstance(value, ndarray) and not value.ndim)


def iscomplexobj(x):
    dtype = getattr(x, "dtype", None)
    return np.iscomplexobj(x) if dtype is None else dtype.kind == "c"


def convolve(a, v, mode="full"):
    return cp.convolve(asarray(a), asarray(v), mode)


def unravel_index(indices, shape, order="C"):
    return cp.unravel_index(asarray(indices), shape, order)


def size(a, axis=None):
    return cp.size(a if hasattr(a, "shape") else asarray(a), axis)


def ndim(a):
    return a.ndim if hasattr(a, "ndim") else np.ndim(a)
