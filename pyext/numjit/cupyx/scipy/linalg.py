"""cupyx.scipy.linalg."""

from __future__ import annotations

import numpy as np

import numjit.cupy as cp
from numjit.cupy import linalg
from numjit.cupy.creation import asarray, zeros
from numjit.cupy.manipulation import where

from ..code import from_host, on_copies


def _triangle(a, lower, unit_diagonal):
    a = cp.tril(a) if lower else cp.triu(a)
    if unit_diagonal:
        eye = cp.eye(a.shape[-1], dtype=bool)
        a = where(eye, a.dtype.type(1), a)
    return a


def solve_triangular(
    a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=False
):
    """Solves a x = b for a triangular matrix, or for stacks of matrices and of vectors b."""
    a, b = asarray(a), asarray(b)
    if a.ndim < 2 or a.shape[-2] != a.shape[-1]:
        raise ValueError("expected square matrix")
    if b.shape[: a.ndim - 1] != a.shape[:-1] or b.ndim > a.ndim:
        raise ValueError(f"shapes of a {a.shape} and b {b.shape} are incompatible")
    if check_finite and not (cp.isfinite(a).all() and cp.isfinite(b).all()):
        raise ValueError("array must not contain infs or NaNs")
    a = _triangle(a, lower, unit_diagonal)
    if trans in (1, "T", 2, "C"):
        a = a.swapaxes(-1, -2)
    if trans in (2, "C"):
        a = a.conj()
    if b.ndim < a.ndim:
        return linalg.solve(a, b[..., None])[..., 0]
    return linalg.solve(a, b)


def bandwidth(a):
    """The lower and the upper bandwidth of a matrix."""
    a = asarray(a)
    if a.ndim != 2:
        raise linalg.LinAlgError(f"a matrix has two dimensions, not {a.ndim}")
    return from_host("scipy.linalg", "bandwidth")(a.astype("f4") if a.dtype == "f2" else a)


def khatri_rao(a, b):
    """The product of two matrices by columns."""
    a, b = asarray(a), asarray(b)
    if a.ndim != 2 or b.ndim != 2:
        raise linalg.LinAlgError("the arrays have two dimensions")
    return from_host("scipy.linalg", "khatri_rao")(a, b)


def block_diag(*arrs):
    """Matrices along a diagonal."""
    parts = [asarray(each) for each in arrs] or [zeros((1, 0))]
    parts = [each.reshape(1, -1) if each.ndim < 2 else each for each in parts]
    shape = sum(each.shape[0] for each in parts), sum(each.shape[1] for each in parts)
    out = zeros(shape, np.result_type(*(each.dtype for each in parts)))
    row = column = 0
    for each in parts:
        out[row : row + each.shape[0], column : column + each.shape[1]] = each
        row, column = row + each.shape[0], column + each.shape[1]
    return out


def kron(a, b):
    """The Kronecker product."""
    return cp.kron(a, b)


def tri(n, m=None, k=0, dtype=None):
    return cp.tri(n, m, k, dtype or float)


def toeplitz(c, r=None):
    """The matrix whose diagonals are constant."""
    c = asarray(c).ravel()
    r = c.conj() if r is None else asarray(r).ravel()
    values = cp.concatenate([c[::-1], r[1:]])
    at = (c.size - 1) - cp.arange(c.size)[:, None] + cp.arange(r.size)[None]
    return values[at]


def expm(a):
    """The exponential of a matrix, by scaling, a Taylor series and squaring."""
    a = asarray(a)
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise ValueError("expm takes a square matrix")
    kept = np.result_type(a.dtype, np.float32 if a.dtype.kind in "fc" else np.float64)
    dtype = np.result_type(kept, np.float64)
    a = a.astype(dtype)
    norm = float(abs(a).sum(axis=1).max()) if a.size else 0.0
    squarings = max(0, int(np.ceil(np.log2(norm))) + 4) if norm else 0
    a = a / dtype.type(2.0**squarings)
    term = total = cp.eye(a.shape[0], dtype=dtype)
    for i in range(1, 16):
        term = term @ a / dtype.type(i)
        total = total + term
    for _ in range(squarings):
        total = total @ total
    return total.astype(kept, copy=False)


def get_lapack_funcs(names, arrays=(), dtype=None, ilp64=False):
    """SciPy's functions of LAPACK, over copies."""
    return _of_lapack("get_lapack_funcs", names, arrays, dtype)


def get_blas_funcs(names, arrays=(), dtype=None, ilp64=False):
    """SciPy's functions of BLAS, over copies."""
    return _of_lapack("get_blas_funcs", names, arrays, dtype)


def _of_lapack(which, names, arrays, dtype):
    import scipy.linalg

    hosts = [np.empty(1, each.dtype) for each in arrays if hasattr(each, "dtype")]
    found = getattr(scipy.linalg, which)(names, hosts, dtype)
    if isinstance(names, str):
        return on_copies(found)
    return [on_copies(each) for each in found]


def __getattr__(name):
    import scipy.linalg as host

    shared = getattr(linalg, name, None) if hasattr(host, name) else None
    if shared is None or name in ("eigh", "eigvalsh", "qr", "svd", "norm", "eig", "lstsq"):
        shared = from_host("scipy.linalg", name)
    globals()[name] = shared
    return shared
