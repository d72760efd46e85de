"""Functions that join, split, repeat, insert into and delete from arrays."""

import numpy as np

from ..core.array_expressions import store, store_all
from ..core.axes import (
    as_array,
    as_tuple,
    check_integer_items,
    check_same_kind,
    check_shape,
    in_c_order,
    inner_size,
    inserted,
    moved_last,
    outer_size,
    replaced,
)
from ..core.intrinsics import (
    broadcast,
    check_broadcast,
    contiguous,
    copy_items,
    get_flat,
    is_constant,
    is_scalar,
    layout_is,
    promote,
    refuse,
    set_flat,
    strided,
)
from ..core.registry import function
from .indexing import inside, nonzero
from .manipulation import (
    all_fortran,
    at_least_1d,
    at_least_2d,
    at_least_3d,
    each_transposed,
    with_new_axis,
)
from .methods import is_axis, normal_axis, product, ravel
from .picking import check_integers, take

# --- joining


def check_alike(a, first, axis):
    if a.ndim != first.ndim:
        raise ValueError("all the input array dimensions must match: they differ in their number")
    for k in range(a.ndim):
        if k != axis and a.shape[k] != first.shape[k]:
            raise ValueError("all the input array dimensions except for the axis must match")


def put_part(out, start, a, axis):
    """Store ``a`` to the part of ``out`` that begins at ``start`` of an axis."""
    if layout_is(a, "C") and layout_is(out, "C") and a.dtype == out.dtype:
        inner = inner_size(a.shape, axis)
        outer = outer_size(a.shape, axis)
        row, out_row = a.shape[axis] * inner, out.shape[axis] * inner
        if row > 16 or outer == 1:
            for o in range(outer):
                copy_items(out, start * inner + o * out_row, a, o * row, row)
        else:
            put_narrow(out, start * inner, out_row, a, row, outer)
    else:
        store_all(part_view(out, start, axis, a.shape[axis]), a)


@function("numjit.put_narrow", inline=False)
def put_narrow(out, at, out_row, a, row, outer):
    """As put_part, for many rows of a few elements: the long loop inside."""
    for j in range(row):
        for o in range(outer):
            set_flat(out, at + o * out_row + j, get_flat(a, o * row + j))


def part_view(a, start, axis, n):
    """``n`` items of an axis from ``start`` on, which exist."""
    if a.ndim == 1:
        return a[start : start + n]
    else:
        return strided(a, start * a.strides[axis], replaced(a.shape, axis, n), a.strides)


def joined_dtype(arrays, out, dtype, casting="same_kind"):
    if dtype is None:
        result = promote(arrays) if out is None else out.dtype
    else:
        if out is not None:
            refuse("concatenate() only takes `out` or `dtype` as an argument, but both were given")
        result = promote(dtype)
    if casting == "same_kind":
        check_same_kind(arrays, result)
    elif casting != "unsafe":
        refuse("arrays are joined with casting='same_kind' or 'unsafe' in compiled code")
    return result


def join(arrays, axis, prepare, out, dtype, casting="same_kind"):
    if out is None and isinstance(arrays, tuple) and all_fortran(arrays):
        first = prepare(arrays[0])
        if first.ndim == arrays[0].ndim:  # the result lies in memory as they do
            last = first.ndim - 1 - normal_axis(axis, first.ndim)
            return join(each_transposed(arrays), last, as_array, None, dtype, casting).T
    kind = joined_dtype(arrays, out, dtype, casting)
    first = prepare(arrays[0])
    if first.ndim == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    ax = normal_axis(axis, first.ndim)
    n = 0
    for x in arrays:
        a = prepare(x)
        check_alike(a, first, ax)
        n += a.shape[ax]
    shape = replaced(first.shape, ax, n)
    target = target_of(out, shape, kind)
    start = 0
    for x in arrays:
        a = prepare(x)
        put_part(target, start, a, ax)
        start += a.shape[ax]
    return target


def target_of(out, shape, dtype):
    if out is None:
        return np.empty(shape, dtype)
    else:
        check_shape(out, shape)
        return out


def check_any(arrays):
    if isinstance(arrays, (tuple, list)):
        if len(arrays) == 0:
            raise ValueError("need at least one array to concatenate")


@function("numpy.concatenate")
@function("numpy.concat")
def concatenate(arrays: "arrays", /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    check_any(arrays)
    if axis is None:
        return join(arrays, 0, flat_array, out, dtype, casting)
    else:
        return join(arrays, axis, as_array, out, dtype, casting)


def flat_array(x):
    return ravel(np.asarray(x))


@function("numpy.stack")
def stack(arrays: "arrays", axis=0, out=None, *, dtype=None, casting="same_kind"):
    if len(arrays) == 0:
        raise ValueError("need at least one array to stack")
    kind = joined_dtype(arrays, out, dtype, casting)
    first = np.asarray(arrays[0])
    ax = normal_axis(axis, first.ndim + 1)
    n = 0
    for x in arrays:
        a = np.asarray(x)
        if a.shape != first.shape:
            raise ValueError("all input arrays must have the same shape")
        n += 1
    shape = inserted(first.shape, ax, n)
    target = target_of(out, shape, kind)
    start = 0
    for x in arrays:
        put_part(target, start, with_new_axis(np.asarray(x), ax), ax)
        start += 1
    return target


@function("numpy.vstack")
def vstack(tup: "arrays", *, dtype=None, casting="same_kind"):
    check_any(tup)
    return join(tup, 0, at_least_2d, None, dtype, casting)


@function("numpy.hstack")
def hstack(tup: "arrays", *, dtype=None, casting="same_kind"):
    check_any(tup)
    return join(tup, 0 if np.ndim(tup[0]) <= 1 else 1, at_least_1d, None, dtype, casting)


@function("numpy.dstack")
def dstack(tup: "arrays"):
    check_any(tup)
    return join(tup, 2, at_least_3d, None, None)


@function("numpy.column_stack")
def column_stack(tup: "arrays"):
    check_any(tup)
    return join(tup, 1, as_columns, None, None)


def as_columns(x):
    a = np.asarray(x)
    if a.ndim < 2:
        return at_least_2d(a).T
    else:
        return a


@function("numpy.append")
def append(arr, values: "array", axis=None):
    if axis is None:
        return join((arr, values), 0, flat_array, None, None)
    else:
        return join((arr, values), axis, as_array, None, None)


# --- repeating


@function("numpy.repeat")
@function("Array.repeat")
def repeat(a, repeats: "size", axis=None):
    x = np.asarray(a)
    if axis is None:
        return repeated_items(x, x.size, 1, 1, (x.size,), 0, repeats)
    else:
        ax = normal_axis(axis, x.ndim)
        outer, inner = outer_size(x.shape, ax), inner_size(x.shape, ax)
        return repeated_items(x, x.shape[ax], outer, inner, x.shape, ax, repeats)


def repeated_items(a, n, outer, inner, shape, axis, repeats):
    source = in_c_order(a)
    if is_scalar(repeats):
        if repeats < 0:
            raise ValueError("repeats may not contain negative values.")
        out = np.empty(replaced(shape, axis, n * repeats), a.dtype)
        k = 0
        for i in range(outer * n):
            for r in range(repeats):
                for j in range(inner):
                    set_flat(out, k + j, get_flat(source, i * inner + j))
                k += inner
        return out
    else:
        counts = np.asarray(repeats)
        step = 0 if counts.size == 1 else 1
        if counts.ndim > 1 or (step == 1 and counts.size != n):
            raise ValueError("operands could not be broadcast together")
        total = 0
        for i in range(n):
            c = get_flat(counts, i * step)
            if c < 0:
                raise ValueError("repeats may not contain negative values.")
            total += c
        out = np.empty(replaced(shape, axis, total), a.dtype)
        k = 0
        for o in range(outer):
            for i in range(n):
                for r in range(get_flat(counts, i * step)):
                    for j in range(inner):
                        set_flat(out, k + j, get_flat(source, (o * n + i) * inner + j))
                    k += inner
        return out


def ones(count):
    return (1,) * count


def products(s, t):
    if len(s) == 0:
        return ()
    else:
        return (s[0] * t[0],) + products(s[1:], t[1:])


@function("numpy.tile")
def tile(A, reps: "shape"):
    a = np.asarray(A)
    counts = as_tuple(reps)
    if len(counts) < a.ndim:
        return tiled(a, ones(a.ndim - len(counts)) + counts)
    elif len(counts) > a.ndim:
        return tiled(contiguous(in_c_order(a), ones(len(counts) - a.ndim) + a.shape), counts)
    else:
        return tiled(a, counts)


def tiled(a, counts):
    for c in counts:
        if c < 0:
            raise ValueError("negative dimensions are not allowed")
    out = np.empty(products(a.shape, counts), a.dtype)
    if out.size > 0:
        tile_into(out, a)
    return out


def tile_into(out, a):
    """The first tile of each axis is made of what is behind it, the others are copies."""
    if out.ndim == 0:
        out[()] = a[()]
    else:
        n = a.shape[0]
        if out.ndim == 1:
            store(out[:n], a)
        else:
            for i in range(n):
                tile_into(out[i], a[i])
        block = n * product(out.shape[1:])
        done = block
        while done < out.size:  # twice as much each time
            step = min(done, out.size - done)
            copy_items(out, done, out, 0, step)
            done += step


@function("numpy.resize")
def resize(a, new_shape: "shape"):
    shape = as_tuple(new_shape)
    source = in_c_order(np.asarray(a))
    for extent in shape:
        if extent < 0:
            raise ValueError("all elements of `new_shape` must be non-negative")
    if source.size == 0:
        return np.zeros(shape, source.dtype)
    out = np.empty(shape, source.dtype)
    done = 0
    while done < out.size:
        step = min(source.size, out.size - done)
        copy_items(out, done, source, 0, step)
        done += step
    return out


# --- splitting


def part_of(a, start, stop, axis):
    """``a[..., start:stop, ...]`` with Python's meaning of the bounds."""
    n = a.shape[axis]
    first = min(max(start + n, 0) if start < 0 else start, n)
    last = min(max(stop + n, 0) if stop < 0 else stop, n)
    shape = replaced(a.shape, axis, max(last - first, 0))
    return strided(a, first * a.strides[axis], shape, a.strides)


def split_at(a, indices, axis):
    parts = []
    start = 0
    for stop in indices:
        parts.append(part_of(a, start, stop, axis))
        start = stop
    parts.append(part_of(a, start, a.shape[axis], axis))
    return parts


def split_evenly(a, sections, axis):
    n = a.shape[axis]
    size, extra = n // sections, n % sections
    parts = []
    start = 0
    for i in range(sections):
        stop = start + size + (1 if i < extra else 0)
        parts.append(part_of(a, start, stop, axis))
        start = stop
    return parts


def split_axis(a, axis):
    if not is_axis(axis, a.ndim):
        raise IndexError("tuple index out of range")
    return normal_axis(axis, a.ndim)


@function("numpy.array_split")
def array_split(ary: "array", indices_or_sections: "size", axis=0):
    if not isinstance(ary, np.ndarray):
        return array_split(np.asarray(ary), indices_or_sections, axis)
    ax = split_axis(ary, axis)
    if is_scalar(indices_or_sections):
        if indices_or_sections <= 0:
            raise ValueError("number sections must be larger than 0.")
        return split_evenly(ary, indices_or_sections, ax)
    else:
        return split_at(ary, indices_or_sections, ax)


@function("numpy.split")
def split(ary: "array", indices_or_sections: "size", axis=0):
    if not isinstance(ary, np.ndarray):
        return split(np.asarray(ary), indices_or_sections, axis)
    elif is_scalar(indices_or_sections):
        ax = split_axis(ary, axis)
        if ary.shape[ax] % indices_or_sections != 0:
            raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


@function("numpy.hsplit")
def hsplit(ary: "array", indices_or_sections: "size"):
    if ary.ndim == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(ary, indices_or_sections, 1 if ary.ndim > 1 else 0)


@function("numpy.vsplit")
def vsplit(ary: "array2", indices_or_sections: "size"):
    if ary.ndim < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


@function("numpy.dsplit")
def dsplit(ary: "array", indices_or_sections: "size"):
    if ary.ndim < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)


# --- inserting and deleting


@function("numpy.delete")
def delete(arr: "array", obj: "int", axis=None):
    if axis is None:
        return delete(ravel(arr), obj, 0)
    else:
        ax = normal_axis(axis, arr.ndim)
        n = arr.shape[ax]
        if is_scalar(obj):
            check_integers(obj)
            return without_range(arr, inside(obj, n), 1, ax)
        else:
            keep = np.ones(n, np.bool_)
            if isinstance(obj, slice):
                keep[obj] = False
            else:
                keep[np.asarray(obj)] = False
            return take(arr, nonzero(keep)[0], ax)


def without_range(a, start, count, axis):
    n = a.shape[axis]
    rest = n - start - count
    out = np.empty(replaced(a.shape, axis, n - count), a.dtype)
    store_all(part_view(out, 0, axis, start), part_view(a, 0, axis, start))
    store_all(part_view(out, start, axis, rest), part_view(a, start + count, axis, rest))
    return out


@function("numpy.insert")
def insert(arr: "array", obj: "int", values: "scalar", axis=None):
    if axis is None:
        return insert(ravel(np.asarray(arr)), obj, values, 0)
    else:
        ax = normal_axis(axis, arr.ndim)
        n = arr.shape[ax]
        v = np.asarray(values)
        if is_scalar(obj):
            at = obj + n if obj < 0 else obj
            if at < 0 or at > n:
                raise IndexError("index is out of bounds for the axis")
            if v.ndim == 0 or v.ndim < arr.ndim:
                # A value without the axis is one item of it; in front there may be axes missing.
                if arr.ndim == 1 or v.ndim == 0:
                    return inserted_block(arr, at, 1, v, ax)
                else:
                    return inserted_block(arr, at, 1, item_of_axis(v, arr, ax), ax)
            elif is_constant(ax):
                # For a scalar obj NumPy takes the first axis of the values for the inserted one.
                if ax == 0:
                    return inserted_block(arr, at, v.shape[0], v, ax)
                else:
                    return inserted_block(arr, at, v.shape[0], np.moveaxis(v, 0, ax), ax)
            else:
                return inserted_block(arr, at, v.shape[0], np.moveaxis(v, 0, ax), ax)
        else:
            where = insert_positions(obj, n)
            if v.ndim == arr.ndim and where.size == 1:  # one place for all of the values
                return inserted_block(arr, where[0], v.shape[ax], v, ax)
            out_n = n + where.size
            order = np.argsort(where, kind="stable")
            new = np.empty(where.size, np.int64)
            old = np.ones(out_n, np.bool_)
            for k in range(where.size):
                new[order[k]] = where[order[k]] + k
                old[where[order[k]] + k] = False
            out = np.empty(replaced(arr.shape, ax, out_n), arr.dtype)
            whole = moved_last(out, ax)
            whole[..., nonzero(old)[0]] = moved_last(arr, ax)
            part = replaced(arr.shape, ax, where.size)
            check_broadcast(v, part)
            whole[..., new] = moved_last(broadcast(v, part), ax)
            return out


def item_of_axis(v, a, axis):
    """The value with the axis that it lacks, which has one item."""
    if v.ndim == a.ndim - 1:
        return with_new_axis(v, axis)
    else:
        return v


def insert_positions(obj, n):
    if isinstance(obj, slice):
        return np.arange(n)[obj]
    else:
        check_integer_items(obj, "obj")
        given = np.asarray(obj)
        at = nonzero(given)[0] if given.dtype == np.bool_ else given.astype(np.int64)
        for k in range(at.size):
            if at[k] < -n or at[k] > n:
                raise IndexError("index is out of bounds for the axis")
            if at[k] < 0:
                at[k] += n
        return at


def inserted_block(a, at, count, v, axis):
    n = a.shape[axis]
    out = np.empty(replaced(a.shape, axis, n + count), a.dtype)
    store_all(part_view(out, 0, axis, at), part_view(a, 0, axis, at))
    store_all(part_view(out, at + count, axis, n - at), part_view(a, at, axis, n - at))
    target = part_view(out, at, axis, count)
    check_broadcast(v, target.shape)
    target[...] = v
    return out
