"""``numpy.linalg`` through LAPACK: the routines that NumPy calls, in the same way.

Every function takes a matrix, or does the same to each matrix of a stack (``of_each``). LAPACK
destroys its arguments, which are therefore copies in Fortran order; results are C-ordered as
NumPy's.
"""

import numpy as np
from numpy.linalg import LinAlgError

from ..core import routines
from ..core.axes import as_tuple
from ..core.intrinsics import (
    blas,
    cast,
    copy_matrix,
    is_constant,
    is_scalar,
    lapack,
    on_device,
    promote,
    refuse,
    routine_integer,
    set_item,
    store,
)
from ..core.registry import function
from . import in_threads
from .creation import asarray
from .products import dot, joined, matmul

# NumPy has no public names for the classes of its results.
_eye = np.eye(1)
EigResult = type(np.linalg.eig(_eye))
EighResult = type(np.linalg.eigh(_eye))
QRResult = type(np.linalg.qr(_eye))
SlogdetResult = type(np.linalg.slogdet(_eye))
SVDResult = type(np.linalg.svd(_eye))

#: Since NumPy 2.5 the eigenvalues of a real matrix are always complex; before, it depended on them.
eig_is_complex = np.lib.NumpyVersion(np.__version__) >= "2.5.0"


# -- arguments and results -----------------------------------------------------------------------


def kind_of(a):
    """The type that is computed in: double precision for integers."""
    if a.dtype.kind == "f" or a.dtype.kind == "c":
        return a.dtype
    else:
        return np.dtype(np.float64)


def common_kind(a, b):
    return promote(kind_of(a), kind_of(b))


def real_kind(kind):
    return promote(np.abs(kind.type(0)))


def epsilon(kind):
    return 2.0**-52 if real_kind(kind).itemsize == 8 else 2.0**-23


def matrix(a):
    """One matrix or a stack of them."""
    m = asarray(a)
    if m.ndim < 2:
        raise LinAlgError(
            f"{m.ndim}-dimensional array given. Array must be at least two-dimensional"
        )
    else:
        return m


def one_matrix(a):
    m = asarray(a)
    if m.ndim != 2:
        raise LinAlgError(f"{m.ndim}-dimensional array given. Array must be two-dimensional")
    else:
        return m


def square(a):
    m = matrix(a)
    if m.shape[m.ndim - 2] != m.shape[m.ndim - 1]:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    return m


# -- stacks of matrices --------------------------------------------------------------------------


def stack_of(x):
    """The shape in front of the matrices."""
    return x.shape[: x.ndim - 2]


def put(out, i, result):
    if is_scalar(result):
        set_item(out, i, result)
    else:
        store(out[i], result)


def put_all(outs, i, results):
    if len(outs) > 0:
        put(outs[0], i, results[0])
        put_all(outs[1:], i, results[1:])


def rows_of(outs, i):
    if len(outs) == 0:
        return ()
    else:
        return (outs[0][i],) + rows_of(outs[1:], i)


def each_matrix(f, outs, x, *args):
    """The results of ``f(matrix, *args)`` for a stack to arrays, one for each of them."""
    for i in range(x.shape[0]):
        if x.ndim == 3:
            put_all(outs, i, as_tuple(f(x[i], *args)))
        else:
            each_matrix(f, rows_of(outs, i), x[i], *args)


def of_each(f, x, shape, kind, *args):
    """An array of what ``f`` gives for each matrix of a stack."""
    out = np.empty(stack_of(x) + shape, kind)
    each_matrix(f, (out,), x, *args)
    return out


def copied(out, a):
    """``out`` with the elements of ``a``."""
    if out.dtype == a.dtype and not on_device():
        copy_matrix(out, a)
    else:
        store(out, a)
    return out


def fortran_copy(a, kind):
    return copied(np.empty(a.shape, kind, "F"), a)


def c_copy(a):
    return copied(np.empty(a.shape, a.dtype), a)


def check_finite(a):
    """``a`` is in Fortran order."""
    for x in a.T.ravel():
        if not np.isfinite(x):
            raise LinAlgError("Array must not contain infs or NaNs")


def identity(n, kind):
    out = np.zeros((n, n), kind)
    for i in range(n):
        out[i, i] = kind.type(1)
    return out


#: Routines work on blocks of columns; LAPACK's blocks are at most this wide. Working memory for
#: them is what makes routines as fast as if they had been asked for the best size.
BLOCK = 64


# -- systems of equations ------------------------------------------------------------------------


def gesv(a, b):
    """``b`` becomes the solution, ``a`` is destroyed; both in Fortran order. LAPACK's info."""
    if on_device():
        return in_threads.solve_in_place(a, b)
    n = a.shape[0]
    pivots = np.empty(n, routine_integer(routines.gesv))
    columns = b.shape[1] if b.ndim == 2 else 1
    step = max(n, 1)
    return lapack(routines.gesv, a.dtype, n, columns, a, step, pivots, b, step)


def solve_each(a, b, out, of_vectors):
    """Systems of stacks that are broadcast; right sides are vectors or matrices."""
    if a.ndim == 2 and b.ndim == (1 if of_vectors else 2):
        store(out, solve(a, b))
    else:
        for i in range(out.shape[0]):
            if a.ndim == 2 or a.ndim - 2 < b.ndim - (1 if of_vectors else 2):
                solve_each(a, b[i], out[i], of_vectors)
            elif b.ndim == (1 if of_vectors else 2) or b.ndim < a.ndim:
                solve_each(a[i], b, out[i], of_vectors)
            else:
                j = i if a.shape[0] > 1 else 0
                k = i if b.shape[0] > 1 else 0
                solve_each(a[j], b[k], out[i], of_vectors)


def solve_stacks(x, y):
    if y.ndim == 1:
        core, kind = y.shape, common_kind(x, y)
        if x.shape[x.ndim - 1] != y.shape[0]:
            raise ValueError("solve: the matrix and the right side do not match")
        out = np.empty(stack_of(x) + core, kind)
        solve_each(x, y, out, True)
        return out
    else:
        core, kind = y.shape[y.ndim - 2 :], common_kind(x, y)
        if x.shape[x.ndim - 1] != core[0]:
            raise ValueError("solve: the matrix and the right side do not match")
        out = np.empty(joined(stack_of(x), stack_of(y)) + core, kind)
        solve_each(x, y, out, False)
        return out


@function("numpy.linalg.solve")
def solve(a, b):
    x, y = square(a), asarray(b)
    if y.ndim == 0:
        raise ValueError("solve: the right side does not have enough dimensions")
    elif x.ndim > 2 or y.ndim > 2:
        return solve_stacks(x, y)
    else:
        if x.shape[0] != y.shape[0]:
            raise ValueError("solve: the matrix and the right side do not match")
        kind = common_kind(x, y)
        solution = fortran_copy(y, kind)
        if gesv(fortran_copy(x, kind), solution) != 0:
            raise LinAlgError("Singular matrix")
        if y.ndim == 1:
            return solution
        else:
            return c_copy(solution)


@function("numpy.linalg.inv")
def inv(a):
    x = square(a)
    kind = kind_of(x)
    if x.ndim > 2:
        return of_each(inv, x, x.shape[x.ndim - 2 :], kind)
    else:
        out = identity(x.shape[0], kind).T
        if gesv(fortran_copy(x, kind), out) != 0:
            raise LinAlgError("Singular matrix")
        return c_copy(out)


@function("numpy.linalg.slogdet")
def slogdet(a):
    x = square(a)
    kind = kind_of(x)
    if x.ndim > 2:
        signs, logarithms = np.empty(stack_of(x), kind), np.empty(stack_of(x), real_kind(kind))
        each_matrix(sign_and_logarithm, (signs, logarithms), x, kind)
        return SlogdetResult(signs, logarithms)
    else:
        return SlogdetResult(*sign_and_logarithm(x, kind))


def factors(a):
    """``a`` becomes its triangular factors; the numbers of rows that were exchanged, and
    LAPACK's info."""
    n = a.shape[0]
    if on_device():
        pivots = np.empty(n, np.int64)
        return pivots, in_threads.factorise(a, pivots)
    else:
        pivots = np.empty(n, routine_integer(routines.getrf))
        return pivots, lapack(routines.getrf, a.dtype, n, n, a, max(n, 1), pivots)


def sign_and_logarithm(x, kind):
    lu = fortran_copy(x, kind)
    n = x.shape[0]
    pivots, info = factors(lu)
    sign = kind.type(1)
    logarithm = real_kind(kind).type(0)
    if info != 0:
        return kind.type(0), real_kind(kind).type(-np.inf)
    for i in range(n):
        if pivots[i] != i + 1:
            sign = -sign
        x = lu[i, i]
        size = np.abs(x)
        sign = kind.type(sign * (x / size)) if kind.kind == "c" else (-sign if x < 0 else sign)
        logarithm += np.log(size)
    return sign, logarithm


@function("numpy.linalg.det")
def det(a):
    x = square(a)
    if x.ndim > 2:
        return of_each(det, x, (), kind_of(x))
    else:
        sign, logarithm = sign_and_logarithm(x, kind_of(x))
        return sign * np.exp(logarithm)


def clear_triangle(a, lower):
    """Zeros beside the diagonal, below it or above."""
    if on_device():
        return
    kind, n = a.dtype, a.shape[0]
    zero = kind.type(0)
    if n > 1 and lower:
        blas(routines.laset, kind, "L", n - 1, n - 1, zero, zero, a[1:, :], n)
    elif n > 1:
        blas(routines.laset, kind, "U", n - 1, n - 1, zero, zero, a[:, 1:], n)


@function("numpy.linalg.cholesky")
def cholesky(a: "positive definite", /, *, upper=False):
    x = square(a)
    if x.ndim > 2:
        return of_each(cholesky_of, x, x.shape[x.ndim - 2 :], kind_of(x), upper)
    else:
        return cholesky_of(x, upper)


def cholesky_of(x, upper):
    kind = kind_of(x)
    n = x.shape[0]
    out = fortran_copy(x, kind)
    if on_device():
        info = in_threads.root_of_matrix(out, upper)
    elif upper:
        info = lapack(routines.potrf, kind, "U", n, out, max(n, 1))
    else:
        info = lapack(routines.potrf, kind, "L", n, out, max(n, 1))
    if info != 0:
        raise LinAlgError("Matrix is not positive definite")
    clear_triangle(out, upper)
    return c_copy(out)


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
    a = matrix(x)
    if a.ndim > 2:
        few = min(a.shape[a.ndim - 2], a.shape[a.ndim - 1])
        return of_each(singular_values, a, (few,), real_kind(kind_of(a)))
    else:
        return singular_values(a)


@function("numpy.linalg.pinv")
def pinv(a, rcond=None, *, rtol: "skip" = None):
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
def matrix_rank(A, tol=None, *, rtol: "skip" = None):
    x = asarray(A)
    if tol is not None and rtol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    if x.ndim < 2:
        for value in x.flat:
            if value != 0:
                return 1
        return 0
    elif x.ndim > 2:
        return of_each(rank_of, x, (), np.int64, tol, rtol)
    else:
        return rank_of(x, tol, rtol)


def rank_of(x, tol, rtol):
    s = singular_values(x)
    largest = s.dtype.type(0)
    for value in s:
        largest = max(largest, value)
    if tol is not None:
        limit = tol
    elif rtol is not None:
        limit = largest * rtol
    else:
        limit = largest * max(x.shape[0], x.shape[1]) * epsilon(s.dtype)
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


def gelsd(a, b, s, rcond):
    """The least-squares solution in the place of ``b``; gives the rank."""
    kind, m, n = a.dtype, a.shape[0], a.shape[1]
    step, step_b = max(m, 1), max(b.shape[0], 1)
    limit = cast(rcond, s.dtype)
    integer = routine_integer(routines.gelsd)
    rank, iwork = np.zeros(1, integer), np.empty(1, integer)
    rwork = np.empty(1, s.dtype) if kind.kind == "c" else None
    work, size, info = np.empty(1, kind), -1, 0
    for _ in range(2):  # the first time it tells how much working memory it wants
        info = lapack(
            routines.gelsd, kind, m, n, b.shape[1], a, step, b, step_b, s, limit, rank, work, size,
            rwork, iwork,
        )  # fmt: skip
        if size < 0:
            size = max(int(work[0].real), 1)
            work, iwork = np.empty(size, kind), np.empty(max(iwork[0], 1), integer)
            if kind.kind == "c":
                rwork = np.empty(max(int(rwork[0]), 1), s.dtype)
    if info != 0:
        raise LinAlgError("SVD did not converge in Linear Least Squares")
    return int(rank[0])


@function("numpy.linalg.lstsq")
def lstsq(a, b, rcond=None):
    x, y = one_matrix(a), asarray(b)
    if y.ndim != 1 and y.ndim != 2:
        raise LinAlgError(f"{y.ndim}-dimensional array given. Array must be two-dimensional")
    else:
        m, n = x.shape
        if m != y.shape[0]:
            raise LinAlgError("Incompatible dimensions")
        kind = common_kind(x, y)
        right = y[:, None] if y.ndim == 1 else y
        columns = right.shape[1]
        solution = np.zeros((max(m, n), columns), kind, "F")
        copied(solution[:m], right)
        s = np.empty(min(m, n), real_kind(kind))
        limit = epsilon(kind) * max(m, n) if rcond is None else rcond
        rank = gelsd(fortran_copy(x, kind), solution, s, limit)
        known = columns if rank == n and m > n else 0
        residuals = np.zeros(known, real_kind(kind))
        for j in range(known):
            for i in range(n, m):
                part = np.abs(solution[i, j])
                residuals[j] += part * part
        if y.ndim == 1:
            return solution[:n, 0].copy(), residuals, rank, s
        else:
            return c_copy(solution[:n]), residuals, rank, s


# -- powers and products -------------------------------------------------------------------------


@function("numpy.linalg.matrix_power")
def matrix_power(a, n):
    if not isinstance(n, int):
        raise TypeError("exponent must be an integer")
    x = square(a)
    if n < 0:
        if x.dtype.kind == "f" or x.dtype.kind == "c":
            x = inv(x)
        elif is_constant(n):
            return matrix_power(inv(x), -n)
        else:
            raise ValueError("negative powers of integer matrices: convert the matrix to float")
    n = abs(n)
    result, power = np.empty(x.shape, x.dtype), x.copy()
    result[...] = identity(x.shape[x.ndim - 1], x.dtype)
    while n > 0:
        if n % 2 == 1:
            result = matmul(result, power)
        n //= 2
        if n > 0:
            power = matmul(power, power)
    return result


@function("numpy.linalg.multi_dot")
def multi_dot(arrays):
    if len(arrays) < 2:
        return refuse("np.linalg.multi_dot needs at least 2 arrays")
    elif len(arrays) == 2:
        return dot(arrays[0], arrays[1])
    elif len(arrays) == 3 and arrays[0].ndim == 2 and arrays[2].ndim == 2:
        a, b, c = arrays
        left = a.shape[0] * a.shape[1] * b.shape[1] + a.shape[0] * b.shape[1] * c.shape[1]
        right = b.shape[0] * b.shape[1] * c.shape[1] + a.shape[0] * a.shape[1] * c.shape[1]
        return dot(dot(a, b), c) if left < right else dot(a, dot(b, c))
    elif arrays[len(arrays) - 1].ndim == 1:  # vectors are cheap: from the end that has one
        return multi_dot(arrays[: len(arrays) - 2] + (dot(arrays[-2], arrays[-1]),))
    else:
        return multi_dot((dot(arrays[0], arrays[1]),) + arrays[2:])
