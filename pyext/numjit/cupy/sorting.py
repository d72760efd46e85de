"""Sorting and searching. All sorts are stable: elements become unsigned integers of the same order,
whose radix sort gives the numbers of the elements."""

from __future__ import annotations

import math
import operator

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from .creation import arange, array, asarray, empty, zeros
from .indexing import flatnonzero, launch
from .joining import concatenate
from .kernel_text import cached
from .radix import most_in_block, sorted_rows, sorted_short, sorted_vector
from .scans import cumsum

_KINDS = (None, "stable", "quicksort", "mergesort", "heapsort")


def _sorted_by(order, a):
    """The numbers `order`, sorted by the elements of a vector that they choose."""
    if a.dtype.kind == "c":
        order = _sorted_by(_sorted_by(order, a.imag), a.real)
        bad = (a.real != a.real) | (a.imag != a.imag)
        return _sorted_by(order, bad)
    return sorted_vector(a[order].ravel(), order)


def _numbers(size):
    return arange(size, dtype=np.int32 if size < 1 << 31 else np.int64)


def _columns(rows):
    """For each row of a matrix the columns of its elements in order."""
    count, length = rows.shape
    if rows.dtype.kind != "c" and length <= most_in_block(True):
        return sorted_rows(rows, values=True)
    flat = rows.ravel()
    if rows.dtype.kind == "c":
        order = _sorted_by(_numbers(rows.size), flat)
    else:
        order = sorted_vector(flat, _numbers(rows.size))
    return _by_row(order, count, length).astype(np.int64).reshape(rows.shape)


def _by_row(order, count, length):
    """Of numbers of elements in order, the columns in the order of each row."""
    if count > 1 and length:
        row = (order // length).astype(np.uint32)
        order = sorted_vector(row, order, max(1, (count - 1).bit_length())) % length
    return order


def _sorted(rows):
    """A matrix with sorted rows."""
    count, length = rows.shape
    if rows.dtype.kind != "c" and length <= most_in_block(False):
        return sorted_rows(rows)
    if rows.dtype.kind != "c" and length * 16 >= rows.size:
        if count == 1:
            return sorted_vector(rows.ravel()).reshape(rows.shape)
        found = empty(rows.shape, rows.dtype)
        for i in range(count):
            found[i] = sorted_vector(rows[i])
        return found
    return rows.ravel()[_columns(rows) + arange(count)[:, None] * length]


def _lines(a, axis):
    if not a.ndim:
        raise np.exceptions.AxisError("Cannot sort a 0-d array")
    axis = normalize_axis_index(axis, a.ndim)
    moved = a.swapaxes(axis, -1)
    return axis, moved


def argsort(a, axis=-1, kind=None, order=None, *, stable=None):
    """Indices that sort along an axis."""
    a = asarray(a)
    if kind not in _KINDS:
        raise ValueError(f"sort kind must be one of None and 'stable', not {kind!r}")
    if axis is None:
        a, axis = a.ravel(), -1
    if not a.ndim:
        normalize_axis_index(axis, 1)
        return zeros(1, np.int64)
    axis, moved = _lines(a, axis)
    if not a.size:
        return empty(a.shape, np.int64)
    found = _columns(moved.reshape(-1, moved.shape[-1]))
    return array(found.reshape(moved.shape).swapaxes(axis, -1), order="C", copy=None)


def sort(a, axis=-1, kind=None, order=None, *, stable=None):
    """A sorted copy."""
    a = asarray(a)
    if a.ndim == 1 and axis in (-1, 0, None) and kind in _KINDS:
        found = sorted_short(a)
        if found is not None:
            return found
    if kind not in _KINDS:
        raise ValueError(f"sort kind must be one of None and 'stable', not {kind!r}")
    if axis is None:
        a, axis = a.ravel(), -1
    axis, moved = _lines(a, axis)
    if not a.size:
        return array(a, order="C")
    if a.ndim == 1:
        return _sorted(a.reshape(1, a.size)).reshape(a.size)
    found = _sorted(moved.reshape(-1, moved.shape[-1])).reshape(moved.shape)
    return array(found.swapaxes(axis, -1), order="C", copy=None)


def sort_in_place(a, axis=-1, kind=None, order=None, *, stable=None):
    """Sorts an array."""
    if kind not in _KINDS:
        raise ValueError(f"sort kind must be one of None and 'stable', not {kind!r}")
    axis, moved = _lines(a, axis)
    if a.size:
        rows = moved.reshape(-1, moved.shape[-1])
        a[...] = _sorted(rows).reshape(moved.shape).swapaxes(axis, -1)


def lexsort(keys, axis=-1):
    """Indices that sort by several keys, the last one first."""
    axis = operator.index(axis)
    keys = [asarray(each) for each in keys]
    if not keys or any(each.shape != keys[0].shape for each in keys):
        raise (
            ValueError("all keys need to be the same shape")
            if keys
            else TypeError("need sequence of keys with len > 0 in lexsort")
        )
    if not keys[0].ndim:
        normalize_axis_index(axis, 1)
        return asarray(np.int64(0))
    axis = normalize_axis_index(axis, keys[0].ndim)
    lines = [each.swapaxes(axis, -1) for each in keys]
    shape = lines[0].shape
    order = _numbers(keys[0].size)
    for line in lines:
        order = _sorted_by(order, line.ravel())
    if order.size != shape[-1]:
        order = _by_row(order, math.prod(shape[:-1]), shape[-1])
    return order.astype(np.int64).reshape(shape).swapaxes(axis, -1)


def msort(a):
    """A copy sorted along the first axis."""
    return sort(a, 0)


def sort_complex(a):
    """A sorted copy as complex numbers."""
    found = sort(a)
    if found.dtype.kind == "c":
        return found
    return found.astype(np.complex64 if found.dtype.char in "bhBH" else np.complex128)


def _checked_kth(a, kth, axis):
    n = a.size if axis is None else a.shape[normalize_axis_index(axis, a.ndim)]
    if not a.size:
        return
    for each in kth if hasattr(kth, "__iter__") else (kth,):
        if not -n <= each < n:
            raise ValueError(f"kth(={each}) out of bounds ({n})")


def partition(a, kth, axis=-1, kind="introselect", order=None):
    """A copy in which the kth element is where it would be if all were sorted; here all are."""
    a = asarray(a)
    _checked_kth(a, kth, axis)
    return sort(a, axis)


def partition_in_place(a, kth, axis=-1, kind="introselect", order=None):
    _checked_kth(a, kth, axis)
    sort_in_place(a, axis)


def argpartition(a, kth, axis=-1, kind="introselect", order=None):
    """Indices that partition an array; here they sort it."""
    a = asarray(a)
    _checked_kth(a, kth, axis)
    return argsort(a, axis)


_SEARCH = """\
def kernel(a, v, out, right):
    i = cuda.grid(1)
    step = cuda.gridsize(1)
    while i < v.size:
        wanted = v[i]
        low = 0
        high = a.size
        while low < high:
            middle = (low + high) // 2
            found = a[middle]
            if right:
                after = not ({less_reversed})
            else:
                after = {less}
            if after:
                low = middle + 1
            else:
                high = middle
        out[i] = low
        i += step
"""


def searchsorted(a, v, side="left", sorter=None):
    """Where values would be inserted in a sorted vector."""
    a = asarray(a)
    if a.ndim != 1:
        raise ValueError("object too small/large depth for desired array")
    if side not in ("left", "right"):
        raise ValueError(f"search side must be 'left' or 'right' (got {side!r})")
    if sorter is not None:
        sorter = asarray(sorter)
        if sorter.dtype.kind not in "iu":
            raise TypeError("sorter must only contain integers")
        if sorter.shape != a.shape:
            raise ValueError("sorter.size must equal a.size")
        a = a[sorter]
    scalar = not hasattr(v, "shape") and not isinstance(v, (list, tuple))
    dtype = np.result_type(a.dtype, v if scalar else asarray(v).dtype)
    a, v = a.astype(dtype, copy=False), asarray(v).astype(dtype, copy=False)
    less, back = "found < wanted", "wanted < found"
    if dtype.kind == "f":
        less = "found < wanted or (wanted != wanted and found == found)"
        back = "wanted < found or (found != found and wanted == wanted)"
    if dtype.kind == "c":
        # The order of NumPy, where NaN is the greatest: first by the real parts.
        below = "({0} < {1} or ({0} == {0} and {1} != {1}))"
        alike = "({0} == {1} or ({0} != {0} and {1} != {1}))"
        real, imag = ("{0}.real", "{1}.real"), ("{0}.imag", "{1}.imag")
        one = (
            "({0} == {0} and {1} != {1}) or (({0} == {0}) == ({1} == {1}) and ("
            f"{below.format(*real)} or ({alike.format(*real)} and {below.format(*imag)})))"
        )
        less, back = one.format("found", "wanted"), one.format("wanted", "found")
    out = empty(v.shape, np.int64)
    if out.size:
        kernel = cached(_SEARCH.format(less=less, less_reversed=back))
        line = v.ravel()
        launch(kernel, v.size, a._force(), line._force(), out._force().reshape(-1),
               side == "right")  # fmt: skip
    return out


def digitize(x, bins, right=False):
    """The bin that each value belongs to."""
    x, bins = asarray(x), asarray(bins)
    if x.dtype.kind == "c":
        raise TypeError("x may not be complex")
    if bins.ndim != 1:
        raise ValueError("object of too small depth for desired array")
    ends = bins.get()
    before, behind = ends[:-1], ends[1:]
    other = np.flatnonzero(before != behind)[:1]  # the first step tells; NaN does not rise
    rising = not other.size or bool(before[other] < behind[other])
    if (behind < before if rising else before < behind).any():
        raise ValueError("bins must be monotonically increasing or decreasing")
    side = "left" if right else "right"
    if rising:
        return searchsorted(bins, x, side)
    return len(ends) - searchsorted(bins[::-1], x, side)


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *,
           equal_nan=True, sorted=True):  # fmt: skip
    """The different elements, sorted."""
    ar = asarray(ar)
    if axis is not None:
        return _unique_rows(ar, axis, return_index, return_inverse, return_counts)
    flat = ar.ravel()
    order = _sorted_by(arange(flat.size, dtype=np.int64), flat)
    values = flat[order]
    fresh = empty((flat.size,), bool)
    fresh[:1] = True
    changed = values[1:] != values[:-1]
    if equal_nan and ar.dtype.kind in "fc":
        changed = changed & ~((values[1:] != values[1:]) & (values[:-1] != values[:-1]))
    fresh[1:] = changed
    starts = flatnonzero(fresh)
    return _unique_results(values[starts], starts, fresh, order, ar.shape, return_index,
                           return_inverse, return_counts)  # fmt: skip


def _unique_results(values, starts, fresh, order, shape, index, inverse, counts):
    found = [values]
    if index:
        found.append(order[starts])
    if inverse:
        numbers = empty((order.size,), np.int64)
        numbers[order] = cumsum(fresh) - 1
        found.append(numbers.reshape(shape))
    if counts:
        ends = concatenate([starts[1:], asarray(np.array([order.size]))])
        found.append(ends - starts)
    return found[0] if len(found) == 1 else tuple(found)


def _unique_rows(ar, axis, index, inverse, counts):
    axis = normalize_axis_index(axis, ar.ndim)
    moved = ar.swapaxes(axis, 0) if axis else ar
    rest = moved.shape[1:]
    rows = moved.reshape(moved.shape[0], math.prod(rest))
    order = arange(rows.shape[0], dtype=np.int64)
    for column in reversed(range(rows.shape[1])):
        order = _sorted_by(order, rows[:, column])
    values = rows[order]
    fresh = empty((rows.shape[0],), bool)
    fresh[:1] = True
    fresh[1:] = (values[1:] != values[:-1]).any(axis=1)
    starts = flatnonzero(fresh)
    found = values[starts]
    found = found.reshape((found.shape[0], *rest))
    found = found.swapaxes(axis, 0) if axis else found
    return _unique_results(found, starts, fresh, order, (rows.shape[0],), index, inverse, counts)
