"""Diagonals and triangles of matrices, and matrices that are made of them."""

import numpy as np

from ..core.array_expressions import evaluate, fill
from ..core.axes import check_integer
from ..core.intrinsics import as_readonly, broadcast, cast, copy_items, layout_is, promote, strided
from ..core.registry import function
from .creation import arange, asarray, ordered
from .indexing import nonzero
from .methods import index_of, normal_axis, product, ravel


@function("numpy.eye")
def eye(N: "size", M: "size" = None, k: "int" = 0, dtype=float, order="C"):
    m = N if M is None else M
    out = np.zeros((N, m), dtype, order)
    for i in range(max(-k, 0), min(N, m - k)):
        out[i, i + k] = cast(1, out.dtype)
    return out


@function("numpy.identity")
def identity(n: "size", dtype=None):
    return eye(n, None, 0, float if dtype is None else dtype)


@function("numpy.diag")
def diag(v: "array", k: "int" = 0):
    a = asarray(v)
    if a.ndim == 1:
        n = a.shape[0] + abs(k)
        out = np.zeros((n, n), a.dtype)
        for i in range(a.shape[0]):
            out[i + max(-k, 0), i + max(k, 0)] = a[i]
        return out
    else:
        if a.ndim != 2:
            raise ValueError("Input must be 1- or 2-d.")
        return diagonal(a, k)


@function("numpy.diagflat")
def diagflat(v: "array", k: "int" = 0):
    return diag(ravel(asarray(v)), k)


def without_two(items, i, j, k=0):
    if k == len(items):
        return ()
    elif k == i or k == j:
        return without_two(items, i, j, k + 1)
    else:
        return (items[k],) + without_two(items, i, j, k + 1)


@function("numpy.diagonal")
@function("Array.diagonal")
def diagonal(a: "array2", offset: "int" = 0, axis1: "skip" = 0, axis2: "skip" = 1):
    if a.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    i, j = normal_axis(axis1, a.ndim), normal_axis(axis2, a.ndim)
    if i == j:
        raise ValueError("axis1 and axis2 cannot be the same")
    down, right = max(-offset, 0), max(offset, 0)
    n = max(min(a.shape[i] - down, a.shape[j] - right), 0)
    start = down * a.strides[i] + right * a.strides[j] if n > 0 else 0
    return as_readonly(
        strided(
            a,
            start,
            without_two(a.shape, i, j) + (n,),
            without_two(a.strides, i, j) + (a.strides[i] + a.strides[j],),
        )
    )


def clamped(i, n):
    return max(min(i, n), 0)


@function("numpy.tri")
def tri(N: "size", M: "size" = None, k: "int" = 0, dtype=float):
    check_integer(k, "k")
    out = np.zeros((max(N, 0), max(N if M is None else M, 0)), dtype)
    for i in range(out.shape[0]):
        fill(out[i, : clamped(i + k + 1, out.shape[1])], cast(1, out.dtype))
    return out


def square_of(m):
    """Triangles of a vector are those of the matrix with it in every row."""
    if m.ndim == 1:
        return ordered(broadcast(m, (m.shape[0], m.shape[0])), "C")
    elif layout_is(m, "C"):
        return m
    else:
        return ordered(m, "C")


def triangle(m, k, lower):
    check_integer(k, "k")
    a = square_of(asarray(m))
    out = np.zeros(a.shape, a.dtype)
    rows, columns = a.shape[a.ndim - 2], a.shape[a.ndim - 1]
    for o in range(product(a.shape[: a.ndim - 2])):
        for i in range(rows):
            at = (o * rows + i) * columns
            if lower:
                copy_items(out, at, a, at, clamped(i + k + 1, columns))
            else:
                c = clamped(i + k, columns)
                copy_items(out, at + c, a, at + c, columns - c)
    return out


@function("numpy.tril")
def tril(m: "array2", k: "int" = 0):
    return triangle(m, k, True)


@function("numpy.triu")
def triu(m: "array2", k: "int" = 0):
    return triangle(m, k, False)


@function("numpy.tril_indices")
def tril_indices(n: "size", k: "int" = 0, m: "size" = None):
    return nonzero(tri(n, m, k, np.bool_))


@function("numpy.triu_indices")
def triu_indices(n: "size", k: "int" = 0, m: "size" = None):
    return nonzero(evaluate(~tri(n, m, k - 1, np.bool_)))


@function("numpy.tril_indices_from")
def tril_indices_from(arr: "array2", k: "int" = 0):
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return tril_indices(arr.shape[0], k, arr.shape[1])


@function("numpy.triu_indices_from")
def triu_indices_from(arr: "array2", k: "int" = 0):
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return triu_indices(arr.shape[0], k, arr.shape[1])


@function("numpy.diag_indices")
def diag_indices(n: "size", ndim: "skip" = 2):
    return (arange(n),) * ndim


@function("numpy.diag_indices_from")
def diag_indices_from(arr: "square"):
    if arr.ndim < 2:
        raise ValueError("input array must be at least 2-d")
    check_equal_lengths(arr)
    return diag_indices(arr.shape[0], arr.ndim)


def check_equal_lengths(a):
    for n in a.shape:
        if n != a.shape[0]:
            raise ValueError("All dimensions of input must be of equal length")


@function("numpy.fill_diagonal")
def fill_diagonal(a: "square", val: "scalar", wrap: "skip" = False):
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim > 2:
        check_equal_lengths(a)
    items = asarray(val)
    flat = ravel(items)
    n = a.shape[0]
    for extent in a.shape:
        n = min(n, extent)
    if wrap and a.ndim == 2:
        step = a.shape[1] + 1
        n = (a.size + step - 1) // step
    for i in range(n):
        item = flat[i % flat.size]
        if items.dtype.kind == "f" and (a.dtype.kind == "i" or a.dtype.kind == "u"):
            if not np.isfinite(item):
                raise ValueError("cannot convert float NaN or infinity to integer")
        x = cast(item, a.dtype)
        if wrap and a.ndim == 2:
            a[index_of(i * (a.shape[1] + 1), a.shape)] = x
        else:
            a[(i,) * a.ndim] = x


@function("numpy.vander")
def vander(x: "array1", N: "size" = None, increasing=False):
    a = asarray(x)
    if a.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    n = a.shape[0] if N is None else N
    out = np.empty((a.shape[0], n), promote(a, 1))
    for i in range(a.shape[0]):
        power = cast(1, out.dtype)
        for j in range(n):
            out[i, j if increasing else n - 1 - j] = power
            power = cast(power * a[i], out.dtype)
    return out
