"""Products that are made of others: kron, tensordot, cross; and trace."""

import numpy as np

from ..core.axes import as_tuple
from ..core.intrinsics import as_strong, broadcast_shape, is_scalar, promote, refuse
from ..core.registry import function
from .creation import asarray
from .methods import normal_axes, normal_axis
from .methods import product as size_of
from .products import dot_of_stacks, multiply, rows_of, vector_product
from .reductions import put_in_place


@function("numpy.inner")
def inner(a, b):
    """One product of matrices over the last axes."""
    if is_scalar(a) or is_scalar(b):
        return as_strong(a) * as_strong(b)
    else:
        x, y = asarray(a), asarray(b)
        if x.ndim == 0 or y.ndim == 0:
            return x * y
        elif x.ndim == 1 and y.ndim == 1:
            return vector_product(x, y)
        elif y.ndim == 1:
            return dot_of_stacks(x, y)
        elif x.ndim == 1:
            return dot_of_stacks(y, x)
        else:
            made = multiply(rows_of(x), rows_of(y).T, None)
            if x.ndim == 2 and y.ndim == 2:
                return made
            return made.reshape(x.shape[: x.ndim - 1] + y.shape[: y.ndim - 1])


@function("numpy.linalg.outer")
def outer_of_linalg(x1: "array1", x2: "array1"):
    """As numpy.outer, of vectors."""
    return outer(x1, x2)


@function("numpy.outer")
def outer(a, b, out=None):
    """One multiplication an element; operands are flattened."""
    x, y = asarray(a).ravel(), asarray(b).ravel()
    if out is None:
        made = np.empty((x.shape[0], y.shape[0]), promote(x, y))
        for i in range(x.shape[0]):
            for j in range(y.shape[0]):
                made[i, j] = x[i] * y[j]
        return made
    else:
        out[...] = x[:, None] * y[None, :]
        return out


def spread(shape, place):
    """Each extent as one of two, the other is 1."""
    if len(shape) == 0:
        return ()
    elif place == 0:
        return (shape[0], 1) + spread(shape[1:], place)
    else:
        return (1, shape[0]) + spread(shape[1:], place)


def products_of(a, b):
    if len(a) == 0:
        return ()
    else:
        return (a[0] * b[0],) + products_of(a[1:], b[1:])


def kron_of_matrices(x, y):
    rows, columns = y.shape
    out = np.empty((x.shape[0] * rows, x.shape[1] * columns), promote(x, y))
    for i in range(x.shape[0]):
        for j in range(rows):
            for k in range(x.shape[1]):
                factor = x[i, k]
                for m in range(columns):
                    out[i * rows + j, k * columns + m] = factor * y[j, m]
    return out


@function("numpy.kron")
def kron(a, b):
    """One multiplication an element, without temporaries for matrices."""
    if is_scalar(a) or is_scalar(b):
        return as_strong(a) * as_strong(b)
    else:
        x, y = asarray(a), asarray(b)
        if x.ndim == 0 or y.ndim == 0:
            return x * y
        elif x.ndim == 1 and y.ndim == 1:
            return outer(x, y).ravel()
        elif x.ndim == 1:
            return kron(x[None, :], y)
        elif y.ndim == 1:
            return kron(x, y[None, :])
        elif x.ndim == 2 and y.ndim == 2:
            return kron_of_matrices(x, y)
        elif x.ndim < y.ndim:
            return kron(x.reshape((1,) * (y.ndim - x.ndim) + x.shape), y)
        elif y.ndim < x.ndim:
            return kron(x, y.reshape((1,) * (x.ndim - y.ndim) + y.shape))
        else:
            blocks = x.reshape(spread(x.shape, 0)) * y.reshape(spread(y.shape, 1))
            return blocks.reshape(products_of(x.shape, y.shape))


def contracted(a, b, n):
    """The sum over the last ``n`` axes of ``a`` and the first of ``b``."""
    rest = a.ndim - n
    if a.shape[rest:] != b.shape[:n]:
        raise ValueError("shape-mismatch for sum")
    shape = a.shape[:rest] + b.shape[n:]
    left = a.reshape((size_of(a.shape[:rest]), size_of(a.shape[rest:])))
    right = b.reshape((size_of(b.shape[:n]), size_of(b.shape[n:])))
    return multiply(left, right, None).reshape(shape)


def as_axes(axes, ndim):
    """One axis or a tuple of them as a tuple, counted from the start."""
    return normal_axes(as_tuple(axes), ndim)


def others(axes, ndim):
    """The axes that are not among ``axes``."""
    if ndim == 0:
        return ()
    elif ndim - 1 in axes:
        return others(axes, ndim - 1)
    else:
        return others(axes, ndim - 1) + (ndim - 1,)


@function("numpy.linalg.tensordot")
def tensordot_of_linalg(x1: "array2", x2: "conformable", *, axes: "tensor axes" = 2):
    """As numpy.tensordot."""
    return tensordot(x1, x2, axes)


@function("numpy.tensordot")
def tensordot(a, b, axes=2):
    """The axes are moved and joined, and one product of matrices sums over them. ValueError if
    their lengths differ.
    """
    x, y = asarray(a), asarray(b)
    if isinstance(axes, tuple):
        of_x, of_y = as_axes(axes[0], x.ndim), as_axes(axes[1], y.ndim)
        if len(of_x) != len(of_y):
            raise ValueError("shape-mismatch for sum")
        moved_x = np.transpose(x, others(of_x, x.ndim) + of_x)
        moved_y = np.transpose(y, of_y + others(of_y, y.ndim))
        return contracted(moved_x, moved_y, len(of_x))
    else:
        return contracted(x, y, axes)


@function("numpy.trace")
@function("Array.trace")
def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """From the first element to the last, in the type that sums have. ValueError if the two axes
    are the same.
    """
    if not isinstance(a, np.ndarray):
        return trace(np.asarray(a), offset, axis1, axis2, dtype, out)
    elif dtype is not None:
        made = trace(a.astype(dtype), offset, axis1, axis2)
        if a.ndim == 2:
            return put_in_place(np.dtype(dtype).type(made), out)
        else:
            return put_in_place(made.astype(dtype), out)
    elif out is not None:
        return put_in_place(trace(a, offset, axis1, axis2), out)
    elif a.ndim < 2:
        return refuse("trace: the array has fewer than 2 dimensions")
    elif a.ndim == 2:
        first, second = normal_axis(axis1, 2), normal_axis(axis2, 2)
        if first == second:
            raise ValueError("axis1 and axis2 cannot be the same")
        offset = -offset if first == 1 else offset
        total = widened(a.dtype)
        for i in range(max(-offset, 0), min(a.shape[0], a.shape[1] - offset)):
            total += a[i, i + offset]
        return total
    else:
        axes = as_axes((axis1, axis2), a.ndim)
        if axes[0] == axes[1]:
            raise ValueError("axis1 and axis2 cannot be the same")
        moved = np.transpose(a, others(axes, a.ndim) + axes)
        m, n = moved.shape[a.ndim - 2], moved.shape[a.ndim - 1]
        out = np.zeros(moved.shape[: a.ndim - 2], promote(widened(a.dtype)))
        for i in range(max(-offset, 0), min(m, n - offset)):
            out += moved[..., i, i + offset]
        return out


def widened(kind):
    """Zero of the type in which elements are summed."""
    return kind.type(0) + kind.type(0)


@function("numpy.linalg.cross")
def cross_of_linalg(x1: "vector3", x2: "vector3", /, *, axis: "skip" = -1):
    """As numpy.cross, of vectors of three elements."""
    return cross(x1, x2, axis, axis, axis)


@function("numpy.cross")
def cross(
    a,
    b,
    axisa: "skip" = -1,
    axisb: "skip" = -1,
    axisc: "skip" = -1,
    axis: "skip" = None,
):
    """Vectors of three elements only; others raise ValueError."""
    if axis is not None:
        return cross(a, b, axis, axis, axis)
    else:
        x, y = with_axis_last(asarray(a), axisa), with_axis_last(asarray(b), axisb)
        made = cross_of_rows(x, y)
        if axisc == -1 or made.ndim == 1:
            return made
        else:
            return np.moveaxis(made, -1, axisc)


def with_axis_last(a, axis):
    return a if axis == -1 or a.ndim == 1 else np.moveaxis(a, axis, -1)


def cross_of_rows(x, y):
    if x.shape[x.ndim - 1] != 3 or y.shape[y.ndim - 1] != 3:
        raise ValueError("cross: both operands must be vectors of 3 elements along the last axis")
    out = np.empty(broadcast_shape(x, y), promote(x, y))
    if x.ndim == 1 and y.ndim == 1:
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            out[i] = x[j] * y[k] - x[k] * y[j]
    else:
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            out[..., i] = x[..., j] * y[..., k] - x[..., k] * y[..., j]
    return out
