"""``numpy.linalg`` through LAPACK: the routines that NumPy calls, in the same way.

Every function takes a matrix, or does the same to each matrix of a stack (``of_each``). LAPACK
destroys its arguments, which are therefore copies in Fortran order; results are C-ordered as
NumPy's.
"""

import numpy as np
from numpy.linalg import LinAlgError

from ..core import routines
from ..core.intrinsics import (
    blas,
    cast,
    is_constant,
    lapack,
    on_device,
    refuse,
    routine_integer,
    store,
)
from ..core.registry import function
from . import in_threads
from .creation import asarray
from .lapack_matrices import (
    c_copy,
    common_kind,
    copied,
    each_matrix,
    epsilon,
    fortran_copy,
    identity,
    kind_of,
    of_each,
    one_matrix,
    real_kind,
    square,
    stack_of,
)
from .products import dot, joined, matmul

# NumPy has no public names for the classes of its results.
_eye = np.eye(1)
SlogdetResult = type(np.linalg.slogdet(_eye))


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
    """LAPACK's gesv: LU with partial pivoting. A singular matrix raises LinAlgError."""
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
    """LAPACK's gesv with the identity on the right. A singular matrix raises LinAlgError."""
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
    """From LAPACK's getrf (LU): the sum of the logarithms of the pivots. A singular matrix has
    sign 0 and logarithm -inf; nothing is raised.
    """
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
    """``sign * exp(logarithm)`` of slogdet, as NumPy: LU (LAPACK's getrf). Integers are computed
    in float64, and an exact determinant may round to a neighbour.
    """
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
    """LAPACK's potrf, which reads one triangle only: a matrix that is not symmetric is not
    noticed. One that is not positive definite raises LinAlgError.
    """
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


def gelsd(a, b, s, rcond):
    """The least-squares solution in the place of ``b``; returns the rank."""
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
    """LAPACK's gelsd: by the singular value decomposition. ``rcond=None`` is epsilon times the
    larger extent; residuals are empty unless the rank is full and there are more equations than
    unknowns.
    """
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
    """By squaring. Negative powers of integer matrices, which NumPy computes in float64, need a
    constant exponent.
    """
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
    """The cheaper order of two for three matrices; longer products, for which NumPy finds the
    best order, go from the left, and from the right where the last one is a vector.
    """
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
