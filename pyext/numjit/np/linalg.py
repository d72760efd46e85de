"""What programs take from the module of this name in Numba: LAPACK's routines by its wrappers."""

from __future__ import annotations

import functools

import numpy as np

from numjit import types
from numjit.decorators import njit
from numjit.library.core.intrinsics import pointer_at
from numjit.library.numpy.linalg import gesv
from numjit.special import farray

_KINDS = (types.float32, types.float64, types.complex64, types.complex128)


class _LAPACK:
    """Its methods give functions that compiled code can call with addresses (`a.ctypes`)."""

    @classmethod
    def numba_xgesv(cls, dtype):
        """(kind, n, nrhs, a, lda, ipiv, b, ldb): ``b`` becomes the solution of a x = b, both in
        Fortran order without gaps (lda = ldb = n); ``a`` is destroyed. LAPACK's info."""
        if dtype not in _KINDS:
            raise TypeError(f"LAPACK has no routines for {dtype}")
        return _gesv_of(dtype)


@functools.cache
def _gesv_of(dtype):
    pointer = types.CPointer(dtype)
    items = np.dtype(str(dtype))

    @njit
    def numba_xgesv(kind, n, nrhs, a, lda, ipiv, b, ldb):
        matrix = farray(pointer_at(a.data, pointer), (n, n), items)
        return gesv(matrix, farray(pointer_at(b.data, pointer), (n, nrhs), items))

    return numba_xgesv
