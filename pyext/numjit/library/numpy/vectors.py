"""Products and norms of stacks of vectors and matrices, under the array API's names."""

import numpy as np
from numpy.linalg import LinAlgError

from ..core.axes import as_array
from ..core.intrinsics import promote, refuse
from ..core.registry import function
from .axis_orders import moveaxis
from .methods import product


@function("numpy.vecdot")
def vecdot(x1, x2: "operand", /, out: "skip" = None, *, axis: "skip" = None):
    """Sums of element-wise products along the axis, as np.sum adds; the first operand is
    conjugated.
    """
    a, b = as_array(x1), as_array(x2)
    if a.ndim == 0 or b.ndim == 0:
        return refuse("vecdot: an operand does not have enough dimensions")
    else:
        x = a if axis is None else moveaxis(a, axis, -1)
        y = b if axis is None else moveaxis(b, axis, -1)
        if x.shape[x.ndim - 1] != y.shape[y.ndim - 1]:
            raise ValueError("vecdot: the operands have different lengths")
        kind = promote(x, y)
        if x.dtype.kind == "c":
            return np.add.reduce(np.conj(x) * y, -1, kind, out)
        else:
            return np.add.reduce(x * y, -1, kind, out)


@function("numpy.linalg.vecdot")
def vecdot_of_linalg(x1, x2: "operand", /, *, axis: "skip" = -1):
    """As numpy.vecdot, along the last axis."""
    return vecdot(x1, x2, axis=axis)


@function("numpy.matvec")
def matvec(x1: "array2", x2: "vector of columns", /):
    """np.matmul with a column."""
    a, b = as_array(x1), as_array(x2)
    if a.ndim < 2 or b.ndim < 1:
        return refuse("matvec: an operand does not have enough dimensions")
    else:
        return np.matmul(a, b[..., None])[..., 0]


@function("numpy.vecmat")
def vecmat(x1: "array1", x2: "matrix of rows", /):
    """np.matmul with a row, which is conjugated."""
    a, b = as_array(x1), as_array(x2)
    if a.ndim < 1 or b.ndim < 2:
        return refuse("vecmat: an operand does not have enough dimensions")
    elif a.dtype.kind == "c":
        return np.matmul(np.conj(a)[..., None, :], b)[..., 0, :]
    else:
        return np.matmul(a[..., None, :], b)[..., 0, :]


@function("numpy.linalg.vector_norm")
def vector_norm(x, /, *, axis: "skip" = None, keepdims: "skip" = False, ord: "vector norm" = 2):
    """np.linalg.norm of all elements, or along one axis."""
    a = as_array(x)
    if axis is None and keepdims:
        return np.full((1,) * a.ndim, np.linalg.norm(np.ravel(a), ord))
    elif axis is None:
        return np.linalg.norm(np.ravel(a), ord)
    elif isinstance(axis, tuple):
        return refuse("np.linalg.vector_norm is compiled for one axis, or for all elements")
    else:
        return np.linalg.norm(a, ord, axis, keepdims)


@function("numpy.linalg.matrix_norm")
def matrix_norm(x: "matrix", /, *, keepdims=False, ord: "matrix norm" = "fro"):
    """np.linalg.norm of each matrix of the last two axes."""
    return np.linalg.norm(as_array(x), ord, (-2, -1), keepdims)


@function("numpy.linalg.trace")
def trace(x: "array2", /, *, offset=0):
    """np.trace of the last two axes."""
    return np.trace(x, offset, -2, -1)


@function("numpy.linalg.diagonal")
def diagonal(x: "array2", /, *, offset=0):
    """np.diagonal of the last two axes."""
    return np.diagonal(x, offset, -2, -1)


@function("numpy.linalg.tensorinv")
def tensorinv(a: "square", ind: "skip" = 2):
    """np.linalg.inv of the matrix that the axes make. LinAlgError if that is not square or is
    singular.
    """
    x = as_array(a)
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    front, back = x.shape[:ind], x.shape[ind:]
    if product(front) != product(back):
        raise LinAlgError("Last 2 dimensions of the array must be square")
    return np.linalg.inv(x.reshape((product(front), product(back)))).reshape(back + front)


@function("numpy.linalg.tensorsolve")
def tensorsolve(a: "square", b: "vector", axes: "skip" = None):
    """np.linalg.solve of the matrix that the axes make. LinAlgError if that is not square or is
    singular.
    """
    x, y = as_array(a), as_array(b)
    if axes is not None:
        return refuse("np.linalg.tensorsolve is compiled without axes: transpose the array")
    else:
        shape = x.shape[y.ndim :]
        if x.size != product(shape) ** 2:
            raise LinAlgError(
                "Input arrays must satisfy the requirement prod(a.shape[b.ndim:]) == "
                "prod(a.shape[:b.ndim])"
            )
        return np.linalg.solve(x.reshape((product(shape), product(shape))), np.ravel(y)).reshape(
            shape
        )
