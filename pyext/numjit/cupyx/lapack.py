"""cupyx.lapack: solutions with LAPACK's names."""

from __future__ import annotations

import numjit.cupy as cp
from numjit.cupy import linalg


def gesv(a, b):
    """Solves a x = b; b becomes x."""
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise ValueError(f"a.ndim must be 2 and a square (actual: {a.shape})")
    if b.ndim not in (1, 2) or b.shape[0] != a.shape[0]:
        raise ValueError(f"b must be of the rows of a {a.shape} (actual: {b.shape})")
    if a.dtype.char not in "fdFD" or b.dtype != a.dtype:
        raise TypeError(f"unsupported dtypes: {a.dtype} and {b.dtype}")
    if not (a.flags.c_contiguous or a.flags.f_contiguous):
        raise ValueError("a must be contiguous")
    if not (b.flags.f_contiguous or b.ndim == 1 and b.flags.c_contiguous):
        raise ValueError("b must be F-contiguous")
    b[...] = linalg.solve(a, b)


def gels(a, b):
    """The least-squares solution of a x = b."""
    return linalg.lstsq(a, b, rcond=None)[0]


def posv(a, b):
    """Solves a x = b for a positive definite matrix, or stacks of them."""
    return potrs(linalg.cholesky(a), b, True)


def potrs(L, b, lower):
    """Solves a x = b from the Cholesky factor of a; the other triangle of L is not read."""
    dtype = cp.result_type(L.dtype, b.dtype, "f4")
    vectors = b.ndim == L.ndim - 1
    first = cp.tril(L) if lower else cp.triu(L).conj().swapaxes(-1, -2)
    found = linalg.solve(first, b[..., None] if vectors else b)
    found = linalg.solve(first.conj().swapaxes(-1, -2), found)
    return (found[..., 0] if vectors else found).astype(dtype, copy=False)
