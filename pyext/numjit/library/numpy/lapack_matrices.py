"""Matrices, and stacks of them, as LAPACK takes them: kinds, copies, checks."""

import numpy as np
from numpy.linalg import LinAlgError

from ..core.axes import as_tuple
from ..core.intrinsics import copy_matrix, is_scalar, on_device, promote, set_item, store
from .creation import asarray

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
    """An array of what ``f`` returns for each matrix of a stack."""
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
