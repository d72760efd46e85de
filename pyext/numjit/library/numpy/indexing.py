"""Masks and arrays of integers as indices, and the functions that index by them.

``typeinfer/rules/advanced_indexing.cpp`` reduces an index to a view, arrays of integers for axes of
the view that lie side by side, and the number of axes in front of those.
"""

import numpy as np

from ..core.array_expressions import store_all
from ..core.intrinsics import (
    broadcast,
    cast,
    check_broadcast,
    contiguous,
    contiguous_alike,
    get_flat,
    is_scalar,
    layout_is,
    on_device,
    on_simulator,
    set_flat,
    set_item,
    shares_memory,
)
from ..core.registry import function


@function("numjit.index_outside", inline=False)
def index_outside(index, n, axis):
    if on_device() and not on_simulator():  # where text is not made
        raise IndexError("index is out of bounds")
    else:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {n}")


def inside(index, n, axis=0):
    """An index as Python means it; IndexError when it is outside."""
    i = cast(index, np.int64)
    if i < 0:
        i += n
    if i < 0 or i >= n:
        index_outside(cast(index, np.int64), n, axis)
    return i


# --- arrays of integers


def items_at(indices, j):
    if len(indices) == 0:
        return ()
    else:
        return (indices[0][j],) + items_at(indices[1:], j)


def insides(indices, shape):
    """Indices, checked already, without negative ones."""
    if len(indices) == 0:
        return ()
    else:
        i = cast(indices[0], np.int64)
        return (i + shape[0] if i < 0 else i,) + insides(indices[1:], shape[1:])


@function("numjit.some_index_outside", inline=False)
def some_index_outside(index, n, axis):
    for i in range(index.shape[0]):
        inside(index[i], n, axis)
    index_outside(0, n, axis)  # never: the compiler sees that nothing comes behind a call


def all_inside(index, n, axis=0):
    """IndexError unless every element is an index for ``n`` items."""
    if index.ndim == 0:
        inside(index[()], n, axis)
    elif index.ndim == 1:
        least = most = np.int64(0)
        for i in range(index.shape[0]):
            k = cast(index[i], np.int64)
            least = min(least, k)
            most = max(most, k)
        if least < -n or most >= n and index.shape[0] > 0:
            some_index_outside(index, n, axis)
    elif layout_is(index, "C"):
        all_inside(contiguous(index, (index.size,)), n, axis)
    else:
        for i in range(index.shape[0]):
            all_inside(index[i], n, axis)


def check_indices(indices, shape, axis=0):
    if len(indices) > 0:
        all_inside(indices[0], shape[0], axis)
        check_indices(indices[1:], shape[1:], axis + 1)


def repeated(indices, shape):
    """Index arrays broadcast together."""
    if len(indices) == 1:
        return indices
    else:
        return each_repeated(indices, shape)


def each_repeated(indices, shape):
    if len(indices) == 0:
        return ()
    else:
        return (broadcast(indices[0], shape),) + each_repeated(indices[1:], shape)


def common_shape(indices):
    """Shape of index arrays broadcast together."""
    if len(indices) == 1:
        return indices[0].shape
    else:
        return joined_shape(indices[0].shape, common_shape(indices[1:]), IndexError)


def joined_shape(s, t, error):
    """Shape that two shapes broadcast to; the class of the exception when they do not."""
    if len(s) > len(t):
        return s[: len(s) - len(t)] + joined_shape(s[len(s) - len(t) :], t, error)
    elif len(s) < len(t):
        return joined_shape(t, s, error)
    elif len(s) == 0:
        return ()
    else:
        if s[0] != t[0] and s[0] != 1 and t[0] != 1:
            raise error("shape mismatch: objects cannot be broadcast to a single shape")
        return (t[0] if s[0] == 1 else s[0],) + joined_shape(s[1:], t[1:], error)


@function("numjit.gather")
def gather(a, indices, lead):
    """``a[:, ..., indices]``: the indices belong to the axes from ``lead`` on."""
    if len(indices) == 1 and indices[0].ndim <= 1 and a.ndim == 1:
        return take_elements(a, indices[0])
    else:
        shape = common_shape(indices)
        last = lead + len(indices)
        check_indices(indices, a.shape[lead:], lead)
        if len(shape) == 0 and a.ndim == last:
            if lead == 0:
                return a[insides(items_at(indices, ()), a.shape)]
        out = np.empty(a.shape[:lead] + shape + a.shape[last:], a.dtype)
        gather_into(out, a, repeated(indices, shape), lead)
        return out


def take_elements(a, index):
    n = a.shape[0]
    if index.ndim == 0:
        return a[inside(index[()], n)]
    else:
        out = np.empty(index.shape[0], a.dtype)
        all_inside(index, n)
        for j in range(index.shape[0]):
            set_flat(out, j, a[cast(index[j], np.int64)])
        return out


def gather_into(out, a, indices, lead):
    if lead > 0:
        for i in range(out.shape[0]):
            if out.ndim == 1:
                set_item(out, i, gather_element(a[i], indices))
            else:
                gather_into(out[i], a[i], indices, lead - 1)
    elif indices[0].ndim == 0:
        store_all(out, a[insides(items_at(indices, ()), a.shape)])
    elif indices[0].ndim == 1:
        for j in range(indices[0].shape[0]):
            at = insides(items_at(indices, j), a.shape)
            if out.ndim == 1:
                set_item(out, j, a[at])
            else:
                store_all(out[j], a[at])
    else:
        for j in range(indices[0].shape[0]):
            gather_into(out[j], a, items_at(indices, j), 0)


def gather_element(a, indices):
    return a[insides(items_at(indices, ()), a.shape)]


@function("numjit.scatter", lazy=True)
def scatter(a, indices, lead, value):
    """``a[:, ..., indices] = value``; nothing is written when an index is outside."""
    shape = common_shape(indices)
    last = lead + len(indices)
    if is_scalar(value):
        check_indices(indices, a.shape[lead:], lead)
        scatter_scalar(a, repeated(apart(indices, a), shape), lead, value)
    else:
        v = fitted(value, a.shape[:lead] + shape + a.shape[last:], a)
        check_indices(indices, a.shape[lead:], lead)
        scatter_array(a, repeated(apart(indices, a), shape), lead, v)


def apart(indices, a):
    """Index arrays that do not change while ``a`` is written."""
    if len(indices) == 0:
        return ()
    else:
        first = indices[0]
        if first.dtype == a.dtype and shares_memory(a, first):
            first = first.copy()
        return (first,) + apart(indices[1:], a)


def without_leading_ones(value, ndim):
    if value.ndim > ndim:
        if value.shape[0] != 1:
            raise ValueError("shape mismatch: the value has too many dimensions")
        return without_leading_ones(value[0], ndim)
    else:
        return value


def fitted(value, shape, a):
    """The value repeated to a shape, in memory that is not that of ``a``."""
    v = without_leading_ones(value, len(shape))
    if is_scalar(v):
        return v
    else:
        check_broadcast(v, shape)
        if shares_memory(a, v):
            return broadcast(v.copy(), shape)
        else:
            return broadcast(v, shape)


def scatter_scalar(a, indices, lead, value):
    if lead > 0:
        for i in range(a.shape[0]):
            scatter_scalar(a[i], indices, lead - 1, value)
    elif indices[0].ndim == 0:
        a[insides(items_at(indices, ()), a.shape)] = value
    elif indices[0].ndim == 1:
        for j in range(indices[0].shape[0]):
            a[insides(items_at(indices, j), a.shape)] = value
    else:
        for j in range(indices[0].shape[0]):
            scatter_scalar(a, items_at(indices, j), 0, value)


def scatter_array(a, indices, lead, value):
    if is_scalar(value):
        scatter_scalar(a, indices, lead, cast(value, a.dtype))
    elif lead > 0:
        for i in range(a.shape[0]):
            scatter_array(a[i], indices, lead - 1, value[i])
    elif indices[0].ndim == 0:
        store_items(a, insides(items_at(indices, ()), a.shape), value)
    elif indices[0].ndim == 1:
        for j in range(indices[0].shape[0]):
            store_items(a, insides(items_at(indices, j), a.shape), value[j])
    else:
        for j in range(indices[0].shape[0]):
            scatter_array(a, items_at(indices, j), 0, value[j])


def store_items(a, at, value):
    """``a[at] = value`` of equal shapes, apart in memory."""
    if is_scalar(value):
        set_item(a, at, value)
    elif value.ndim == 0:
        set_item(a, at, value[()])
    else:
        store_all(a[at], value)


# --- masks


def check_mask(mask, a):
    shape = mask.shape
    for i in range(len(shape)):
        if shape[i] != a.shape[i]:
            raise IndexError("boolean index did not match indexed array: the lengths differ")


def flat_together(a, mask):
    """At compile time: whether element ``i`` of one belongs to element ``i`` of the other."""
    return a.ndim == mask.ndim and contiguous_alike(a, mask) and layout_is(a, "C")


@function("numjit.count_true", lazy=True)
def count_true(mask):
    n = 0
    if contiguous_alike(mask):
        size = 1
        for extent in mask.shape:
            size *= extent
        for i in range(size):
            n += get_flat(mask, i)
    elif mask.ndim == 0:
        n += mask[()]
    elif mask.ndim == 1:
        for i in range(mask.shape[0]):
            n += mask[i]
    else:
        for i in range(mask.shape[0]):
            n += count_true(mask[i])
    return n


@function("numjit.pick", lazy=True)
def pick(a, mask):
    """``a[mask]``."""
    check_mask(mask, a)
    n = count_true(mask)
    if flat_together(a, mask):
        out = np.empty(n + 1, a.dtype)  # no branch: what is not wanted is overwritten by the next
        k = 0
        for i in range(a.size):
            set_flat(out, k, get_flat(a, i))
            k += get_flat(mask, i)
        return contiguous(out, (n,))
    else:
        out = np.empty((n,) + a.shape[mask.ndim :], a.dtype)
        pick_into(out, 0, a, mask)
        return out


def pick_into(out, k, a, mask):
    if mask.ndim == 1:
        for i in range(mask.shape[0]):
            if mask[i]:
                if out.ndim == 1:
                    set_item(out, k, a[i])
                else:
                    store_all(out[k], a[i])
                k += 1
    else:
        for i in range(mask.shape[0]):
            k = pick_into(out, k, a[i], mask[i])
    return k


@function("numjit.put_masked")
def put_masked(a, mask, value):
    """``a[mask] = value``."""
    check_mask(mask, a)
    if a.ndim == mask.ndim and not is_scalar(value) and value.ndim > 1:
        raise TypeError("boolean array indexing assignment requires a 0 or 1-dimensional input")
    if a.dtype == mask.dtype and shares_memory(a, mask):
        mask = mask.copy()
    if is_scalar(value):
        fill_masked(a, mask, value)
    else:
        v = fitted(value, (count_true(mask),) + a.shape[mask.ndim :], a)
        if is_scalar(v):
            fill_masked(a, mask, cast(v, a.dtype))
        else:
            store_masked(a, mask, v, 0)


def fill_masked(a, mask, value):
    if flat_together(a, mask):
        for i in range(a.size):
            if get_flat(mask, i):
                set_flat(a, i, value)
    elif mask.ndim == 1:
        for i in range(mask.shape[0]):
            if mask[i]:
                a[i] = value
    else:
        for i in range(mask.shape[0]):
            fill_masked(a[i], mask[i], value)


def store_masked(a, mask, value, k):
    if flat_together(a, mask):
        for i in range(a.size):
            if get_flat(mask, i):
                set_flat(a, i, value[k])
                k += 1
    elif mask.ndim == 1:
        for i in range(mask.shape[0]):
            if mask[i]:
                store_items(a, (i,), value[k])
                k += 1
    else:
        for i in range(mask.shape[0]):
            k = store_masked(a[i], mask[i], value, k)
    return k


@function("numjit.flag_positions")
def flag_positions(flag):
    """What a single bool picks of the axis of length one that it adds."""
    return np.zeros(1 if flag else 0, np.int64)


@function("numjit.mask_positions")
def mask_positions(mask, lengths):
    """Positions of the true elements, an array for each axis."""
    if mask.ndim == 0:
        return (flag_positions(mask[()]),)
    else:
        for i in range(mask.ndim):
            if mask.shape[i] != lengths[i]:
                raise IndexError("boolean index did not match indexed array: the lengths differ")
        return nonzero(mask)


# --- positions of elements


def count_nonzero(a):
    n = 0
    if contiguous_alike(a):
        for i in range(a.size):
            n += bool(get_flat(a, i))
    elif a.ndim == 1:
        for i in range(a.shape[0]):
            n += bool(a[i])
    else:
        for i in range(a.shape[0]):
            n += count_nonzero(a[i])
    return n


def index_arrays(count, n):
    if count == 0:
        return ()
    else:
        return (np.empty(n, np.int64),) + index_arrays(count - 1, n)


def put_index(arrays, k, index):
    if len(arrays) > 0:
        set_flat(arrays[0], k, index[0])
        put_index(arrays[1:], k, index[1:])


def shortened(arrays, n):
    if len(arrays) == 0:
        return ()
    else:
        return (contiguous(arrays[0], (n,)),) + shortened(arrays[1:], n)


def write_positions(arrays, k, a, prefix):
    for i in range(a.shape[0]):
        if a.ndim == 1:
            put_index(arrays, k, prefix + (i,))
            k += bool(a[i])
        else:
            k = write_positions(arrays, k, a[i], prefix + (i,))
    return k


@function("numpy.nonzero")
@function("Array.nonzero")
def nonzero(a):
    if not isinstance(a, np.ndarray):
        return nonzero(np.asarray(a))
    if a.ndim == 0:
        raise ValueError(
            "Calling nonzero on 0d arrays is not allowed. "
            "Use np.atleast_1d(scalar).nonzero() instead."
        )
    n = count_nonzero(a)
    arrays = index_arrays(a.ndim, n + 1)  # one more: written before it is known to count
    write_positions(arrays, 0, a, ())
    return shortened(arrays, n)


@function("numpy.argwhere")
def argwhere(a):
    if not isinstance(a, np.ndarray):
        return argwhere(np.asarray(a))
    n = count_nonzero(a) if a.ndim > 0 else int(bool(a[()]))
    out = np.empty((a.ndim, n), np.int64).T  # as NumPy, which transposes nonzero()
    if a.ndim > 0:
        write_rows(out, 0, a, ())
    return out


def write_rows(out, k, a, prefix):
    for i in range(a.shape[0]):
        if a.ndim > 1:
            k = write_rows(out, k, a[i], prefix + (i,))
        elif bool(a[i]):
            row = prefix + (i,)
            for axis in range(len(row)):
                out[k, axis] = row[axis]
            k += 1
    return k


@function("numpy.flatnonzero")
def flatnonzero(a):
    return nonzero(np.ravel(a))[0]
