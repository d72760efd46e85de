"""What programs take from the module of this name in Numba: LAPACK's routines by its wrappers."""

from __future__ import annotations

import functools
import importlib

import numpy as np

from numjit import types
from numjit.decorators import njit
from numjit.errors import NumbaTypeError
from numjit.library.core.intrinsics import pointer_at
from numjit.library.numpy.linalg import gesv
from numjit.special import farray

_KINDS = {types.float32: "s", types.float64: "d", types.complex64: "c", types.complex128: "z"}


def ensure_blas():
    """ImportError where there is no SciPy, whose pointers programs take routines from."""
    importlib.import_module("scipy.linalg.cython_blas")


def ensure_lapack():
    importlib.import_module("scipy.linalg.cython_lapack")


def get_blas_kind(dtype, func_name="<BLAS function>"):
    """The letter that names of routines of BLAS and LAPACK begin with."""
    if dtype not in _KINDS:
        raise NumbaTypeError(f"unsupported dtype for {func_name}()")
    return _KINDS[dtype]


@njit
def _copy_to_fortran_order(a):
    return a.T.copy().T


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
