"""Functions that pick elements of arrays by index, mask or choice, and put others there."""

import numpy as np

from ..core.array_expressions import evaluate
from ..core.axes import (
    as_tuple,
    check_integer,
    check_real,
    check_safe,
    check_shape,
    in_c_order,
    inner_size,
    inserted,
    moved_last,
    outer_size,
    rank,
    replaced,
    without,
)
from ..core.intrinsics import (
    assign,
    broadcast,
    cast,
    check_broadcast,
    contiguous,
    get_flat,
    is_constant,
    is_scalar,
    layout_is,
    promote,
    refuse,
    set_flat,
    set_item,
    shares_memory,
    strided,
)
from ..core.registry import function
from .indexing import (
    all_inside,
    count_true,
    gather,
    inside,
    items_at,
    joined_shape,
    nonzero,
    take_elements,
)
from .manipulation import broadcast_each, shapes_of
from .methods import at_least_one, index_of, normal_axis, product, ravel

# --- picking


def positioned(indices, n, mode):
    """Indices as they are for mode "raise", else moved into the array."""
    if mode == "raise":
        return indices
    elif is_scalar(indices):
        return moved_inside(indices, n, mode)
    else:
        out = np.empty(indices.shape, np.int64)
        flat = in_c_order(indices)
        for i in range(out.size):
            set_flat(out, i, moved_inside(get_flat(flat, i), n, mode))
        return out


def moved_inside(index, n, mode):
    i = cast(index, np.int64)
    if mode == "wrap":
        if n == 0:
            raise IndexError("cannot do a non-empty take from an empty axes.")
        return i % n
    else:
        return max(min(i, n - 1), 0)


def check_integers(indices):
    dtype = promote(indices)
    if dtype == np.uint64 or rank(dtype) > 2:
        refuse("indices must be integers: cannot cast them to int64 by the rule 'safe'")


@function("numpy.take")
@function("Array.take")
def take(a, indices: "indices1", axis=None, out=None, mode="raise"):
    x = at_least_one(np.asarray(a))
    if out is None:
        return taken(x, as_indices(indices), axis, mode)
    else:
        check_shape(out, taken_shape(x, np.shape(indices), axis))
        assign(out, taken(x, as_indices(indices), axis, mode))
        return out


def taken_shape(a, shape, axis):
    if axis is None:
        return shape
    else:
        ax = normal_axis(axis, a.ndim)
        return a.shape[:ax] + shape + a.shape[ax + 1 :]


def as_indices(indices):
    check_integers(indices)
    if is_scalar(indices):
        return indices
    else:
        return np.asarray(indices)


def taken(a, indices, axis, mode):
    if axis is None:
        return taken_flat(ravel(a), indices, mode)
    else:
        ax = normal_axis(axis, a.ndim)
        at = positioned(indices, a.shape[ax], mode)
        if is_scalar(at):
            return taken_one(a, at, ax)
        elif is_constant(ax):
            return gather(a, (at,), ax)
        else:
            source = in_c_order(a)
            outer, inner = outer_size(a.shape, ax), inner_size(a.shape, ax)
            blocks = contiguous(source, (outer, a.shape[ax], inner))
            if at.ndim != 1:
                refuse(
                    "take() with an axis known at run time only needs one-dimensional indices",
                    "write the axis as a number",
                )
            return contiguous(gather(blocks, (at,), 1), replaced(a.shape, ax, at.shape[0]))


def taken_one(a, i, axis):
    at = inside(i, a.shape[axis])
    if a.ndim == 1:
        return a[at]
    else:
        view = strided(a, at * a.strides[axis], without(a.shape, axis), without(a.strides, axis))
        return evaluate(view)


def taken_flat(a, indices, mode):
    at = positioned(indices, a.size, mode)
    if is_scalar(at):
        return a[inside(at, a.size)]
    elif at.ndim == 1:
        return take_elements(a, at)
    else:
        flat = take_elements(a, ravel(at))
        return contiguous(flat, at.shape)


@function("numpy.compress")
def compress(condition: "bools", a, axis=None, out=None):
    at = nonzero(np.asarray(condition))[0]
    return take(a, at, axis, out)


@function("Array.compress")
def compress_method(self, condition, axis=None, out=None):
    return compress(condition, self, axis, out)


@function("numpy.extract")
def extract(condition: "bools", arr):
    return take_elements(ravel(np.asarray(arr)), np.flatnonzero(np.asarray(condition)))


@function("numpy.put")
def put(a, ind: "indices1", v: "scalar", mode="raise"):
    check_integers(ind)
    check_real(v, a)
    at = positioned(np.asarray(ind), a.size, mode)
    values = np.asarray(v)
    if values.size > 0:
        flat = ravel(at)
        items = in_c_order(values)
        if not is_scalar(v) and shares_memory(a, items):
            items = items.copy()
        all_inside(flat, a.size)
        k = 0
        for j in range(flat.size):
            i = inside(flat[j], a.size)
            x = cast(get_flat(items, k), a.dtype)
            if layout_is(a, "C"):
                set_flat(a, i, x)
            else:
                set_item(a, index_of(i, a.shape), x)
            k += 1
            if k == items.size:
                k = 0


@function("Array.put")
def put_method(self, indices, values, mode="raise"):
    put(self, indices, values, mode)


def check_stored(values, into):
    """Numbers, and lists of them, are converted one by one."""
    if isinstance(values, np.ndarray):
        check_safe(values, into)
    else:
        check_real(values, into)


@function("numpy.place")
def place(arr, mask: "bools", vals: "array1"):
    check_stored(vals, arr)
    if mask.size != arr.size:
        raise ValueError("place: mask and data must be the same size")
    n = count_true(mask)
    values = ravel(np.asarray(vals))
    if n > 0:
        if values.size == 0:
            raise ValueError("Cannot insert from an empty array!")
        put(arr, np.flatnonzero(mask), values)


@function("numpy.putmask")
def putmask(a, /, mask: "bools", values: "array1"):
    check_stored(values, a)
    v = ravel(np.asarray(values))
    m = ravel(mask)
    if m.size != a.size:
        raise ValueError("putmask: mask and data must be the same size")
    if v.size > 0:
        for i in range(m.size):
            if m[i]:
                a[index_of(i, a.shape)] = cast(v[i % v.size], a.dtype)


def along(out, a, indices):
    """``out[..., j] = a[..., indices[..., j]]``, shapes broadcast in front of the last axis."""
    if out.ndim == 1:
        n = a.shape[0]
        for j in range(out.shape[0]):
            set_item(out, j, a[inside(indices[j], n)])
    else:
        for i in range(out.shape[0]):
            along(out[i], a[i], indices[i])


def put_along(a, indices, values):
    if a.ndim == 1:
        n = a.shape[0]
        for j in range(indices.shape[0]):
            a[inside(indices[j], n)] = cast(values[j], a.dtype)
    else:
        for i in range(a.shape[0]):
            put_along(a[i], indices[i], values[i])


def check_along(a, indices):
    if promote(indices).kind != "i" and promote(indices).kind != "u":
        raise IndexError("`indices` must be an integer array")
    if a.ndim != indices.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")


@function("numpy.take_along_axis")
def take_along_axis(arr: "array", indices, axis=-1):
    if axis is None:
        return take_along_axis(ravel(arr), indices, 0)
    else:
        check_along(arr, indices)
        ax = normal_axis(axis, arr.ndim)
        front = joined_shape(without(arr.shape, ax), without(indices.shape, ax), IndexError)
        out = np.empty(inserted(front, ax, indices.shape[ax]), arr.dtype)
        along(
            moved_last(out, ax),
            broadcast(moved_last(arr, ax), front + (arr.shape[ax],)),
            broadcast(moved_last(indices, ax), front + (indices.shape[ax],)),
        )
        return out


@function("numpy.put_along_axis")
def put_along_axis(arr: "array", indices, values, axis):
    if axis is None:
        put_along_axis(arr.reshape(-1), indices, values, 0)
    else:
        check_along(arr, indices)
        check_real(values, arr)
        ax = normal_axis(axis, arr.ndim)
        front = joined_shape(without(arr.shape, ax), without(indices.shape, ax), IndexError)
        shape = front + (indices.shape[ax],)
        v = np.asarray(values)
        check_broadcast(v, inserted(front, ax, indices.shape[ax]))
        repeated = broadcast(v, inserted(front, ax, indices.shape[ax]))
        put_along(
            moved_last(arr, ax),
            broadcast(moved_last(indices, ax), shape),
            moved_last(repeated, ax),
        )


# --- positions in flat order


def check_position(i, size):
    if i < 0 or i >= size:
        raise ValueError("index is out of bounds for array with this size")


@function("numpy.unravel_index")
def unravel_index(indices: "indices1", shape: "shape", order="C"):
    sizes = as_tuple(shape)
    total = product(sizes)
    if is_scalar(indices):
        check_integer(indices, "indices")
        i = cast(indices, np.int64)
        check_position(i, total)
        return index_of(i, sizes) if order == "C" else index_of(i, sizes[::-1])[::-1]
    else:
        flat = in_c_order(np.asarray(indices))
        for j in range(flat.size):
            check_position(cast(get_flat(flat, j), np.int64), total)
        return unravelled(flat, sizes, 1, order)


def unravelled(flat, sizes, done, order):
    """Index arrays for the axes that are left; ``done`` elements lie inside of them for "F"."""
    if len(sizes) == 0:
        return ()
    else:
        step = product(sizes[1:]) if order == "C" else done
        out = np.empty(flat.shape, np.int64)
        for j in range(flat.size):
            set_flat(out, j, cast(get_flat(flat, j), np.int64) // step % sizes[0])
        return (out,) + unravelled(flat, sizes[1:], done * sizes[0], order)


@function("numpy.ravel_multi_index")
def ravel_multi_index(multi_index: "skip", dims: "skip", mode="raise", order="C"):
    sizes = as_tuple(dims)
    if order == "F":
        return ravel_multi_index(multi_index[::-1], sizes[::-1], mode, "C")
    elif is_scalar(multi_index[0]):
        return flat_number(multi_index, sizes, mode)
    else:
        shape = shapes_of(multi_index)
        out = np.empty(shape, np.int64)
        arrays = broadcast_each(multi_index, shape)
        for j in range(out.size):
            set_flat(out, j, flat_number(items_at(arrays, index_of(j, shape)), sizes, mode))
        return out


def flat_number(index, sizes, mode):
    n = 0
    for axis in range(len(sizes)):
        check_integer(index[axis], "multi_index")
        if mode == "raise":
            i = cast(index[axis], np.int64)
            if i < 0 or i >= sizes[axis]:
                raise ValueError("invalid entry in coordinates array")
        else:
            i = moved_inside(index[axis], sizes[axis], mode)
        n = n * sizes[axis] + i
    return n
