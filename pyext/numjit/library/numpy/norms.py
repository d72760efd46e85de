"""``np.linalg.norm`` and ``np.linalg.cond``."""

import numpy as np
from numpy.linalg import LinAlgError

from ..core.axes import replaced, without
from ..core.intrinsics import is_constant, layout_is, promote, refuse, reinterpret
from ..core.registry import function
from .creation import asarray
from .decompositions import singular_values
from .lapack_matrices import fortran_copy, identity, kind_of, matrix, of_each, real_kind, square
from .linalg import gesv
from .methods import picked
from .methods import product as size_of
from .products import dot
from .tensor_products import as_axes, others

# -- norms ---------------------------------------------------------------------------------------


def frobenius_norm(a):
    """The root of the sum of squares."""
    kind = kind_of(a)
    if a.dtype == kind and (layout_is(a, "C") or layout_is(a, "F")):
        flat = a.ravel() if layout_is(a, "C") else a.T.ravel()
        parts = reinterpret(flat, real_kind(kind)) if kind.kind == "c" else flat
        return np.sqrt(dot(parts, parts))
    else:
        total = real_kind(kind).type(0)
        for x in a.flat:
            y = kind.type(x)
            total += y.real * y.real + y.imag * y.imag if kind.kind == "c" else y * y
        return np.sqrt(total)


def vector_norm_of(a, ord):
    kind = real_kind(kind_of(a))
    if ord == 0:
        total = kind.type(0)
        for x in a:
            if x != 0:
                total += kind.type(1)
        return total
    elif ord == 1:
        total = kind.type(0)
        for x in a:
            total += np.abs(kind_of(a).type(x))
        return total
    elif ord == 2:
        return frobenius_norm(a)
    elif ord == np.inf or ord == -np.inf:
        if a.size == 0:
            if ord < 0:
                raise ValueError("zero-size array to reduction operation minimum")
            return kind.type(0)
        best = np.abs(kind_of(a).type(a[0]))
        for x in a:
            y = np.abs(kind_of(a).type(x))
            best = np.maximum(best, y) if ord > 0 else np.minimum(best, y)
        return best
    else:
        total = kind.type(0)
        for x in a:
            total += np.power(np.abs(kind_of(a).type(x)), kind.type(ord))
        return np.power(total, kind.type(np.true_divide(1, ord)))


def extreme_of_sums(a, ord):
    """The largest (ord > 0) or smallest sum of absolute values in a row."""
    kind = real_kind(kind_of(a))
    if a.shape[0] == 0 and ord < 0:
        raise ValueError("zero-size array to reduction operation minimum which has no identity")
    best = kind.type(0)
    for i in range(a.shape[0]):
        total = kind.type(0)
        for j in range(a.shape[1]):
            total += np.abs(kind_of(a).type(a[i, j]))
        if i == 0:
            best = total
        else:
            best = np.maximum(best, total) if ord > 0 else np.minimum(best, total)
    return best


def matrix_norm_of(a, ord):
    if isinstance(ord, str):
        if ord == "fro" or ord == "f":
            return frobenius_norm(a)
        elif ord == "nuc":
            total = real_kind(kind_of(a)).type(0)
            for value in singular_values(a):
                total += value
            return total
        else:
            raise ValueError("Invalid norm order for matrices.")
    elif ord == 2 or ord == -2:
        s = singular_values(a)
        if s.size == 0:
            if ord < 0:
                raise ValueError("zero-size array to reduction operation minimum")
            return s.dtype.type(0)
        return s[0] if ord > 0 else s[-1]
    elif ord == 1 or ord == -1:
        return extreme_of_sums(a.T, ord)
    elif ord == np.inf or ord == -np.inf:
        return extreme_of_sums(a, ord)
    else:
        raise ValueError("Invalid norm order for matrices.")


def norm_of_all(a, ord):
    if ord is None:
        return frobenius_norm(a)
    elif a.ndim == 1:
        if isinstance(ord, str):
            raise ValueError("Invalid norm order for vectors")
        else:
            return vector_norm_of(a, ord)
    elif a.ndim == 2:
        return matrix_norm_of(a, ord)
    else:
        raise ValueError("Improper number of dimensions to norm.")


def behind(a, order, count):
    """``a`` with its axes in another order, all but the last ``count`` as one; C-contiguous."""
    rest = a.ndim - count
    if is_constant(order) and order == axes_of(a) and layout_is(a, "C"):
        return a.reshape((size_of(a.shape[:rest]),) + a.shape[rest:])
    else:
        moved = np.ascontiguousarray(np.transpose(a, order))
        return moved.reshape((size_of(moved.shape[:rest]),) + moved.shape[rest:])


def axes_of(a):
    return others((), a.ndim)


def order_with_last(ndim, axis):
    """The axes with one of them, which need not be known at compile time, moved to the end."""
    return axes_around(ndim - 1, axis) + (axis,)


def axes_around(n, axis):
    if n == 0:
        return ()
    else:
        return axes_around(n - 1, axis) + (n - 1 if n - 1 < axis else n,)


def norms_along(a, ord, order, count, shape):
    parts = behind(a, order, count)
    norms = np.empty(parts.shape[0], real_kind(kind_of(a)))
    for i in range(norms.shape[0]):
        norms[i] = norm_of_all(parts[i], ord)
    return norms.reshape(shape)


@function("numpy.linalg.norm")
def norm(x, ord=None, axis=None, keepdims=False):
    """2-norms of vectors and "fro": the root of the sum of squares, which overflows where squares
    do, as in NumPy. 2, -2 and "nuc" of matrices: singular values from LAPACK's gesdd. An axis may
    be known at run time only; two axes are constants. Wrong orders raise ValueError.
    """
    a = asarray(x)
    if axis is None:
        if keepdims:
            return np.full((1,) * a.ndim, norm_of_all(a, ord))
        else:
            return norm_of_all(a, ord)
    elif isinstance(axis, tuple) and len(axis) != 1:
        if not is_constant(axis):
            return refuse("np.linalg.norm needs two axes as constants")
        if len(axis) != 2:
            raise ValueError("Improper number of dimensions to norm.")
        axes = as_axes(axis, a.ndim)
        if axes[0] == axes[1]:
            raise ValueError("Duplicate axes given.")
        rest = others(axes, a.ndim)
        if keepdims:
            shape = replaced(replaced(a.shape, axes[0], 1), axes[1], 1)
        else:
            shape = picked(a.shape, rest)
        return norms_along(a, ord, rest + axes, 2, shape)
    else:
        place = as_axes(axis, a.ndim)[0]
        if keepdims:
            shape = replaced(a.shape, place, 1)
        else:
            shape = without(a.shape, place)
        if a.ndim == 1 and not keepdims:
            return norm_of_all(a, ord)
        else:
            return norms_along(a, ord, order_with_last(a.ndim, place), 1, shape)


# -- condition numbers ---------------------------------------------------------------------------


def ratio(x, y):
    """NumPy's quotient; infinity for matrices of zeros."""
    quotient = np.true_divide(x, y)
    if np.isnan(quotient):
        quotient = promote(x).type(np.inf)
    return quotient


@function("numpy.linalg.cond")
def cond(x, p=None):
    """From singular values (gesdd) for None, 2 and -2, else norm(x) * norm(inv(x)), with the
    inverse from LAPACK's gesv; inf for singular matrices. Empty matrices raise LinAlgError.
    """
    a = matrix(x)
    if a.size == 0:
        raise LinAlgError("cond is not defined on empty arrays")
    if a.ndim > 2:
        return of_each(cond, a, (), real_kind(kind_of(a)), p)
    elif p is None:
        s = singular_values(a)
        return ratio(s[0], s[-1])
    elif p == 2 or p == -2:
        s = singular_values(a)
        return ratio(s[0], s[-1]) if p == 2 else ratio(s[-1], s[0])
    else:
        a = square(a)
        kind = kind_of(a)
        inverse = identity(a.shape[0], kind).T
        if gesv(fortran_copy(a, kind), inverse) != 0:
            return real_kind(kind).type(np.inf)
        own = matrix_norm_of(a, p)
        product = own * matrix_norm_of(inverse, p)
        if np.isnan(product) and not np.isnan(own):
            product = real_kind(kind).type(np.inf)
        return product
