"""cupy.cublas: BLAS's names over device arrays."""

from __future__ import annotations

import numpy as np

import numjit.cupy as cp

from .blas import get_compute_type, set_compute_type  # noqa: F401
from .ndarrays import ndarray

_gesv_limit = 2048


def get_batched_gesv_limit():
    """Up to which size CuPy solves stacks of equations by batches."""
    return _gesv_limit


def set_batched_gesv_limit(limit):
    """Notes a size; cuSOLVER is called for each matrix of a stack whatever it is."""
    global _gesv_limit
    _gesv_limit = limit


def batched_gesv(a, b):
    """Solves a stack of equations."""
    if b.ndim == a.ndim - 1:
        return cp.linalg.solve(a, b[..., None])[..., 0]
    return cp.linalg.solve(a, b)


def _given(found, out):
    """A result, in `out` where that is given: an array of the device or the host."""
    if out is None:
        return found
    out[...] = found if isinstance(out, ndarray) else found.get()
    return out


def _number(value, like):
    return cp.asarray(value, like.dtype)


def _turned(trans, a):
    """op(a) of BLAS: N, T, or H and C for the conjugate transpose."""
    if trans not in ("N", "T", "H", "C"):
        raise ValueError(f"unknown operation: {trans!r}")
    return a if trans == "N" else a.T if trans == "T" else a.T.conj()


def _real(name, *arrays):
    if any(each.dtype.kind == "c" for each in arrays):
        raise TypeError(f"{name} takes real arrays: there are two forms of it for complex ones")


def _size_of(x):
    return abs(x.real) + abs(x.imag) if x.dtype.kind == "c" else abs(x)


def iamax(x, out=None):
    """The place of the largest element, from 1 on."""
    return _given((_size_of(x).argmax() + 1).astype("i"), out)


def iamin(x, out=None):
    """The place of the smallest element, from 1 on."""
    return _given((_size_of(x).argmin() + 1).astype("i"), out)


def asum(x, out=None):
    return _given(_size_of(x).sum(), out)


def nrm2(x, out=None):
    return _given(cp.linalg.norm(x), out)


def axpy(a, x, y):
    """y += a * x."""
    y += _number(a, x) * x


def scal(a, x):
    """x *= a."""
    x *= _number(a, x)


def dot(x, y, out=None):
    _real("dot", x, y)
    return _given(x.dot(y), out)


def dotu(x, y, out=None):
    return _given(x.dot(y), out)


def dotc(x, y, out=None):
    return _given(x.conj().dot(y), out)


def gemv(transa, alpha, a, x, beta, y):
    """y = alpha * op(a) @ x + beta * y."""
    added(_number(alpha, y) * _turned(transa, a).dot(x), beta, y)


def ger(alpha, x, y, a):
    """a += alpha * outer(x, y)."""
    _real("ger", x, y, a)
    geru(alpha, x, y, a)


def geru(alpha, x, y, a):
    a += _number(alpha, a) * cp.outer(x, y)


def gerc(alpha, x, y, a):
    geru(alpha, x, y.conj(), a)


def sbmv(k, alpha, a, x, beta, y, lower=False):
    """y = alpha * A @ x + beta * y for a symmetric matrix whose k bands are the rows of a."""
    count = x.size
    product = cp.zeros_like(y)
    for band in range(k + 1):
        row = a[band, : count - band] if lower else a[k - band, band:]
        product[band:] += row * x[: count - band]
        if band:
            product[: count - band] += row * x[band:]
    return added(_number(alpha, y) * product, beta, y)


def gemm(transa, transb, a, b, out=None, alpha=1.0, beta=0.0):
    """alpha * op(a) @ op(b) + beta * out."""
    found = _turned(transa, a) @ _turned(transb, b)
    if np.ndim(alpha) or not _is(alpha, 1):
        found = _number(alpha, found) * found
    return added(found, beta, out)


def _is(value, number):
    """Whether a factor is known without a look at the device."""
    return not isinstance(value, ndarray) and value == number


def _sum(found, beta, out):
    """found + beta * out; nothing of `out` is read where beta is 0."""
    if _is(beta, 0):
        return found
    factor = _number(beta, out)
    more = factor * out
    return found + (cp.where(factor == 0, 0, more) if isinstance(beta, ndarray) else more)


def added(found, beta, out):
    """found + beta * out, in `out` where that is given."""
    return _given(found if out is None else _sum(found, beta, out), out)


def syrk(trans, a, out=None, alpha=1.0, beta=0.0, lower=False):
    """One triangle of alpha * op(a) @ op(a).T + beta * out; the other one stays as it is."""
    turned = _turned(trans, a)
    found = _number(alpha, a) * (turned @ turned.T)
    part = cp.tril if lower else cp.triu
    if out is None:
        return part(found)
    out[...] = cp.where(part(cp.ones(out.shape, bool)), _sum(found, beta, out), out)
    return out


def geam(transa, transb, alpha, a, beta, b, out=None):
    """alpha * op(a) + beta * op(b)."""
    turned = _turned(transa, a)
    found = cp.zeros_like(turned) if _is(alpha, 0) else _number(alpha, a) * turned
    return _given(_sum(found, beta, _turned(transb, b)), out)


def dgmm(side, a, x, out=None, incx=1):
    """diag(x) @ a, or a @ diag(x) with side R; elements of x are `incx` apart."""
    if side not in ("L", "R"):
        raise ValueError(f"side is L or R, not {side!r}")
    count = a.shape[side == "R"]
    line = x.ravel()
    places = np.arange(count) * incx
    if incx < 0:
        places -= places[-1]
    line = line[0] if not incx else line if incx == 1 else line[cp.asarray(places)]
    return _given(line[:, None] * a if side == "L" and incx else line * a, out)
