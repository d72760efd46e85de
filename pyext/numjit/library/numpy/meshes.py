"""Coordinates of grids: meshgrid, indices, ix_."""

import numpy as np

from ..core.intrinsics import broadcast, contiguous, layout_is, set_flat, strided
from ..core.registry import function
from .creation import arange, asarray, ordered
from .indexing import nonzero
from .methods import product, ravel


def along_axis(n, ndim, axis, k=0):
    """Shape of a vector of length ``n`` that lies along one axis."""
    if k == ndim:
        return ()
    else:
        return (n if k == axis else 1,) + along_axis(n, ndim, axis, k + 1)


def line_along(x, ndim, axis):
    """A vector as a view that lies along one of several axes."""
    if layout_is(x, "C"):
        return contiguous(x, along_axis(x.size, ndim, axis))
    else:
        shape = along_axis(x.size, ndim, axis)
        return strided(x, 0, shape, along_axis(x.strides[0], ndim, axis))


def lengths(arrays):
    if len(arrays) == 0:
        return ()
    else:
        return (asarray(arrays[0]).size,) + lengths(arrays[1:])


@function("numpy.meshgrid")
def meshgrid(*xi: "arrays", copy=True, sparse=False, indexing="xy"):
    if indexing == "xy" and len(xi) > 1:
        n = lengths(xi)
        return grids(xi, 0, (n[1], n[0]) + n[2:], True, sparse, copy)
    else:
        return grids(xi, 0, lengths(xi), False, sparse, copy)


def grids(xi, k, shape, swap, sparse, copy):
    if k == len(xi):
        return ()
    else:
        given = asarray(xi[k])
        x = given if given.ndim == 1 else ravel(given)
        axis = 1 - k if swap and k < 2 else k
        line = line_along(x, len(shape), axis)
        rest = grids(xi, k + 1, shape, swap, sparse, copy)
        if sparse:
            return (ordered(line, "C") if copy else line,) + rest
        elif copy:
            return (ordered(broadcast(line, shape), "C"),) + rest
        else:
            return (broadcast(line, shape),) + rest


@function("numpy.indices")
def indices(dimensions: "shape", dtype=int, sparse=False):
    if sparse:
        return sparse_indices(dimensions, dtype, 0)
    else:
        out = np.empty((len(dimensions),) + dimensions, dtype)
        write_indices(out, dimensions)
        return out


def line_of(n, dtype, ndim, axis):
    return line_along(arange(n, dtype=dtype), ndim, axis)


def sparse_indices(dimensions, dtype, k):
    if k == len(dimensions):
        return ()
    else:
        line = line_of(dimensions[k], dtype, len(dimensions), k)
        return (line,) + sparse_indices(dimensions, dtype, k + 1)


def write_indices(out, dimensions):
    at = 0
    inner = product(dimensions)
    outer = 1
    for n in dimensions:
        inner = inner // max(n, 1)
        for o in range(outer):
            for i in range(n):
                for j in range(inner):
                    set_flat(out, at, i)
                    at += 1
        outer *= n


@function("numpy.ix_")
def ix_(*args: "indices1"):
    return open_mesh(args, 0)


def open_mesh(args, k):
    if k == len(args):
        return ()
    else:
        x = asarray(args[k])
        if x.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        i = nonzero(x)[0] if x.dtype == np.bool_ else x
        line = line_along(i, len(args), k)
        return (line,) + open_mesh(args, k + 1)
