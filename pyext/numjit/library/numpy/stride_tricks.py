"""Views of an array's memory by shape and strides, and of other memory as arrays."""

import numpy as np

from ..core.axes import replaced
from ..core.intrinsics import (
    bytes_memory,
    contiguous,
    layout_is,
    memory_bytes,
    refuse,
    reinterpret,
    shares_memory,
    strided,
)
from ..core.registry import function
from .creation import asarray
from .methods import flatten, normal_axes


def as_shape(x):
    if isinstance(x, tuple):
        return x
    else:
        return (x,)


@function("numpy.lib.stride_tricks.as_strided")
def as_strided(
    x: "array", shape: "skip" = None, strides: "skip" = None, subok=False, writeable: "skip" = True
):
    """No bounds are checked, as in NumPy: shape and strides that reach outside of the array's
    memory crash or read what is there.
    """
    a = asarray(x)
    return strided(
        a,
        0,
        a.shape if shape is None else as_shape(shape),
        a.strides if strides is None else as_shape(strides),
    )


def lessened(shape, axes, window):
    """The shape with each axis shortened by its windows."""
    if len(axes) == 0:
        return shape
    else:
        k, n = axes[0], window[0]
        if shape[k] < n:
            raise ValueError("window shape cannot be larger than input array shape")
        return lessened(replaced(shape, k, shape[k] - n + 1), axes[1:], window[1:])


@function("numpy.may_share_memory")
def may_share_memory(a: "array", b: "array", /, max_work=0):
    """Whether the addresses of both lie in ranges that meet: enough to say that they share none."""
    x, y = asarray(a), asarray(b)
    return x.size > 0 and y.size > 0 and shares_memory(x, y)


def addresses(a):
    """Of all items, sorted."""
    start, found = np.int64(a.ctypes.data), np.empty(a.size, np.int64)
    i = 0
    for index in np.ndindex(a.shape):
        at = start
        for k in range(a.ndim):
            at += index[k] * a.strides[k]
        found[i] = at
        i += 1
    found.sort()
    return found


@function("numpy.shares_memory", inline=False)
def shares_items(a: "array", b: "array", /, max_work=-1):
    """Whether an item of one has a byte of an item of the other. NumPy solves a Diophantine
    equation; here all addresses of one are looked up among those of the other."""
    x, y = asarray(a), asarray(b)
    if not may_share_memory(x, y):
        return False
    if (x.flags.c_contiguous or x.flags.f_contiguous) and (
        y.flags.c_contiguous or y.flags.f_contiguous
    ):
        return True
    starts, others = addresses(x), addresses(y)
    places = np.searchsorted(others, starts - y.itemsize, "right")
    for i in range(len(starts)):
        if places[i] < len(others) and others[places[i]] < starts[i] + x.itemsize:
            return True
    return False


def strides_at(strides, axes):
    if len(axes) == 0:
        return ()
    else:
        return (strides[axes[0]],) + strides_at(strides, axes[1:])


def windows(a, window, axes):
    for n in window:
        if n < 0:
            raise ValueError("`window_shape` cannot contain negative values")
    if len(axes) != len(window):
        raise ValueError(
            "Must provide matching length window_shape and axis: without an axis the window has "
            "an extent for each dimension"
        )
    else:
        shape = lessened(a.shape, axes, window) + window
        return strided(a, 0, shape, a.strides + strides_at(a.strides, axes))


@function("numpy.lib.stride_tricks.sliding_window_view")
def sliding_window_view(
    x: "array", window_shape: "size", axis: "skip" = None, *, subok=False, writeable: "skip" = False
):
    """Writeable, as Numba's is."""
    a = asarray(x)
    if axis is None:
        return windows(a, as_shape(window_shape), all_axes(a.ndim))
    else:
        return windows(a, as_shape(window_shape), normal_axes(as_shape(axis), a.ndim))


def all_axes(ndim):
    if ndim == 0:
        return ()
    else:
        return all_axes(ndim - 1) + (ndim - 1,)


# -- memory ----------------------------------------------------------------------------------------


def memory_of(buffer):
    """The bytes of a buffer as an array."""
    if isinstance(buffer, (bytes, bytearray)):
        return bytes_memory(buffer)
    elif isinstance(buffer, np.ndarray) and layout_is(buffer, "C"):
        return reinterpret(contiguous(buffer, (buffer.size,)), np.uint8)
    else:
        refuse("np.frombuffer() needs bytes, a bytearray or a C-contiguous array")


@function("numpy.frombuffer")
def frombuffer(buffer: "array", dtype: "skip" = None, count: "skip" = -1, offset: "skip" = 0):
    if dtype is None:
        return frombuffer(buffer, np.float64, count, offset)
    memory = memory_of(buffer)
    size = np.dtype(dtype).itemsize
    if offset < 0 or offset > memory.size:
        raise ValueError("offset must be non-negative and no greater than buffer length")
    rest = memory.size - offset
    if count < 0:
        if rest % size != 0:
            raise ValueError("buffer size must be a multiple of element size")
        return reinterpret(memory[offset:], dtype)
    else:
        if rest < count * size:
            raise ValueError("buffer is smaller than requested size")
        return reinterpret(memory[offset : offset + count * size], dtype)


@function("Array.tobytes")
def tobytes(self, order="C"):
    return memory_bytes(reinterpret(flatten(self, order), np.uint8))
