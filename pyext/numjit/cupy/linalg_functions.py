"""What NumPy's linear algebra calls inside: solve, inv, eigh_lo, svd_f, ... of stacks of matrices.

numpy.linalg's own Python runs over these (numpy_code.py), with its rules for dtypes, shapes and
errors. cuSOLVER has the functions of single matrices; all others, and the simulator, have LAPACK's
on the host.
"""

from __future__ import annotations

import functools

from numpy.linalg import _umath_linalg

from .creation import array
from .interchange import asnumpy
from .products import matmul, vecdot  # noqa: F401


def _on_host(function):
    def called(*args, **keywords):
        out = keywords.pop("out", None)
        found = function(*map(asnumpy, args), **keywords)
        if isinstance(found, tuple):
            return tuple(map(array, found))
        if out is not None:
            out[...] = array(found)
            return out
        return array(found)

    return called


@functools.cache
def _function(name):
    from numjit.cuda.cudadrv.driver import simulated

    host = _on_host(getattr(_umath_linalg, name))
    if simulated():
        return host
    from . import cusolver

    own = getattr(cusolver, name, None)
    return host if own is None else cusolver.with_host(own, host)


def __getattr__(name):
    if name.startswith("__") or not hasattr(_umath_linalg, name):
        raise AttributeError(name)
    return _function(name)
