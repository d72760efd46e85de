"""Factorisations by cuSOLVER: stacks of matrices, one after the other.

Its matrices are columns first, so it is given transposed ones. linalg_functions.py calls these by
the names of NumPy's gufuncs; what is not here is LAPACK's.
"""

from __future__ import annotations

import contextlib
import ctypes
import threading

import numpy as np
from numpy.linalg import LinAlgError

import numjit.cupy
from numjit.cuda.cudadrv import devices

from . import current
from .creation import array, empty, zeros
from .libraries import LibraryNotFound, check, library, newest
from .manipulation import broadcast_to
from .settings import raises_in_linalg

_local = threading.local()
_LETTERS = {"f": "S", "d": "D", "F": "C", "D": "Z"}
_LOWER, _UPPER = 0, 1


def _handle():
    context = devices.get_context()
    found = _local.__dict__.setdefault("handles", {})
    if context not in found:
        made = ctypes.c_void_p()
        check("cuSOLVER", library("cusolver").cusolverDnCreate(ctypes.byref(made)))
        found[context] = made
    stream = ctypes.c_void_p(current.handle())
    check("cuSOLVER", library("cusolver").cusolverDnSetStream(found[context], stream))
    return found[context]


def _getVersion():
    """The version as three numbers; without the library the newest that is looked for."""
    parts = (ctypes.c_int * 3)(newest("cusolver"), 0, 0)
    with contextlib.suppress(LibraryNotFound):
        for part in range(3):
            place = ctypes.byref(parts, part * ctypes.sizeof(ctypes.c_int))
            check("cuSOLVER", library("cusolver").cusolverGetProperty(part, place))
    return tuple(parts)


def _call(name, dtype, *arguments):
    function = getattr(library("cusolver"), f"cusolverDn{_LETTERS[dtype.char]}{name}")
    given = [each if not hasattr(each, "_for_writing") else
             ctypes.c_void_p(each._for_writing()._pointer) for each in arguments]  # fmt: skip
    check("cuSOLVER", function(_handle(), *given))


def _work(name, dtype, *arguments):
    size = ctypes.c_int()
    _call(f"{name}_bufferSize", dtype, *arguments, ctypes.byref(size))
    return empty((max(size.value, 1),), dtype), size.value


def _dtype(signature):
    """What a gufunc computes in, of "dd->d"."""
    return np.dtype(signature[0])


def _raise_for(info, text):
    if info.size and raises_in_linalg() and int(info.max()):
        raise LinAlgError(text)


def _singular(info, found):
    """What NumPy's functions do where a matrix is singular: they call what NumPy's Python has set
    for an invalid value, which raises LinAlgError, or give NaN."""
    if raises_in_linalg():
        if not info.size or not int(info.max()):
            return
        if np.geterr()["invalid"] == "call":
            np.geterrcall()("invalid value", 8)
    found[info[..., 0] > 0] = np.nan


def _factorised(a):
    """LU factors of each matrix, transposed, the rows that were exchanged, and which failed."""
    dtype, n = a.dtype, a.shape[-1]
    pivots = empty((*a.shape[:-1],), np.int32)
    info = empty((*a.shape[:-2], 1), np.int32)
    for index in np.ndindex(*a.shape[:-2]):
        work, _ = _work("getrf", dtype, n, n, a[index], n)
        _call("getrf", dtype, n, n, a[index], n, work, pivots[index], info[index])
    return pivots, info


def _check_rows(name, a, rows, results):
    """Raises NumPy's error for a right side that is not as long as the matrix."""
    if rows != a.shape[-1]:
        raise ValueError(
            f"{name}: Input operand 1 has a mismatch in its core dimension 0, with gufunc "
            f"signature (m,m),{results}->{results} (size {rows} is different from {a.shape[-1]})"
        )


def solve(a, b, signature="dd->d"):
    """Solves a x = b."""
    _check_rows("solve", a, b.shape[-2], "(m,n)")
    dtype = _dtype(signature)
    outer = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    n, columns = a.shape[-1], b.shape[-1]
    factors = array(broadcast_to(a, outer + a.shape[-2:]).astype(dtype), order="C")
    right = broadcast_to(b, outer + b.shape[-2:]).astype(dtype)
    right = array(right.swapaxes(-1, -2), order="C")
    if not factors.size:
        return right.swapaxes(-1, -2)
    pivots, failed = _factorised(factors)
    info = empty((1,), np.int32)
    for index in np.ndindex(*outer) if right.size else ():
        _call("getrs", dtype, 1, n, columns, factors[index], n, pivots[index], right[index], n,
              info)  # fmt: skip
    _singular(failed, right)
    return right.swapaxes(-1, -2)


def solve1(a, b, signature="dd->d"):
    """Solves a x = b for a vector."""
    _check_rows("solve1", a, b.shape[-1], "(m)")
    return solve(a, b[..., None], signature)[..., 0]


def inv(a, signature="d->d"):
    """The inverse."""
    dtype = _dtype(signature)
    one = zeros(a.shape, dtype)
    numbers = list(range(a.shape[-1]))
    one[..., numbers, numbers] = 1
    return solve(a, one, f"{dtype.char}{dtype.char}->{dtype.char}")


def _cholesky(a, signature, lower):
    dtype = _dtype(signature)
    n = a.shape[-1]
    # The transposed matrix, of a Hermitian one the conjugate: its lower part is our upper one.
    factors = array(a.astype(dtype), order="C")
    info = empty((*a.shape[:-2], 1), np.int32)
    info.fill(0)
    for index in np.ndindex(*a.shape[:-2]):
        if not n:
            break
        uplo = _UPPER if lower else _LOWER
        work, size = _work("potrf", dtype, uplo, n, factors[index], n)
        _call("potrf", dtype, uplo, n, factors[index], n, work, size, info[index])
    _raise_for(info, "Matrix is not positive definite")
    return numjit.cupy.tril(factors) if lower else numjit.cupy.triu(factors)


def cholesky_lo(a, signature="d->d"):
    return _cholesky(a, signature, True)


def cholesky_up(a, signature="d->d"):
    return _cholesky(a, signature, False)


def _eigh(a, signature, lower, vectors):
    dtype = _dtype(signature)
    n = a.shape[-1]
    real = np.dtype(dtype.char.lower())
    matrices = array(a.astype(dtype), order="C")
    values = empty(a.shape[:-1], real)
    info = empty((*a.shape[:-2], 1), np.int32)
    info.fill(0)
    name = "heevd" if dtype.kind == "c" else "syevd"
    uplo = _UPPER if lower else _LOWER
    for index in np.ndindex(*a.shape[:-2]):
        if not n:
            break
        given = int(vectors), uplo, n, matrices[index], n, values[index]
        work, size = _work(name, dtype, *given)
        _call(name, dtype, *given, work, size, info[index])
    _raise_for(info, "Eigenvalues did not converge")
    # Vectors are columns of a matrix that is columns first, of the conjugate matrix.
    found = matrices.swapaxes(-1, -2)
    return values, found.conj() if dtype.kind == "c" else found


def eigh_lo(a, signature="d->dd"):
    return _eigh(a, signature, True, True)


def eigh_up(a, signature="d->dd"):
    return _eigh(a, signature, False, True)


def eigvalsh_lo(a, signature="d->d"):
    return _eigh(a, signature, True, False)[0]


def eigvalsh_up(a, signature="d->d"):
    return _eigh(a, signature, False, False)[0]


# -- determinants --------------------------------------------------------------------------------


def _diagonal(a, signature):
    """(the diagonal of U in LU factors, whether rows were exchanged an odd number of times)"""
    dtype, n = _dtype(signature), a.shape[-1]
    factors = array(a.astype(dtype), order="C")
    pivots, _ = _factorised(factors) if factors.size else (zeros(a.shape[:-1], np.int32), None)
    moved = (pivots != numjit.cupy.arange(1, n + 1, dtype=np.int32)).sum(axis=-1)
    return numjit.cupy.diagonal(factors, axis1=-2, axis2=-1), moved % 2 == 1


def det(a, signature="d->d"):
    """The determinant."""
    diagonal, odd = _diagonal(a, signature)
    found = diagonal.prod(axis=-1)
    return numjit.cupy.where(odd, -found, found)


def slogdet(a, signature="d->dd"):
    """The sign of the determinant, or its direction, and the logarithm of its modulus."""
    diagonal, odd = _diagonal(a, signature)
    size = abs(diagonal)
    sign = numjit.cupy.where(size == 0, diagonal, diagonal / size).prod(axis=-1)
    logarithm = numjit.cupy.log(size).sum(axis=-1)
    return numjit.cupy.where(odd, -sign, sign), logarithm


# -- singular values -----------------------------------------------------------------------------


def _svd(a, signature, job):
    """Singular values, and vectors as `job` says: "N" none, "S" those of values, "A" all."""
    dtype, (m, n) = _dtype(signature), a.shape[-2:]
    outer, k = a.shape[:-2], min(m, n)
    # cuSOLVER's matrices have at least as many rows as columns: a wide one is given transposed.
    rows, columns = max(m, n), k
    tall = m >= n
    given = array((a.swapaxes(-1, -2) if tall else a).astype(dtype), order="C")
    values = empty((*outer, k), np.dtype(dtype.char.lower()))
    sizes = {"A": (rows, rows, k), "S": (k, rows, k), "N": (1, 1, 1)}[job]
    left = empty((*outer, sizes[0], sizes[1]), dtype)
    right = empty((*outer, sizes[2], sizes[2]), dtype)
    rest, info = empty((max(columns, 1),), values.dtype), empty((*outer, 1), np.int32)
    info.fill(0)
    size = ctypes.c_int()
    _call("gesvd_bufferSize", dtype, rows, columns, ctypes.byref(size))
    work = empty((max(size.value, 1),), dtype)
    jobs = (ctypes.c_char(job.encode()),) * 2
    for index in np.ndindex(*outer):
        _call(
            "gesvd", dtype, *jobs, rows, columns, given[index], rows, values[index], left[index],
            rows, right[index], columns, work, size.value, rest, info[index],
        )  # fmt: skip
    _raise_for(info, "SVD did not converge")
    if not tall:  # the factors of the transposed matrix, which are in C's order those of the matrix
        return right, values, left
    return left.swapaxes(-1, -2), values, right.swapaxes(-1, -2)


def svd(a, signature="d->d"):
    return _svd(a, signature, "N")[1]


def svd_s(a, signature="d->ddd"):
    return _svd(a, signature, "S")


def svd_f(a, signature="d->ddd"):
    return _svd(a, signature, "A")


# -- orthogonal factors --------------------------------------------------------------------------


def qr_r_raw(a, signature="d->d"):
    """Reflections that make a matrix triangular, left in the matrix, and their factors."""
    dtype, (m, n) = _dtype(signature), a.shape[-2:]
    columns = array(a.swapaxes(-1, -2), order="C")
    factors = empty((*a.shape[:-2], min(m, n)), dtype)
    info = empty((1,), np.int32)
    for index in np.ndindex(*a.shape[:-2]) if factors.size else ():
        work, size = _work("geqrf", dtype, m, n, columns[index], m)
        _call("geqrf", dtype, m, n, columns[index], m, factors[index], work, size, info)
    a[...] = columns.swapaxes(-1, -2)
    return factors


def _orthogonal(a, factors, signature, width):
    dtype, (m, n) = _dtype(signature), a.shape[-2:]
    k = min(m, n)
    columns = zeros((*a.shape[:-2], width, m), dtype)
    columns[..., :k, :] = a.swapaxes(-1, -2)[..., :k, :]
    name, info = "ungqr" if dtype.kind == "c" else "orgqr", empty((1,), np.int32)
    for index in np.ndindex(*a.shape[:-2]) if columns.size else ():
        given = m, width, k, columns[index], m, factors[index]
        work, size = _work(name, dtype, *given)
        _call(name, dtype, *given, work, size, info)
    return columns.swapaxes(-1, -2)


def qr_reduced(a, factors, signature="dd->d"):
    """The orthogonal factor with as many columns as there are reflections."""
    return _orthogonal(a, factors, signature, min(a.shape[-2:]))


def qr_complete(a, factors, signature="dd->d"):
    """The whole orthogonal factor."""
    return _orthogonal(a, factors, signature, a.shape[-2])
