"""Functions about dtypes and memory, and what is easily made of others."""

from __future__ import annotations

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from .creation import array, asarray, empty, has_device_array, of_protocol, zeros
from .indexing import flatnonzero, take
from .joining import concatenate
from .manipulation import where
from .ndarrays import ndarray
from .picking import store_flat
from .sorting import argsort, searchsorted


def _stand_in(value):
    """A dtype for an array; scalars stay."""
    return value.dtype if isinstance(value, ndarray) else value


def result_type(*arrays_and_dtypes):
    """The dtype of a result of all of these."""
    return np.result_type(*map(_stand_in, arrays_and_dtypes))


def can_cast(from_, to, casting="safe"):
    """Whether elements can be cast."""
    return np.can_cast(_stand_in(from_), to, casting)


def min_scalar_type(a):
    """The least dtype that holds a number; of arrays their own."""
    a = of_protocol(a)
    if isinstance(a, ndarray):
        return a.dtype
    if isinstance(a, (list, tuple)) and has_device_array(a):
        return asarray(a).dtype
    return np.min_scalar_type(a)


def may_share_memory(a, b, max_work=None):
    """Whether the memory of two arrays may overlap."""
    if a._force() is None or b._force() is None or a._buffer.root is not b._buffer.root:
        return False
    (begin, size), (other, more) = a._node.array._extent(), b._node.array._extent()
    return bool(a.size and b.size and begin < other + more and other < begin + size)


def shares_memory(a, b, max_work=None):
    """Whether two arrays have a byte in common."""
    if not may_share_memory(a, b):
        return False
    return np.shares_memory(a._force()._shadow(), b._force()._shadow(), max_work)


def putmask(a, mask, values):
    """Stores values where a mask is true."""
    if type(values) in (bool, int, float, complex):
        values = np.array(values, np.result_type(a.dtype, values))
    values = asarray(values)
    if not np.can_cast(values.dtype, a.dtype):
        raise TypeError(f"Cannot cast array data from {values.dtype!r} to {a.dtype!r} according to "
                        "the rule 'safe'")  # fmt: skip
    values = values.astype(a.dtype, copy=False)
    if values.shape not in ((), a.shape):
        values = take(values.ravel(), array(np.arange(a.size) % values.size)).reshape(a.shape)
    a[...] = where(mask, values, a)


def place(arr, mask, vals):
    """Stores values at the places where a mask is true, one after the other."""
    mask = asarray(mask)
    if mask.size != arr.size:
        raise ValueError("place: mask and data must be the same size")
    at = flatnonzero(mask)
    if at.size:
        if not np.size(vals):
            raise ValueError("Cannot insert from an empty array!")
        store_flat(arr, at, vals)


def extract(condition, a):
    """The elements where a condition holds."""
    return take(asarray(a).ravel(), flatnonzero(condition))


def _bytes_of_bits(a, axis, bitorder):
    """The order of bits in a byte, the array with the axis of the bits last, and the axis."""
    if bitorder not in ("big", "little"):
        raise ValueError("'order' must be either 'little' or 'big'")
    bits = np.arange(8, dtype=np.uint8)
    if axis is None:
        a, axis = a.ravel(), 0
    axis = normalize_axis_index(axis, a.ndim)
    return bits[::-1].copy() if bitorder == "big" else bits, a.swapaxes(axis, -1), axis


def packbits(a, axis=None, bitorder="big"):
    """Bits as bytes."""
    a = asarray(a)
    if a.dtype.kind not in "biu":
        raise TypeError("Expected an input array of integer or boolean data type")
    bits, a, axis = _bytes_of_bits(a, axis, bitorder)
    size = (a.shape[-1] + 7) // 8
    whole = zeros((*a.shape[:-1], size * 8), np.uint8)
    whole[..., : a.shape[-1]] = a != 0
    parts = whole.reshape(*a.shape[:-1], size, 8) * asarray(np.uint8(1) << bits)
    return parts.sum(axis=-1, dtype=np.uint8).swapaxes(axis, -1)


def unpackbits(a, axis=None, count=None, bitorder="big"):
    """Bytes as bits."""
    a = asarray(a)
    if bitorder in ("big", "little") and a.dtype != np.uint8:
        raise TypeError("Expected an input array of unsigned byte data type")
    bits, a, axis = _bytes_of_bits(a, axis, bitorder)
    found = (a[..., None] >> asarray(bits)) & np.uint8(1)
    found = found.reshape(*a.shape[:-1], a.shape[-1] * 8)
    if count is not None and count > found.shape[-1]:
        padded = empty((*found.shape[:-1], count), np.uint8)
        padded[...] = 0
        padded[..., : found.shape[-1]] = found
        found = padded
    elif count is not None:
        found = found[..., :count]
    return found.swapaxes(axis, -1)


def interp(x, xp, fp, left=None, right=None, period=None):
    """Linear interpolation between points."""
    x, xp, fp = (asarray(each) for each in (x, xp, fp))
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError("xp and fp must be 1-D sequences")
    if xp.size != fp.size:
        raise ValueError("fp and xp are not of the same length.")
    dtype = np.result_type(fp.dtype, np.float64)
    if dtype.kind == "c":
        return _interp_of_parts(x, xp, fp, left, right, period)
    x, xp, fp = x.astype(float), xp.astype(float), fp.astype(dtype)
    if period is not None:
        x, xp = x % period, xp % period
        order = argsort(xp)
        xp, fp = xp[order], fp[order]
        xp = concatenate([xp[-1:] - period, xp, xp[:1] + period])
        fp = concatenate([fp[-1:], fp, fp[:1]])
    at = searchsorted(xp, x, side="right").clip(1, max(xp.size - 1, 1))
    low, high = xp[at - 1], xp[at]
    below, above = fp[at - 1], fp[at]
    slope = (above - below) / (high - low)
    found = slope * (x - low) + below
    # From the other side where that is not finite, as in NumPy.
    found = where(found != found, slope * (x - high) + above, found)
    found = where((found != found) & (below == above), below, found)
    found = where(x == low, below, where(x == high, above, found))
    if period is None:
        found = where(x < xp[0], fp[0] if left is None else left, found)
        found = where(x > xp[-1], fp[-1] if right is None else right, found)
    return where(x != x, x, found)


def _interp_of_parts(x, xp, fp, left, right, period):
    """Of complex numbers, each part by itself."""
    found = empty(x.shape, complex)
    for part in ("real", "imag"):
        ends = (None if each is None else getattr(asarray(each), part) for each in (left, right))
        getattr(found, part)[...] = interp(x, xp, getattr(fp, part), *ends, period)
    return where(x != x, x, found)
