"""Products of vectors, matrices and stacks of them: ``@``, ``dot`` and their relatives.

Floats and complex numbers go to BLAS, in the layout that they have; integers and booleans to
loops. BLAS stores matrices by columns, so C-ordered operands are seen there as their transposes,
and ``a @ b`` is computed as ``(b.T @ a.T).T``.
"""

import numpy as np

from ..core import routines
from ..core.axes import as_tuple
from ..core.intrinsics import (
    as_strong,
    blas,
    blas_value,
    broadcast_shape,
    contiguous,
    fill,
    is_scalar,
    layout_is,
    on_device,
    promote,
    refuse,
    shares_memory,
    store,
)
from ..core.registry import function
from .creation import asarray
from .methods import normal_axes, normal_axis
from .methods import product as size_of
from .reductions import put_in_place

# Up to these sizes a call of BLAS takes longer than a loop.
SHORT_VECTOR = 16
SMALL_MATRIX = 64


def has_blas(kind):
    """Whether BLAS multiplies; it is code of the processor."""
    return not on_device() and (kind.kind == "f" or kind.kind == "c")


def ready(a, kind):
    """``a`` as BLAS takes it: of the type that is computed in, contiguous in C or F order."""
    if a.dtype == kind and (layout_is(a, "C") or layout_is(a, "F")):
        return a
    else:
        return rearranged(a, kind)


@function("numjit.rearranged", inline=False)
def rearranged(a, kind):
    out = np.empty(a.shape, kind)
    store(out, a)
    return out


# -- two operands of one or two dimensions, the result in memory that is given -------------------


@function("numjit.gemm")
def gemm(a, b, out):
    """out = a @ b; ``out`` is C-contiguous."""
    m, k = a.shape
    n = b.shape[1]
    if layout_is(a, "C"):
        turn_a = "N"
        step_a = k
    else:
        turn_a = "T"
        step_a = m
    if layout_is(b, "C"):
        turn_b = "N"
        step_b = n
    else:
        turn_b = "T"
        step_b = k
    kind = out.dtype
    one, zero = kind.type(1), kind.type(0)
    step_a, step_b, step = max(step_a, 1), max(step_b, 1), max(n, 1)
    blas(
        routines.gemm, kind, turn_b, turn_a, n, m, k, one, b, step_b, a, step_a, zero, out, step
    )  # fmt: skip


@function("numjit.gemv")
def gemv(a, x, out):
    """out = a @ x"""
    m, n = a.shape
    kind = out.dtype
    one, zero = kind.type(1), kind.type(0)
    if m * n <= SMALL_MATRIX:  # BLAS leaves at once if there is nothing to add
        for i in range(m):
            total = zero
            for j in range(n):
                total += a[i, j] * x[j]
            out[i] = total
    elif layout_is(a, "C"):
        blas(routines.gemv, kind, "T", n, m, one, a, n, x, 1, zero, out, 1)
    else:
        blas(routines.gemv, kind, "N", m, n, one, a, m, x, 1, zero, out, 1)


@function("numjit.multiply_by_loops")
def multiply_by_loops(a, b, out):
    fill(out, out.dtype.type(0))
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            x = a[i, k]
            for j in range(b.shape[1]):
                out[i, j] += x * b[k, j]


def multiply_into(out, a, b):
    """out = a @ b, where ``out`` is C-contiguous, of the right shape and type."""
    kind = out.dtype
    if a.ndim == 1:
        if has_blas(kind):
            gemv(ready(b, kind).T, ready(a, kind), out)
        else:
            multiply_by_loops(a[None, :], b, contiguous(out, (1, out.shape[0])))
    elif b.ndim == 1:
        if has_blas(kind):
            gemv(ready(a, kind), ready(b, kind), out)
        else:
            multiply_by_loops(a, b[:, None], contiguous(out, (out.shape[0], 1)))
    elif has_blas(kind):
        gemm(ready(a, kind), ready(b, kind), out)
    else:
        multiply_by_loops(a, b, out)


def check_aligned(a, b):
    if a.shape[a.ndim - 1] != b.shape[max(b.ndim - 2, 0)]:
        raise ValueError("shapes not aligned: the inner dimensions of the operands do not match")


def is_vector(a, kind):
    """Whether BLAS takes a vector as it is."""
    return not on_device() and layout_is(a, "C") and a.dtype == kind


def vector_product(a, b):
    check_aligned(a, b)
    kind = promote(a, b)
    if kind.kind == "f" and is_vector(a, kind) and is_vector(b, kind):
        n = a.shape[0]
        if n > SHORT_VECTOR:
            return blas_value(routines.dot, kind, n, a, 1, b, 1)
        total = kind.type(0)
        for i in range(min(n, SHORT_VECTOR)):
            total += a[i] * b[i]
        return total
    elif kind.kind == "c" and is_vector(a, kind) and is_vector(b, kind) and routines.dotu[-1]:
        return blas_value(routines.dotu, kind, a.shape[0], a, 1, b, 1)
    else:
        total = kind.type(0)
        for i in range(a.shape[0]):
            total = kind.type(total + a[i] * b[i])
        return total


def conjugate_product(a, b):
    """As vector_product, with the complex conjugate of ``a``."""
    check_aligned(a, b)
    kind = promote(a, b)
    if is_vector(a, kind) and is_vector(b, kind) and routines.dotc[-1]:
        return blas_value(routines.dotc, kind, a.shape[0], a, 1, b, 1)
    else:
        total = kind.type(0)
        for i in range(a.shape[0]):
            total = kind.type(total + np.conj(a[i]) * b[i])
        return total


def shape_of_product(a, b):
    return a.shape[: a.ndim - 1] + b.shape[b.ndim - 1 :] if b.ndim > 1 else a.shape[: a.ndim - 1]


def multiply(a, b, out):
    """The product of arrays of one or two dimensions, not both of one; ``out`` may be None."""
    check_aligned(a, b)
    if out is None:
        made = np.empty(shape_of_product(a, b), promote(a, b))
        multiply_into(made, a, b)
        return made
    else:
        check_out(out, shape_of_product(a, b))
        if layout_is(out, "C") and out.dtype == promote(a, b):
            if shares_memory(out, a) or shares_memory(out, b):
                store(out, multiply_apart(a, b))
            else:
                multiply_into(out, a, b)
        else:
            store(out, multiply_apart(a, b))
        return out


@function("numjit.multiply_apart", inline=False)
def multiply_apart(a, b):
    return multiply(a, b, None)


def check_out(out, shape):
    if out.ndim != len(shape):
        refuse("matrix product: the output array has the wrong number of dimensions")
    elif out.shape != shape:
        raise ValueError("matrix product: the output array has the wrong shape")


# -- stacks of matrices --------------------------------------------------------------------------


def joined(a, b):
    """The shape that two shapes broadcast to."""
    if len(a) == 0:
        return b
    elif len(b) == 0:
        return a
    elif len(a) > len(b):
        return a[: len(a) - len(b)] + joined(a[len(a) - len(b) :], b)
    elif len(b) > len(a):
        return b[: len(b) - len(a)] + joined(a, b[len(b) - len(a) :])
    else:
        if a[0] != b[0] and a[0] != 1 and b[0] != 1:
            raise ValueError("matmul: the operands could not be broadcast together")
        extent = b[0] if a[0] == 1 else a[0]
        return (extent,) + joined(a[1:], b[1:])


def multiply_stacks(a, b, out):
    if out.ndim == 2:
        multiply_into(out, a, b)
    else:
        for i in range(out.shape[0]):
            if a.ndim < out.ndim:
                multiply_stacks(a, b[i], out[i])
            elif b.ndim < out.ndim:
                multiply_stacks(a[i], b, out[i])
            else:
                j = i if a.shape[0] > 1 else 0
                k = i if b.shape[0] > 1 else 0
                multiply_stacks(a[j], b[k], out[i])


def stacked_product(a, b):
    if a.ndim == 1:
        out = stacked_product(a[None, :], b)
        return contiguous(out, out.shape[: out.ndim - 2] + (out.shape[out.ndim - 1],))
    elif b.ndim == 1:
        out = stacked_product(a, b[:, None])
        return contiguous(out, out.shape[: out.ndim - 1])
    else:
        check_aligned(a, b)
        stack = joined(a.shape[: a.ndim - 2], b.shape[: b.ndim - 2])
        shape = stack + (a.shape[a.ndim - 2], b.shape[b.ndim - 1])
        out = np.empty(shape, promote(a, b))
        multiply_stacks(a, b, out)
        return out


# -- what NumPy calls them -----------------------------------------------------------------------


@function("numpy.linalg.matmul")
def matmul_of_linalg(x1, x2: "conformable"):
    return matmul(x1, x2)


@function("numpy.matmul")
def matmul(x1, x2, out=None):
    if is_scalar(x1) or is_scalar(x2):
        return refuse("matmul: an operand is a scalar; use * instead")
    else:
        a, b = asarray(x1), asarray(x2)
        if a.ndim == 0 or b.ndim == 0:
            return refuse("matmul: an operand does not have enough dimensions; use * instead")
        elif a.ndim == 1 and b.ndim == 1:
            if out is None:
                return vector_product(a, b)
            else:
                check_out(out, ())
                out[()] = vector_product(a, b)
                return out
        elif a.ndim <= 2 and b.ndim <= 2:
            return multiply(a, b, out)
        elif out is None:
            return stacked_product(a, b)
        else:
            made = stacked_product(a, b)
            check_out(out, made.shape)
            store(out, made)
            return out


@function("operator.matmul")
def operator_matmul(a, b):
    return a @ b


@function("operator.imatmul")
def operator_imatmul(a, b):
    a @= b
    return a


@function("numjit.matmul_inplace")
def matmul_inplace(a, b):
    """What ``a @= b`` stores: a product of the last two axes' shape of ``a``."""
    if b.ndim < 2:
        raise ValueError(
            "inplace matrix multiplication requires the first operand to have at least one and the "
            "second at least two dimensions."
        )
    elif a.shape[-1] != b.shape[-2] or a.shape[-1] != b.shape[-1]:
        raise ValueError("matmul: Output operand 0 has a mismatch in its core dimension 1")
    else:
        return np.matmul(a, b)


@function("numpy.dot")
@function("Array.dot")
def dot(a, b, out=None):
    if out is not None:
        if not layout_is(out, "C") or out.dtype != promote(a, b):
            raise ValueError("output array is not acceptable (must have the right datatype)")
    if is_scalar(a) or is_scalar(b):
        return scaled(as_strong(a), as_strong(b), out)
    else:
        x, y = asarray(a), asarray(b)
        if x.ndim == 0 or y.ndim == 0:
            return scaled(x, y, out)
        elif x.ndim <= 2 and y.ndim <= 2:
            return matmul(x, y, out)
        else:
            made = dot_of_stacks(x, y)
            if out is None:
                return made
            else:
                check_out(out, made.shape)
                store(out, made)
                return out


@function("numjit.scaled")
def scaled(a, b, out):
    if out is None:
        return a * b
    else:
        out[...] = a * b
        return out


def last_but_one(ndim):
    """The axes with the last but one moved to the front."""
    return (ndim - 2,) + tuple_of_range(ndim - 2) + (ndim - 1,)


def tuple_of_range(n):
    if n == 0:
        return ()
    else:
        return tuple_of_range(n - 1) + (n - 1,)


def rows_of(a):
    """A matrix whose rows are the last axis of ``a``."""
    if a.ndim == 2:
        return a
    n = a.shape[a.ndim - 1]
    return a.reshape((size_of(a.shape[: a.ndim - 1]), n))


def dot_of_stacks(a, b):
    check_aligned(a, b)
    if b.ndim == 1:
        return multiply(rows_of(a), b, None).reshape(a.shape[: a.ndim - 1])
    else:
        if b.ndim == 2:
            columns = b
        else:
            front = np.transpose(b, last_but_one(b.ndim))
            columns = front.reshape((front.shape[0], size_of(front.shape[1:])))
        shape = a.shape[: a.ndim - 1] + b.shape[: b.ndim - 2] + (b.shape[b.ndim - 1],)
        if a.ndim == 1:
            return multiply(a, columns, None).reshape(shape)
        else:
            return multiply(rows_of(a), columns, None).reshape(shape)


@function("numpy.vdot")
def vdot(a, b):
    x, y = asarray(a).ravel(), asarray(b).ravel()
    if x.dtype.kind == "c":
        return conjugate_product(x, y)
    else:
        return vector_product(x, y)


@function("numpy.inner")
def inner(a, b):
    if is_scalar(a) or is_scalar(b):
        return a * b
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
    return outer(x1, x2)


@function("numpy.outer")
def outer(a, b, out=None):
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
    if is_scalar(a) or is_scalar(b):
        return a * b
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
    return tensordot(x1, x2, axes)


@function("numpy.tensordot")
def tensordot(a, b, axes=2):
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
