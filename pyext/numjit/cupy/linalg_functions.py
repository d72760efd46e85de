"""What NumPy's linear algebra calls inside: solve, inv, eigh_lo, svd_f, ... of stacks of matrices.

numpy.linalg's own Python runs over these (numpy_code.py), with its rules for dtypes, shapes and
errors. On a GPU they are cuSOLVER's, but for eigenvalues of general matrices and least squares.
These, matrices without elements, stacks of many small ones, which cuSOLVER would compute one after
the other, and the simulator have LAPACK's on the host, with copies there and back.
"""

from __future__ import annotations

import contextlib
import functools
import math

import numpy as np
from numpy.linalg import _umath_linalg

from numjit.cuda.cudadrv.driver import simulated

from . import cusolver
from .creation import array
from .interchange import asnumpy
from .products import matmul, vecdot  # noqa: F401
from .settings import raises_in_linalg

_SMALL, _MANY = 32, 16  # rows of matrices, and how many of them a stack has


def _on_host(function, in_place):
    """A function of LAPACK; those in place leave what they computed in their first argument."""

    def called(*args, **keywords):
        out = keywords.pop("out", None)
        hosts = [asnumpy(each) for each in args]
        with contextlib.nullcontext() if raises_in_linalg() else np.errstate(all="ignore"):
            found = function(*hosts, **keywords)
        if in_place:
            args[0][...] = array(hosts[0])
        if isinstance(found, tuple):
            return tuple(map(array, found))
        if out is not None:
            out[...] = array(found)
            return out
        return array(found)

    return called


def _by_size(on_device, on_host):
    def called(a, *args, **keywords):
        small = max(a.shape[-2:]) <= _SMALL and math.prod(a.shape[:-2]) > _MANY
        empty = not min(a.shape[-2:])
        empty = empty or any(not np.ndim(each) for each in args)  # NumPy's errors
        return (on_host if small or empty else on_device)(a, *args, **keywords)

    return called


@functools.cache
def _function(name):
    on_host = _on_host(getattr(_umath_linalg, name), name.startswith("qr_r_raw"))
    own = None if simulated() else getattr(cusolver, name, None)
    return on_host if own is None else _by_size(own, on_host)


def __getattr__(name):
    if name.startswith("__") or not hasattr(_umath_linalg, name):
        raise AttributeError(name)
    return _function(name)
