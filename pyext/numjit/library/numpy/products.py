"""Products of vectors, matrices and stacks of them: ``@``, ``dot`` and their relatives.

Floats and complex numbers go to BLAS, in the layout that they have; integers and booleans to
loops. BLAS stores matrices by columns, so C-ordered operands are seen there as their transposes,
and ``a @ b`` is computed as ``(b.T @ a.T).T``.
"""

import numpy as np

from ..core import routines
from ..core.intrinsics import (
    as_strong,
    blas,
    blas_value,
    contiguous,
    fill,
    is_scalar,
    layout_is,
    on_device,
    promote,
    refuse,
    shares_memory,
    store,
    strided,
    units_of,
    with_units,
)
from ..core.registry import function
from .creation import asarray
from .methods import product as size_of

# Up to these sizes a call of BLAS takes longer than a loop.
SHORT_VECTOR = 16
SMALL_MATRIX = 64
# BLAS counts items with 32 bits.
MOST_BYTES = 2**31


def has_blas(kind):
    """Whether BLAS multiplies; it is code of the processor."""
    return not on_device() and (kind.kind == "f" or kind.kind == "c")


def ready(a, kind):
    """``a`` as BLAS takes it: of the type that is computed in, contiguous in C or F order."""
    if a.dtype == kind and (layout_is(a, "C") or layout_is(a, "F")):
        return a
    else:
        return rearranged(a, kind)


def is_strided(a):
    return not layout_is(a, "C") and not layout_is(a, "F")


def ready_matrix(a, kind):
    """As ``ready``; rows that lie apart, such as those of ``x[:, :5]``, may stay where they are."""
    if is_strided(a) and a.dtype == kind:
        lies_apart = (
            a.strides[1] == a.itemsize
            and a.strides[0] % a.itemsize == 0
            and a.shape[1] * a.itemsize <= a.strides[0] < MOST_BYTES
        )
        if lies_apart:
            return strided(a, 0, a.shape, a.strides)
        made = rearranged(a, kind)
        return strided(made, 0, made.shape, made.strides)
    else:
        return ready(a, kind)


def step_of(a):
    """How many items lie between the rows of a C matrix, or between the columns of an F matrix."""
    if is_strided(a):
        return max(a.strides[0] // a.itemsize, 1)
    elif layout_is(a, "C"):
        return max(a.shape[1], 1)
    else:
        return max(a.shape[0], 1)


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
    turn_a = "T" if layout_is(a, "F") else "N"
    turn_b = "T" if layout_is(b, "F") else "N"
    kind = out.dtype
    one, zero = kind.type(1), kind.type(0)
    step_a, step_b, step = step_of(a), step_of(b), max(n, 1)
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
    elif layout_is(a, "F"):
        blas(routines.gemv, kind, "N", m, n, one, a, step_of(a), x, 1, zero, out, 1)
    else:
        blas(routines.gemv, kind, "T", n, m, one, a, step_of(a), x, 1, zero, out, 1)


@function("numjit.gevm")
def gevm(x, a, out):
    """out = x @ a, where rows of ``a`` lie apart"""
    m, n = a.shape
    kind = out.dtype
    one, zero = kind.type(1), kind.type(0)
    if m * n <= SMALL_MATRIX:
        fill(out, zero)
        for i in range(m):
            for j in range(n):
                out[j] += x[i] * a[i, j]
    else:
        blas(routines.gemv, kind, "N", n, m, one, a, step_of(a), x, 1, zero, out, 1)


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
    if kind == np.float16:
        wide = np.empty(out.shape, np.float32)
        multiply_into(wide, a.astype(np.float32), b.astype(np.float32))
        store(out, wide)
    elif a.ndim == 1:
        if has_blas(kind) and is_strided(b):
            gevm(ready(a, kind), ready_matrix(b, kind), out)
        elif has_blas(kind):
            gemv(ready(b, kind).T, ready(a, kind), out)
        else:
            multiply_by_loops(a[None, :], b, contiguous(out, (1, out.shape[0])))
    elif b.ndim == 1:
        if has_blas(kind):
            gemv(ready_matrix(a, kind), ready(b, kind), out)
        else:
            multiply_by_loops(a, b[:, None], contiguous(out, (out.shape[0], 1)))
    elif has_blas(kind):
        gemm(ready_matrix(a, kind), ready_matrix(b, kind), out)
    else:
        multiply_by_loops(a, b, out)


def check_aligned(a, b):
    if a.shape[a.ndim - 1] != b.shape[max(b.ndim - 2, 0)]:
        raise ValueError("shapes not aligned: incompatible array sizes in the inner dimensions")


def is_vector(a, kind):
    """Whether BLAS takes a vector as it is."""
    return not on_device() and layout_is(a, "C") and a.dtype == kind


def vector_product(a, b):
    check_aligned(a, b)
    kind = promote(a, b)
    if kind == np.float16:
        return np.float16(vector_product(a.astype(np.float32), b.astype(np.float32)))
    elif kind.kind == "f" and is_vector(a, kind) and is_vector(b, kind):
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
    """As numpy.matmul, without out."""
    return matmul(x1, x2)


@function("numpy.matmul")
def matmul(x1, x2, out=None):
    """BLAS for floats and complex numbers, in the layout that the operands have, loops for others
    and for small operands; float16 is multiplied in float32. Stacks are multiplied matrix by
    matrix. ValueError if the inner lengths differ.
    """
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
            return with_units(multiply(a, b, out), units_of_product(a, b))
        elif out is None:
            return stacked_product(a, b)
        else:
            made = stacked_product(a, b)
            check_out(out, made.shape)
            store(out, made)
            return out


def units_of_product(a, b):
    """Which axes of the product of two matrices or vectors are of length one."""
    if units_of(a) < 0 or units_of(b) < 0:
        return -1
    elif a.ndim == 1:
        return units_of(b) // 2
    elif b.ndim == 1:
        return units_of(a) % 2
    else:
        return units_of(a) % 2 + units_of(b) // 2 * 2


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
    """As matmul up to two dimensions; of stacks one product of matrices. ValueError if out is not
    C-contiguous or has another dtype.
    """
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
    """As dot of the flat operands, the first one conjugated."""
    x, y = asarray(a).ravel(), asarray(b).ravel()
    if x.dtype.kind == "c":
        return conjugate_product(x, y)
    else:
        return vector_product(x, y)
