"""cupy.linalg: numpy.linalg's functions over device arrays."""

from __future__ import annotations

import numpy as np
from numpy.linalg import LinAlgError  # noqa: F401

import numjit.cupy

from . import numpy_code
from .creation import asarray
from .norms import norm  # noqa: F401

__path__: list = []  # a package of CuPy, see compat/cupy_paths.py
_matrix_rank = numpy_code.from_numpy(np.linalg.matrix_rank)
_cond = numpy_code.from_numpy(np.linalg.cond)


def matrix_rank(A, tol=None, hermitian=False, **keywords):
    """The rank of each matrix of a stack, an array; of a vector 0 or 1."""
    return asarray(_matrix_rank(A, tol, hermitian, **keywords))


def cond(x, p=None):
    """The condition number of each matrix of a stack: infinity for a singular one."""
    return asarray(_cond(x, p))


def own(name):
    """What does not come from NumPy's Python."""
    return None


def __getattr__(name):
    value = None if name.startswith("_") else getattr(np.linalg, name, None)
    if value is None:
        raise AttributeError(f"module 'numjit.cupy.linalg' has no attribute {name!r}")
    if name in ("matmul", "outer", "tensordot", "vecdot", "trace", "diagonal", "cross"):
        shared = numjit.cupy.own(name)
        if shared is not None and name not in ("trace", "diagonal"):
            return shared
    found = numpy_code.from_numpy(value)
    if found is None:
        raise AttributeError(f"module 'numjit.cupy.linalg' has no attribute {name!r}")
    globals()[name] = found
    return found
