"""Eigenvalues, singular values and QR through LAPACK, and what is made of them: pinv, rank."""

import numpy as np
from numpy.linalg import LinAlgError

from ..core import routines
from ..core.intrinsics import blas, copy_matrix, lapack, on_device, promote, routine_integer
from ..core.registry import function
from . import in_threads
from .creation import asarray
from .lapack_matrices import (
    c_copy,
    check_finite,
    each_matrix,
    epsilon,
    fortran_copy,
    identity,
    kind_of,
    matrix,
    of_each,
    real_kind,
    square,
    stack_of,
)
from .linalg import BLOCK, _eye
from .products import matmul

EigResult = type(np.linalg.eig(_eye))
EighResult = type(np.linalg.eigh(_eye))
QRResult = type(np.linalg.qr(_eye))
SVDResult = type(np.linalg.svd(_eye))

#: Since NumPy 2.5 the eigenvalues of a real matrix are always complex; before, it depended on them.
eig_is_complex = np.lib.NumpyVersion(np.__version__) >= "2.5.0"


# -- eigenvalues ---------------------------------------------------------------------------------


def syevd(v, w, job, triangle):
    """Eigenvalues to ``w``, and with job "V" eigenvectors in the place of the matrix ``v``."""
    if on_device():
        if not in_threads.eigenvalues(v, w, triangle == "L"):
            raise LinAlgError("Eigenvalues did not converge")
        return
    kind, n = v.dtype, v.shape[0]
    size, size_i = 1 + (6 + BLOCK) * n + 2 * n * n, 3 + 5 * n
    work, iwork = np.empty(size, kind), np.empty(size_i, routine_integer(routines.syevd))
    if kind.kind == "c":
        size_r = 1 + 5 * n + 2 * n * n
        rwork = np.empty(size_r, w.dtype)
    else:
        rwork = size_r = None  # an argument that only the routine for complex numbers has
    info = lapack(
        routines.syevd, kind, job, triangle, n, v, max(n, 1), w, work, size, rwork, size_r, iwork,
        size_i,
    )  # fmt: skip
    if info != 0:
        raise LinAlgError("Eigenvalues did not converge")


def symmetric_eigenvalues(v, job, UPLO):
    w = np.empty(v.shape[0], real_kind(v.dtype))
    if UPLO == "U" or UPLO == "u":
        syevd(v, w, job, "U")
    elif UPLO == "L" or UPLO == "l":
        syevd(v, w, job, "L")
    else:
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return w


@function("numpy.linalg.eigh")
def eigh(a, UPLO="L"):
    """LAPACK's syevd and heevd (divide and conquer), which read the triangle ``UPLO`` only. No
    convergence raises LinAlgError.
    """
    x = square(a)
    if x.ndim > 2:
        values, vectors = (
            np.empty(x.shape[:-1], real_kind(kind_of(x))),
            np.empty(x.shape, kind_of(x)),
        )
        each_matrix(eigh, (values, vectors), x, UPLO)
        return EighResult(values, vectors)
    else:
        return eigh_of(x, UPLO)


def eigh_of(x, UPLO):
    v = fortran_copy(x, kind_of(x))
    w = symmetric_eigenvalues(v, "V", UPLO)
    return EighResult(w, c_copy(v))


@function("numpy.linalg.eigvalsh")
def eigvalsh(a, UPLO="L"):
    """LAPACK's syevd and heevd, without vectors; they read the triangle ``UPLO`` only."""
    x = square(a)
    if x.ndim > 2:
        return of_each(eigvalsh, x, x.shape[x.ndim - 1 :], real_kind(kind_of(x)), UPLO)
    else:
        return symmetric_eigenvalues(fortran_copy(x, kind_of(x)), "N", UPLO)


def geev(a, real, imag, v, job):
    """Eigenvalues and, with job "V", eigenvectors to ``v``; ``a`` is destroyed.

    Complex matrices have their eigenvalues in ``real``; ``imag`` is None. For real ones pairs of
    complex eigenvectors are in neighbouring columns.
    """
    kind, n = a.dtype, a.shape[0]
    step, step_v, size = max(n, 1), max(v.shape[0], 1), (4 + BLOCK) * n + 1
    work = np.empty(size, kind)
    rwork = np.empty(2 * n, real_kind(kind)) if kind.kind == "c" else None
    info = lapack(
        routines.geev, kind, "N", job, n, a, step, real, imag, v, step_v, v, step_v, work, size,
        rwork,
    )  # fmt: skip
    if info != 0:
        raise LinAlgError("Eigenvalues did not converge")


def complex_kind(kind):
    return promote(kind, np.complex64)


def joined_parts(real, imag):
    w = np.empty(real.shape[0], complex_kind(real.dtype))
    for i in range(w.shape[0]):
        w[i] = complex(real[i], imag[i])
    return w


def joined_vectors(v, imag):
    """Complex eigenvectors from those of geev of a real matrix."""
    n = v.shape[0]
    out = np.empty((n, n), complex_kind(v.dtype))
    for i in range(n):
        j = 0
        while j < n:
            if imag[j] == 0.0:
                out[i, j] = v[i, j]
                j += 1
            else:
                out[i, j] = complex(v[i, j], v[i, j + 1])
                out[i, j + 1] = complex(v[i, j], -v[i, j + 1])
                j += 2
    return out


def check_real(imag):
    for x in imag:
        if x != 0.0:
            raise ValueError("eigenvalues of a real matrix are complex: pass a complex matrix")


@function("numpy.linalg.eig")
def eig(a):
    """LAPACK's geev. The dtype is NumPy 2.5's, complex, where that is installed. Under an older
    NumPy, whose dtype depends on the values, real matrices have real eigenvalues, and complex
    ones raise ValueError: pass a complex matrix.
    """
    x = square(a)
    if x.ndim > 2:
        kind = kind_of_eigenvalues(x)
        values, vectors = np.empty(x.shape[:-1], kind), np.empty(x.shape, kind)
        each_matrix(eig, (values, vectors), x)
        return EigResult(values, vectors)
    else:
        return eig_of(x)


def kind_of_eigenvalues(x):
    return complex_kind(kind_of(x)) if eig_is_complex else kind_of(x)


def eig_of(x):
    kind = kind_of(x)
    n = x.shape[0]
    copy = fortran_copy(x, kind)
    check_finite(copy)
    v = np.empty((n, n), kind, "F")
    if kind.kind == "c":
        w = np.empty(n, kind)
        geev(copy, w, None, v, "V")
        return EigResult(w, c_copy(v))
    else:
        real, imag = np.empty(n, kind), np.empty(n, kind)
        geev(copy, real, imag, v, "V")
        if eig_is_complex:
            return EigResult(joined_parts(real, imag), joined_vectors(v, imag))
        else:
            check_real(imag)
            return EigResult(real, c_copy(v))


@function("numpy.linalg.eigvals")
def eigvals(a):
    """LAPACK's geev without vectors; the dtype is that of eig."""
    x = square(a)
    if x.ndim > 2:
        return of_each(eigvals, x, x.shape[x.ndim - 1 :], kind_of_eigenvalues(x))
    else:
        return eigvals_of(x)


def eigvals_of(x):
    kind = kind_of(x)
    n = x.shape[0]
    copy = fortran_copy(x, kind)
    check_finite(copy)
    v = np.empty((1, 1), kind, "F")
    if kind.kind == "c":
        w = np.empty(n, kind)
        geev(copy, w, None, v, "N")
        return w
    else:
        real, imag = np.empty(n, kind), np.empty(n, kind)
        geev(copy, real, imag, v, "N")
        if eig_is_complex:
            return joined_parts(real, imag)
        else:
            check_real(imag)
            return real


# -- singular values -----------------------------------------------------------------------------


def gesdd(a, u, s, vh, job):
    """Singular values to ``s``; job "A" or "S" says how much of ``u`` and ``vh`` there is."""
    kind, m, n = a.dtype, a.shape[0], a.shape[1]
    few, many = min(m, n), max(m, n)
    step, step_u, step_vh = max(m, 1), max(u.shape[0], 1), max(vh.shape[0], 1)
    size = 4 * few * few + 8 * few + BLOCK * (2 * few + many) + 1
    work = np.empty(size, kind)
    if kind.kind == "c":
        rwork = np.empty(max(few * max(5 * few + 7, 2 * (many + few) + 1), 7 * few), s.dtype)
    else:
        rwork = None
    iwork = np.empty(8 * few, routine_integer(routines.gesdd))
    info = lapack(
        routines.gesdd, kind, job, m, n, a, step, s, u, step_u, vh, step_vh, work, size, rwork,
        iwork,
    )  # fmt: skip
    if info != 0:
        raise LinAlgError("SVD did not converge")


def singular_values(x):
    kind = kind_of(x)
    s = np.empty(min(x.shape[0], x.shape[1]), real_kind(kind))
    none = np.empty((1, 1), kind, "F")
    gesdd(fortran_copy(x, kind), none, s, none, "N")
    return s


def decompose(x, full):
    """u, s, vh; u and vh in Fortran order."""
    kind = kind_of(x)
    m, n = x.shape
    few = min(m, n)
    s = np.empty(few, real_kind(kind))
    if full:
        u, vh = identity(m, kind).T, identity(n, kind).T  # what they stay if x is empty
        gesdd(fortran_copy(x, kind), u, s, vh, "A")
        return u, s, vh
    else:
        u, vh = np.empty((m, few), kind, "F"), np.empty((few, n), kind, "F")
        gesdd(fortran_copy(x, kind), u, s, vh, "S")
        return u, s, vh


@function("numpy.linalg.svd")
def svd(a, full_matrices=True, compute_uv=True):
    """LAPACK's gesdd (divide and conquer). No convergence raises LinAlgError."""
    x = matrix(a)
    if x.ndim > 2 and not compute_uv:
        return svdvals(x)
    elif x.ndim > 2:
        m, n = x.shape[x.ndim - 2], x.shape[x.ndim - 1]
        kind, few = kind_of(x), min(m, n)
        u = np.empty(stack_of(x) + (m, m if full_matrices else few), kind)
        s = np.empty(stack_of(x) + (few,), real_kind(kind))
        vh = np.empty(stack_of(x) + (n if full_matrices else few, n), kind)
        each_matrix(decompose, (u, s, vh), x, full_matrices)
        return SVDResult(u, s, vh)
    elif compute_uv:
        u, s, vh = decompose(x, full_matrices)
        return SVDResult(c_copy(u), s, c_copy(vh))
    else:
        return singular_values(x)


@function("numpy.linalg.svdvals")
def svdvals(x: "matrix"):
    """LAPACK's gesdd without vectors."""
    a = matrix(x)
    if a.ndim > 2:
        few = min(a.shape[a.ndim - 2], a.shape[a.ndim - 1])
        return of_each(singular_values, a, (few,), real_kind(kind_of(a)))
    else:
        return singular_values(a)


@function("numpy.linalg.pinv")
def pinv(a, rcond=None, *, rtol: "skip" = None):
    """From the singular value decomposition: values up to ``rcond`` (1e-15 where none is given)
    times the largest one count as 0.
    """
    x = matrix(a)
    if rcond is not None and rtol is not None:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    limit = 1e-15 if rcond is None else rcond
    if rtol is not None:
        limit = rtol
    if x.ndim > 2:
        return of_each(pinv_of, x, (x.shape[x.ndim - 1], x.shape[x.ndim - 2]), kind_of(x), limit)
    else:
        return pinv_of(x, limit)


def pinv_of(x, limit):
    u, s, vh = decompose(x, False)
    largest = s.dtype.type(0)
    for value in s:
        largest = max(largest, value)
    for i in range(s.shape[0]):
        scale = 1 / s[i] if s[i] > limit * largest else s.dtype.type(0)
        for j in range(u.shape[0]):
            u[j, i] *= scale
    if u.dtype.kind == "c":
        return matmul(np.conj(vh.T), np.conj(u.T))
    else:
        return matmul(vh.T, u.T)


@function("numpy.linalg.matrix_rank")
def matrix_rank(A, tol=None, hermitian=False, *, rtol: "skip" = None):
    """Singular values above ``tol``; without one, above the largest times the larger extent times
    epsilon.
    """
    x = asarray(A)
    if tol is not None and rtol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    if x.ndim < 2:
        for value in x.flat:
            if value != 0:
                return 1
        return 0
    elif x.ndim > 2:
        return of_each(rank_of, x, (), np.int64, tol, rtol, hermitian)
    else:
        return rank_of(x, tol, rtol, hermitian)


def rank_of(x, tol, rtol, hermitian):
    if hermitian:
        return count_above(np.abs(np.linalg.eigvalsh(x)), x.shape, tol, rtol)
    else:
        return count_above(singular_values(x), x.shape, tol, rtol)


def count_above(s, shape, tol, rtol):
    """How many singular values of a matrix of such a shape are not zero but for rounding."""
    largest = s.dtype.type(0)
    for value in s:
        largest = max(largest, value)
    if tol is not None:
        limit = tol
    elif rtol is not None:
        limit = largest * rtol
    else:
        limit = largest * max(shape[0], shape[1]) * epsilon(s.dtype)
    rank = 0
    for value in s:
        if value > limit:
            rank += 1
    return rank


# -- other decompositions ------------------------------------------------------------------------


def geqrf(a, tau):
    """R in the upper triangle of ``a``, and the reflections whose product is Q below."""
    m, n = a.shape
    size = BLOCK * n + 1
    lapack(routines.geqrf, a.dtype, m, n, a, max(m, 1), tau, np.empty(size, a.dtype), size)


def orgqr(q, tau):
    """The product of the reflections in ``q``, in their place."""
    m, n = q.shape
    size, work = BLOCK * n + 1, np.empty(BLOCK * n + 1, q.dtype)
    lapack(routines.orgqr, q.dtype, m, n, tau.shape[0], q, max(m, 1), tau, work, size)


def upper_triangle(a, rows):
    """The first rows of the upper triangle of a matrix in Fortran order."""
    out = np.zeros((rows, a.shape[1]), a.dtype, "F")
    step_a, step = max(a.shape[0], 1), max(rows, 1)
    blas(routines.lacpy, a.dtype, "U", rows, a.shape[1], a, step_a, out, step)
    return c_copy(out)


@function("numpy.linalg.qr")
def qr(a, mode="reduced"):
    """Householder reflections: LAPACK's geqrf and orgqr."""
    x = matrix(a)
    if x.ndim > 2:
        return qr_of_stack(x, mode)
    else:
        return qr_of(x, mode)


def qr_of_stack(x, mode):
    m, n = x.shape[x.ndim - 2], x.shape[x.ndim - 1]
    few, kind = min(m, n), kind_of(x)
    if mode == "r":
        return of_each(qr_of, x, (few, n), kind, mode)
    elif mode == "raw":
        h, tau = np.empty(stack_of(x) + (n, m), kind), np.empty(stack_of(x) + (few,), kind)
        each_matrix(qr_of, (h, tau), x, mode)
        return h, tau
    else:
        columns = m if mode == "complete" else few
        q = np.empty(stack_of(x) + (m, columns), kind)
        r = np.empty(stack_of(x) + (columns, n), kind)
        each_matrix(qr_of, (q, r), x, mode)
        return QRResult(q, r)


def qr_of(x, mode):
    m, n = x.shape
    few = min(m, n)
    copy = fortran_copy(x, kind_of(x))
    tau = np.empty(few, copy.dtype)
    geqrf(copy, tau)
    if mode == "r":
        return upper_triangle(copy, few)
    elif mode == "raw":
        return c_copy(copy.T), tau
    elif mode == "reduced" or mode == "complete":
        columns = few if mode == "reduced" else m
        q = np.empty((m, columns), copy.dtype, "F")
        known = min(n, columns)
        copy_matrix(q[:, :known], copy[:, :known])
        orgqr(q, tau)
        return QRResult(c_copy(q), upper_triangle(copy, columns))
    else:
        raise ValueError("Unrecognized mode of np.linalg.qr")
