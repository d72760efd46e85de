"""cupyx.lapack: solutions with LAPACK's names."""

from __future__ import annotations

import numjit.cupy as cp
from numjit.cupy import linalg


def _solved(a, b):
    return linalg.solve(a, b)


def gesv(a, b):
    """Solves a x = b; b becomes x."""
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise ValueError(f"a.ndim must be 2 and a square (actual: {a.shape})")
    b[...] = _solved(a, b)


def gels(a, b):
    """The least-squares solution of a x = b."""
    return linalg.lstsq(a, b, rcond=None)[0]


def posv(a, b):
    """Solves a x = b for a positive definite matrix, or stacks of them."""
    vectors = b.ndim == a.ndim - 1
    found = _solved(a, b[..., None] if vectors else b)
    dtype = cp.result_type(a.dtype, b.dtype, "f4")
    return (found[..., 0] if vectors else found).astype(dtype, copy=False)


def potrs(L, b, lower):
    """Solves a x = b from the Cholesky factor of a."""
    a = L @ L.conj().swapaxes(-1, -2) if lower else L.conj().swapaxes(-1, -2) @ L
    return posv(a, b)
