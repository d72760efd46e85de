"""Arrays from functions, iterators, blocks and bits."""

import numpy as np

from ..core.axes import as_array, as_tuple, replaced
from ..core.intrinsics import is_scalar, promote, refuse
from ..core.registry import function
from .cumulative import axis_last
from .meshes import indices
from .methods import normal_axis, ravel

# -- functions and iterators -----------------------------------------------------------------------


def grids_of(a, count, k):
    if k == count:
        return ()
    else:
        return (a[k],) + grids_of(a, count, k + 1)


@function("numpy.fromfunction")
def fromfunction(function, shape, *, dtype=float):
    """Calls the function once, with arrays of indices, as NumPy."""
    places = as_tuple(shape)
    return function(*grids_of(indices(places, dtype), len(places), 0))


@function("numpy.fromiter")
def fromiter(iter: "numbers", dtype, count: "skip" = -1):
    """Reads all items into a list first. ValueError if there are fewer than count."""
    items = list(iter)
    if count > len(items):
        raise ValueError("iterator too short")
    n = len(items) if count < 0 else count
    out = np.empty(n, dtype)
    for i in range(n):
        out[i] = items[i]
    return out


@function("numpy.mask_indices")
def mask_indices(n, mask_func, k=0):
    return np.nonzero(mask_func(np.ones((n, n), np.int64), k) != 0)


# -- blocks ----------------------------------------------------------------------------------------


def depth_of(blocks):
    return 1 + depth_of(blocks[0]) if isinstance(blocks, tuple) else 0


def most_dimensions(blocks):
    if not isinstance(blocks, tuple):
        return as_array(blocks).ndim
    elif len(blocks) == 1:
        return most_dimensions(blocks[0])
    else:
        return larger(most_dimensions(blocks[0]), most_dimensions(blocks[1:]))


def larger(a, b):
    return a if a > b else b


def joined(blocks, depth, ndim):
    """Blocks that are ``depth`` tuples deep, next to each other along the last ``depth`` axes."""
    if depth == 0:
        if isinstance(blocks, tuple):
            return refuse("np.block: the lists are not equally deep")
        else:
            a = as_array(blocks)
            return a[(*((None,) * (ndim - a.ndim)), ...)]
    elif not isinstance(blocks, tuple):
        return refuse("np.block: the lists are not equally deep")
    else:
        return np.concatenate(each_joined(blocks, depth - 1, ndim), -depth)


def each_joined(blocks, depth, ndim):
    if len(blocks) == 0:
        return ()
    else:
        return (joined(blocks[0], depth, ndim),) + each_joined(blocks[1:], depth, ndim)


@function("numpy.block")
def block(arrays):
    """How the blocks are nested must be known when it is compiled, as in lists in the call."""
    if isinstance(arrays, list):
        return refuse(
            "np.block: how many blocks there are must be in the program",
            "write the lists in the call: np.block([[a, b], [c, d]])",
        )
    elif not isinstance(arrays, tuple):
        return as_array(arrays).copy()
    else:
        depth = depth_of(arrays)
        return joined(arrays, depth, larger(depth, most_dimensions(arrays)))


# -- bits ------------------------------------------------------------------------------------------


def check_order(bitorder):
    if bitorder != "big" and bitorder != "little":
        raise ValueError("'order' must be either 'little' or 'big'")


def place_of(i, bitorder):
    return i % 8 if bitorder == "little" else 7 - i % 8


def pack(out, a, bitorder):
    """Along the last axis."""
    if a.ndim > 1:
        for i in range(a.shape[0]):
            pack(out[i], a[i], bitorder)
    else:
        for i in range(a.shape[0]):
            if a[i] != 0:
                out[i // 8] = np.uint8(out[i // 8] | 1 << place_of(i, bitorder))


def unpack(out, a, bitorder):
    if a.ndim > 1:
        for i in range(a.shape[0]):
            unpack(out[i], a[i], bitorder)
    else:
        for i in range(min(out.shape[0], a.shape[0] * 8)):
            out[i] = np.uint8(a[i // 8] >> place_of(i, bitorder) & 1)


@function("numpy.packbits")
def packbits(a: "bits", /, axis=None, bitorder: "bit order" = "big"):
    """Bit by bit. TypeError for elements that are not integers or bools, ValueError for another
    order than big and little.
    """
    check_order(bitorder)
    if not isinstance(a, np.ndarray):
        return packbits(as_array(a), axis, bitorder)
    elif a.dtype.kind not in "biu":
        raise TypeError("Expected an input array of integer or boolean data type")
    elif axis is None:
        return packbits(ravel(a), 0, bitorder)
    else:
        along = normal_axis(axis, a.ndim)
        out = np.zeros(replaced(a.shape, along, (a.shape[along] + 7) // 8), np.uint8)
        pack(axis_last(out, along), axis_last(a, along), bitorder)
        return out


@function("numpy.unpackbits")
def unpackbits(a: "bytes", /, axis=None, count: "skip" = None, bitorder: "bit order" = "big"):
    check_order(bitorder)
    if not isinstance(a, np.ndarray):
        return unpackbits(as_array(a), axis, count, bitorder)
    elif a.dtype != np.uint8:
        raise TypeError("Expected an input array of unsigned byte data type")
    elif axis is None:
        return unpackbits(ravel(a), 0, count, bitorder)
    else:
        along = normal_axis(axis, a.ndim)
        every = a.shape[along] * 8
        n = every if count is None else (count if count >= 0 else every + count)
        if n < 0:
            raise ValueError("-count larger than number of elements")
        out = np.zeros(replaced(a.shape, along, n), np.uint8)
        unpack(axis_last(out, along), axis_last(a, along), bitorder)
        return out


# -- the rest --------------------------------------------------------------------------------------


@function("numpy.iterable")
def iterable(y):
    if isinstance(y, np.ndarray):
        return y.ndim > 0
    else:
        return not is_scalar(y)


@function("numpy.sort_complex")
def sort_complex(a):
    x = as_array(a)
    kind = promote(x)
    if kind.kind == "c":
        return np.sort(x)
    else:
        small = kind.kind in "iu" and kind.itemsize < 4
        return np.sort(x.astype(np.complex64 if small else np.complex128))


@function("numpy.histogram_bin_edges")
def histogram_bin_edges(a: "real", bins=10, range: "interval" = None, weights: "skip" = None):
    return np.histogram(a, bins, range)[1]
