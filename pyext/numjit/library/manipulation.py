"""Functions that join, split, move, repeat and pick parts of arrays."""

import numpy as np

from .array_expressions import evaluate, store, store_all
from .indexing import (
    all_inside,
    count_true,
    gather,
    inside,
    joined_shape,
    nonzero,
    take_elements,
)
from .intrinsics import (
    as_readonly,
    assign,
    broadcast,
    cast,
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
    set_item,
    shares_memory,
    strided,
)
from .methods import (
    at_least_one,
    index_of,
    is_axis,
    normal_axes,
    normal_axis,
    permuted,
    product,
    ravel,
)
from .registry import function

# --- axes. They may be known at run time only; tuples are indexed by constants then


def as_tuple(x):
    return x if isinstance(x, tuple) else (x,)


def replaced(items, axis, n, k=0):
    """The tuple with another item at ``axis``."""
    if k == len(items):
        return ()
    else:
        return (n if k == axis else items[k],) + replaced(items, axis, n, k + 1)


def without(items, axis, k=0):
    """The tuple without the item at ``axis``."""
    if k >= len(items) - 1:
        return ()
    else:
        return (items[k] if k < axis else items[k + 1],) + without(items, axis, k + 1)


def inserted(items, axis, n):
    """The tuple with one more item, at ``axis``."""
    return inserted_from(items + (n,), (n,) + items, axis, n, 0)


def inserted_from(before, behind, axis, n, k):
    if k == len(before):
        return ()
    else:
        item = before[k] if k < axis else (n if k == axis else behind[k])
        return (item,) + inserted_from(before, behind, axis, n, k + 1)


def outer_size(shape, axis):
    """Number of elements of the axes in front of ``axis``."""
    n = 1
    for k in range(len(shape)):
        if k < axis:
            n *= shape[k]
    return n


def inner_size(shape, axis):
    """Number of elements of the axes behind ``axis``."""
    n = 1
    for k in range(len(shape)):
        if k > axis:
            n *= shape[k]
    return n


def in_c_order(a):
    if layout_is(a, "C"):
        return a
    else:
        out = np.empty(a.shape, a.dtype)
        store(out, a)
        return out


def as_array(x):
    return np.asarray(x)


def rank(dtype):
    """Kinds of dtypes in order: each converts to the later ones by the rule 'same_kind'."""
    if dtype.kind == "b":
        return 0
    elif dtype.kind == "u":
        return 1
    elif dtype.kind == "i":
        return 2
    elif dtype.kind == "f":
        return 3
    else:
        return 4


def check_same_kind(source, target):
    """At compile time: arrays of one dtype may be stored to arrays of the other."""
    if promote(source) != promote(target) and rank(promote(source)) > rank(promote(target)):
        refuse(
            "Cannot cast array data to this dtype according to the rule 'same_kind'",
            "convert it with astype()",
        )


def check_safe(source, target):
    """At compile time: every value of one dtype is one of the other."""
    if promote(source, target) != promote(target):
        refuse(
            "Cannot cast array data to this dtype according to the rule 'safe'",
            "convert it with astype()",
        )


def check_real(source, target):
    """At compile time: complex numbers go to complex arrays only."""
    if promote(source).kind == "c" and promote(target).kind != "c":
        refuse("cannot convert complex numbers to real ones", "take .real or abs()")


def moved_last(a, axis):
    """The view with ``axis`` behind the others."""
    if is_constant(axis):
        if axis == a.ndim - 1:
            return a
        else:
            return with_axis_last(a, axis)
    else:
        return with_axis_last(a, axis)


def with_axis_last(a, axis):
    return strided(
        a,
        0,
        without(a.shape, axis) + (a.shape[axis],),
        without(a.strides, axis) + (a.strides[axis],),
    )


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


def joined_dtype(arrays, out, dtype):
    if dtype is None:
        result = promote(arrays) if out is None else out.dtype
    else:
        if out is not None:
            refuse("concatenate() only takes `out` or `dtype` as an argument, but both were given")
        result = promote(dtype)
    check_same_kind(arrays, result)
    return result


def join(arrays, axis, prepare, out, dtype):
    kind = joined_dtype(arrays, out, dtype)
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
    if out is None:
        target = np.empty(shape, kind)
    else:
        check_shape(out, shape)
        target = out
    start = 0
    for x in arrays:
        a = prepare(x)
        put_part(target, start, a, ax)
        start += a.shape[ax]
    return target


def check_shape(out, shape):
    if out.ndim != len(shape):
        raise ValueError("Output array is the wrong shape")
    for k in range(len(shape)):
        if out.shape[k] != shape[k]:
            raise ValueError("Output array is the wrong shape")


def check_any(arrays):
    if isinstance(arrays, (tuple, list)):
        if len(arrays) == 0:
            raise ValueError("need at least one array to concatenate")


@function("numpy.concatenate")
@function("numpy.concat")
def concatenate(arrays: "arrays", /, axis=0, out=None, *, dtype=None):
    check_any(arrays)
    if axis is None:
        return join(arrays, 0, flat_array, out, dtype)
    else:
        return join(arrays, axis, as_array, out, dtype)


def flat_array(x):
    return ravel(np.asarray(x))


@function("numpy.stack")
def stack(arrays: "arrays", axis=0, out=None, *, dtype=None):
    if len(arrays) == 0:
        raise ValueError("need at least one array to stack")
    kind = joined_dtype(arrays, out, dtype)
    first = np.asarray(arrays[0])
    ax = normal_axis(axis, first.ndim + 1)
    n = 0
    for x in arrays:
        a = np.asarray(x)
        if a.shape != first.shape:
            raise ValueError("all input arrays must have the same shape")
        n += 1
    shape = inserted(first.shape, ax, n)
    if out is None:
        target = np.empty(shape, kind)
    else:
        check_shape(out, shape)
        target = out
    start = 0
    for x in arrays:
        put_part(target, start, with_new_axis(np.asarray(x), ax), ax)
        start += 1
    return target


@function("numpy.vstack")
def vstack(tup: "arrays", *, dtype=None):
    check_any(tup)
    return join(tup, 0, at_least_2d, None, dtype)


@function("numpy.hstack")
def hstack(tup: "arrays", *, dtype=None):
    check_any(tup)
    return join(tup, 0 if np.ndim(tup[0]) <= 1 else 1, at_least_1d, None, dtype)


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


# --- dimensions


def at_least_1d(x):
    a = np.asarray(x)
    if a.ndim == 0:
        return a[None]
    else:
        return a


def at_least_2d(x):
    a = np.asarray(x)
    if a.ndim == 0:
        return a[None, None]
    elif a.ndim == 1:
        return a[None, :]
    else:
        return a


def at_least_3d(x):
    a = np.asarray(x)
    if a.ndim == 0:
        return a[None, None, None]
    elif a.ndim == 1:
        return a[None, :, None]
    elif a.ndim == 2:
        return a[:, :, None]
    else:
        return a


def of_each(arrays, prepare):
    if len(arrays) == 0:
        return ()
    else:
        return (prepare(arrays[0]),) + of_each(arrays[1:], prepare)


@function("numpy.atleast_1d")
def atleast_1d(*arys: "arrays"):
    return at_least_1d(arys[0]) if len(arys) == 1 else of_each(arys, at_least_1d)


@function("numpy.atleast_2d")
def atleast_2d(*arys: "arrays"):
    return at_least_2d(arys[0]) if len(arys) == 1 else of_each(arys, at_least_2d)


@function("numpy.atleast_3d")
def atleast_3d(*arys: "arrays"):
    return at_least_3d(arys[0]) if len(arys) == 1 else of_each(arys, at_least_3d)


def with_new_axis(a, axis):
    if layout_is(a, "C"):
        return contiguous(a, inserted(a.shape, axis, 1))
    else:
        return strided(a, 0, inserted(a.shape, axis, 1), inserted(a.strides, axis, 0))


@function("numpy.expand_dims")
def expand_dims(a, axis: "axis"):
    x = np.asarray(a)
    if isinstance(axis, tuple):
        axes = normal_axes(axis, x.ndim + len(axis))
        for k in range(len(axes)):
            if axes.count(axes[k]) > 1:
                raise ValueError("repeated axis")
        return with_new_axes(x, axes, 0)
    else:
        return with_new_axis(x, normal_axis(axis, x.ndim + 1))


def with_new_axes(a, axes, k):
    """New axes in ascending order."""
    if len(axes) == 0:
        return a
    elif holds(axes, k):
        return with_new_axes(with_new_axis(a, k), dropped(axes, k), k + 1)
    else:
        return with_new_axes(a, axes, k + 1)


def holds(items, x):
    if len(items) == 0:
        return False
    elif items[0] == x:
        return True
    else:
        return holds(items[1:], x)


def dropped(items, x):
    if len(items) == 0:
        return ()
    elif items[0] == x:
        return items[1:]
    else:
        return (items[0],) + dropped(items[1:], x)


@function("numpy.squeeze")
@function("Array.squeeze")
def squeeze(a, axis=None):
    if axis is None:
        refuse(
            "squeeze() without axis: the number of dimensions of its result depends on the shape",
            "name the axes: np.squeeze(a, axis=0)",
        )
    else:
        return squeezed(a, normal_axes(as_tuple(axis), a.ndim))


def squeezed(a, axes):
    if len(axes) == 0:
        return a
    else:
        axis = axes[0]
        if a.shape[axis] != 1:
            raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
        return squeezed(without_axis(a, axis), behind_removed(axes[1:], axis))


def without_axis(a, axis):
    if layout_is(a, "C"):
        return contiguous(a, without(a.shape, axis))
    else:
        return strided(a, 0, without(a.shape, axis), without(a.strides, axis))


def behind_removed(axes, axis):
    if len(axes) == 0:
        return ()
    else:
        return (axes[0] - 1 if axes[0] > axis else axes[0],) + behind_removed(axes[1:], axis)


@function("numpy.swapaxes")
@function("Array.swapaxes")
def swapaxes(a, axis1: "axis", axis2: "axis"):
    i, j = normal_axis(axis1, a.ndim), normal_axis(axis2, a.ndim)
    if is_constant(i) and is_constant(j):
        if i == j:
            return a
        elif a.ndim == 2:
            return a.T
        else:
            return swapped(a, i, j)
    else:
        return swapped(a, i, j)


def swapped(a, i, j):
    shape = replaced(replaced(a.shape, i, a.shape[j]), j, a.shape[i])
    strides = replaced(replaced(a.strides, i, a.strides[j]), j, a.strides[i])
    return strided(a, 0, shape, strides)


@function("numpy.moveaxis")
def moveaxis(a, source: "axis", destination: "axis"):
    sources = normal_axes(as_tuple(source), a.ndim)
    targets = normal_axes(as_tuple(destination), a.ndim)
    if len(sources) != len(targets):
        raise ValueError("`source` and `destination` arguments must have the same number")
    for k in range(len(sources)):
        if sources.count(sources[k]) > 1 or targets.count(targets[k]) > 1:
            raise ValueError("repeated axis")
    if len(sources) == 1:
        s, t = sources[0], targets[0]
        return strided(
            a,
            0,
            inserted(without(a.shape, s), t, a.shape[s]),
            inserted(without(a.strides, s), t, a.strides[s]),
        )
    elif is_constant(sources[0]) and is_constant(targets[0]):
        return permuted(a, order_with(sources, targets, others(sources, a.ndim, 0), 0))
    else:
        return permuted(a, found_order(sources, targets, a.ndim))


def found_order(sources, targets, ndim):
    """order_with for axes that are known at run time."""
    order = np.full(ndim, -1)
    for k in range(len(sources)):
        order[targets[k]] = sources[k]
    k = 0
    for axis in range(ndim):
        if not holds(sources, axis):
            while order[k] >= 0:
                k += 1
            order[k] = axis
    return items_from(order, 0, (0,) * ndim)


def items_from(a, k, like):
    if len(like) == k:
        return ()
    else:
        return (a[k],) + items_from(a, k + 1, like)


def others(axes, ndim, k):
    if k == ndim:
        return ()
    elif holds(axes, k):
        return others(axes, ndim, k + 1)
    else:
        return (k,) + others(axes, ndim, k + 1)


def order_with(sources, targets, rest, k):
    """For each axis of the result the one that it comes from."""
    if len(rest) == 0 and not holds(targets, k):
        return ()
    elif holds(targets, k):
        return (sources[targets.index(k)],) + order_with(sources, targets, rest, k + 1)
    else:
        return (rest[0],) + order_with(sources, targets, rest[1:], k + 1)


@function("numpy.rollaxis")
def rollaxis(a, axis: "axis", start: "skip" = 0):
    ax = normal_axis(axis, a.ndim)
    begin = start + a.ndim if start < 0 else start
    if begin < 0 or begin > a.ndim:
        raise np.exceptions.AxisError("start is out of bounds")
    return moveaxis(a, ax, begin - 1 if ax < begin else begin)


@function("numpy.matrix_transpose")
@function("numpy.linalg.matrix_transpose")
def matrix_transpose(x):
    if np.ndim(x) < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {np.ndim(x)}")
    return swapaxes(x, -1, -2)


# --- order of elements


@function("numpy.flip")
def flip(m: "array", axis: "axes" = None):
    if not isinstance(m, np.ndarray):
        return flip(np.asarray(m), axis)
    elif axis is None:
        return flipped(m, m.ndim)
    elif isinstance(axis, tuple):
        return flipped_axes(m, normal_axes(axis, m.ndim))
    else:
        return flipped_axis(m, normal_axis(axis, m.ndim))


def flipped(a, count):
    """The first ``count`` axes backwards."""
    if count == 0:
        return a[...]
    else:
        return flipped(flipped_axis(a, count - 1), count - 1)


def flipped_axes(a, axes):
    if len(axes) == 0:
        return a
    else:
        return flipped_axes(flipped_axis(a, axes[0]), axes[1:])


def flipped_axis(a, axis):
    stride = a.strides[axis]
    last = max(a.shape[axis] - 1, 0)
    return strided(a, last * stride, a.shape, replaced(a.strides, axis, -stride))


@function("numpy.flipud")
def flipud(m: "array"):
    a = np.asarray(m)
    if a.ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return a[::-1]


@function("numpy.fliplr")
def fliplr(m: "array2"):
    a = np.asarray(m)
    if a.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return a[:, ::-1]


@function("numpy.rot90")
def rot90(m: "array2", k: "int" = 1, axes: "skip" = (0, 1)):
    if not isinstance(m, np.ndarray):
        return rot90(np.asarray(m), k, axes)
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    i, j = normal_axis(axes[0], m.ndim), normal_axis(axes[1], m.ndim)
    if i == j:
        raise ValueError("Axes must be different.")
    turns = k % 4
    if turns == 0:
        return strided(m, 0, m.shape, m.strides)
    elif turns == 1:
        return swapped(flipped_axis(m, j), i, j)
    elif turns == 2:
        return flipped_axis(flipped_axis(m, i), j)
    else:
        return flipped_axis(swapped(m, i, j), j)


@function("numpy.roll")
def roll(a, shift: "int", axis=None):
    if not isinstance(a, np.ndarray):
        return roll(np.asarray(a), shift, axis)
    elif axis is None:
        if isinstance(shift, tuple):
            return rolled_flat(a, sum_of(shift))
        else:
            return rolled_flat(a, shift)
    elif isinstance(axis, tuple) or isinstance(shift, tuple):
        shifts, axes = as_tuple(shift), as_tuple(axis)
        if len(shifts) == 1:
            return rolled_axes(a, shifts * len(axes), axes)
        elif len(axes) == 1:
            return rolled_axes(a, shifts, axes * len(shifts))
        else:
            if len(shifts) != len(axes):
                raise ValueError("shape mismatch: shift and axis could not be broadcast together")
            return rolled_axes(a, shifts, axes)
    else:
        return rolled(a, shift, normal_axis(axis, a.ndim))


def sum_of(items):
    n = 0
    for x in items:
        n += x
    return n


def rolled_flat(a, shift):
    source = in_c_order(a)
    out = np.empty(a.shape, a.dtype)
    n = a.size
    if n > 0:
        k = shift % n
        copy_items(out, k, source, 0, n - k)
        copy_items(out, 0, source, n - k, k)
    return out


def rolled(a, shift, axis):
    source = in_c_order(a)
    out = np.empty(a.shape, a.dtype)
    n = a.shape[axis]
    if a.size > 0:
        inner = inner_size(a.shape, axis)
        row = n * inner
        k = (shift % n) * inner
        for o in range(outer_size(a.shape, axis)):
            copy_items(out, o * row + k, source, o * row, row - k)
            copy_items(out, o * row, source, o * row + row - k, k)
    return out


def rolled_axes(a, shifts, axes):
    if len(axes) == 0:
        return a
    else:
        return rolled_axes(rolled(a, shifts[0], normal_axis(axes[0], a.ndim)), shifts[1:], axes[1:])


@function("numpy.trim_zeros")
def trim_zeros(filt: "array1", trim: "skip" = "fb"):
    first, last = 0, len(filt)
    if "f" in trim or "F" in trim:
        while first < last and filt[first] == 0:
            first += 1
    if "b" in trim or "B" in trim:
        while last > first and filt[last - 1] == 0:
            last -= 1
    return filt[first:last]


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
def compress_method(self, condition, axis=None):
    return compress(condition, self, axis)


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


@function("numpy.place")
def place(arr, mask: "bools", vals: "array1"):
    check_safe(vals, arr)
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
    if is_scalar(values):
        check_real(values, a)
    else:
        check_safe(values, a)
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
                    return inserted_block(arr, at, v.shape[0], moveaxis(v, 0, ax), ax)
            else:
                return inserted_block(arr, at, v.shape[0], moveaxis(v, 0, ax), ax)
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


# --- choosing


@function("numpy.select")
def select(condlist: "skip", choicelist: "skip", default=0):
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if len(condlist) == 0:
        raise ValueError("select with an empty condition list is not possible")
    if isinstance(condlist, tuple) and isinstance(choicelist, tuple):
        return selected(condlist, choicelist, default)
    else:
        shape = joined_shape(np.shape(condlist[0]), np.shape(choicelist[0]), ValueError)
        out = np.full(shape, default, promote(choicelist, default))
        for k in range(len(condlist) - 1, -1, -1):  # the first that holds wins
            copyto(out, choicelist[k], where=condlist[k])
        return out


def selected(conditions, choices, default):
    """One expression: a condition inside of the other."""
    if len(conditions) == 0:
        return default
    else:
        rest = selected(conditions[1:], choices[1:], default)
        return np.where(conditions[0], choices[0], rest)


@function("numpy.choose")
def choose(a: "skip", choices: "skip", out=None, mode="raise"):
    check_integers(a)
    x = np.asarray(a)
    shape = x.shape
    if isinstance(choices, tuple):
        shape = joined_shape(x.shape, shapes_of(choices), ValueError)
    result = np.empty(shape, promote(choices))
    at = broadcast(positioned(x, len(choices), mode), shape)
    for i in range(result.size):
        index = index_of(i, shape)
        k = cast(at[index], np.int64)
        if k < 0 or k >= len(choices):
            raise ValueError("invalid entry in choice array")
        choose_item(result, i, choices, k, index, shape)
    if out is None:
        return result
    else:
        assign(out, result)
        return out


def choose_item(out, i, choices, k, index, shape):
    if not isinstance(choices, tuple):
        set_flat(out, i, item_or_scalar(choices[k], index, shape))
    elif len(choices) == 1:
        set_flat(out, i, item_or_scalar(choices[0], index, shape))
    elif k == 0:
        set_flat(out, i, item_or_scalar(choices[0], index, shape))
    else:
        choose_item(out, i, choices[1:], k - 1, index, shape)


def item_or_scalar(choice, index, shape):
    if is_scalar(choice):
        return choice
    else:
        return broadcast(choice, shape)[index]


# --- broadcasting


@function("numpy.broadcast_to")
def broadcast_to(array, shape: "shape"):
    a = np.asarray(array)
    full = as_tuple(shape)
    for extent in full:
        if extent < 0:
            raise ValueError("all elements of broadcast shape must be non-negative")
    if a.ndim > len(full):
        raise ValueError("input operand has more dimensions than allowed by the axis remapping")
    check_broadcast(a, full)
    return as_readonly(broadcast(a, full))


@function("numpy.broadcast_shapes")
def broadcast_shapes(*args):
    if len(args) == 0:
        return ()
    else:
        shape = as_tuple(args[0])
        for n in shape:
            if n < 0:
                raise ValueError("negative dimensions are not allowed")
        return joined_shape(shape, broadcast_shapes(*args[1:]), ValueError)


def shapes_of(arrays):
    if len(arrays) == 0:
        return ()
    else:
        return joined_shape(np.asarray(arrays[0]).shape, shapes_of(arrays[1:]), ValueError)


@function("numjit.nditer_operands")
def nditer_operands(op):
    """The arrays over which np.nditer() goes, so that C order is the order in memory."""
    if isinstance(op, tuple):
        views = views_of_shape(op, shapes_of(op))
        return each_transposed(views) if all_fortran(op) else views
    else:
        a = np.asarray(op)
        return a.T if all_fortran((a,)) else a


def views_of_shape(arrays, shape):
    if len(arrays) == 0:
        return ()
    else:
        return (broadcast(np.asarray(arrays[0]), shape),) + views_of_shape(arrays[1:], shape)


def each_transposed(arrays):
    if len(arrays) == 0:
        return ()
    else:
        return (arrays[0].T,) + each_transposed(arrays[1:])


def all_fortran(arrays):
    """Whether they are known to lie in memory column by column."""
    if len(arrays) == 0:
        return True
    elif isinstance(arrays[0], np.ndarray):
        flags = arrays[0].flags
        return flags.f_contiguous and not flags.c_contiguous and all_fortran(arrays[1:])
    else:
        return False


def broadcast_each(arrays, shape):
    if len(arrays) == 0:
        return ()
    else:
        a = np.asarray(arrays[0])
        return (broadcast(a, shape),) + broadcast_each(arrays[1:], shape)


@function("numpy.broadcast_arrays")
def broadcast_arrays(*args: "arrays"):
    return broadcast_each(args, shapes_of(args))


@function("numpy.clip", lazy=True)
def clip(a, a_min=None, a_max=None, out=None, *, min=None, max=None):
    low = min if a_min is None else a_min
    high = max if a_max is None else a_max
    if out is None:
        return clipped(a, low, high)
    else:
        assign(out, clipped(a, low, high))
        return out


@function("Array.clip", lazy=True)
def clip_method(self, min=None, max=None, out=None):
    return clip(self, min, max, out)


def clipped(a, low, high):
    if low is None and high is None:
        return np.positive(a)
    elif low is None:
        return np.minimum(a, high)
    elif high is None:
        return np.maximum(a, low)
    else:
        return np.minimum(np.maximum(a, low), high)


def is_small_number(x):
    """Integers that are no arrays go to unsigned arrays too."""
    return is_scalar(x) and rank(promote(x)) == 2


@function("numpy.copyto")
def copyto(dst: "array", src: "array", casting: "skip" = "same_kind", where=True):
    check_same_kind(cast(0, np.uint8) if is_small_number(src) else src, dst)
    if is_scalar(src):
        value = cast(src, dst.dtype)
        if is_scalar(where):
            if where:
                dst[...] = value
        else:
            dst[broadcast_to(where, dst.shape)] = value
    elif is_scalar(where):
        if where:
            dst[...] = src
    else:
        check_broadcast(src, dst.shape)
        source = src.copy() if shares_memory(dst, src) else src
        check_broadcast(where, dst.shape)
        copy_where(dst, broadcast(source, dst.shape), broadcast(where, dst.shape))


def copy_where(out, a, where):
    if out.ndim == 0:
        if where[()]:
            set_item(out, (), a[()])
    else:
        for i in range(out.shape[0]):
            if out.ndim > 1:
                copy_where(out[i], a[i], where[i])
            elif where[i]:
                set_item(out, i, a[i])


# --- comparing


def differ(x, y, equal_nan):
    if equal_nan:
        return (x != y) & ((x == x) | (y == y))
    else:
        return x != y


def all_equal(a, b, equal_nan):
    """Whole rows are compared without a branch, as vectors."""
    if a.ndim == 0:
        return not differ(a[()], b[()], equal_nan)
    elif a.ndim == 1:
        found = False
        for i in range(a.shape[0]):
            found |= differ(a[i], b[i], equal_nan)
        return not found
    elif a.ndim > 1 and layout_is(a, "C") and layout_is(b, "C"):
        n = a.size
        return all_equal(contiguous(a, (n,)), contiguous(b, (n,)), equal_nan)
    else:
        for i in range(a.shape[0]):
            if not all_equal(a[i], b[i], equal_nan):
                return False
        return True


@function("numpy.array_equal")
def array_equal(a1: "array", a2: "array", equal_nan=False):
    x, y = np.asarray(a1), np.asarray(a2)
    if x.ndim != y.ndim:
        return False
    else:
        if x.shape != y.shape:
            return False
        return all_equal(x, y, equal_nan)


@function("numpy.array_equiv")
def array_equiv(a1: "array", a2: "array"):
    x, y = np.asarray(a1), np.asarray(a2)
    if not fits_together(x.shape, y.shape):
        return False
    shape = joined_shape(x.shape, y.shape, ValueError)
    return all_equal(broadcast(x, shape), broadcast(y, shape), False)


def fits_together(s, t):
    if len(s) > len(t):
        return fits_together(s[len(s) - len(t) :], t)
    elif len(s) < len(t):
        return fits_together(t, s)
    elif len(s) == 0:
        return True
    else:
        if s[0] != t[0] and s[0] != 1 and t[0] != 1:
            return False
        return fits_together(s[1:], t[1:])


def inexact(e):
    """Integers as float64."""
    if promote(e).kind == "f" or promote(e).kind == "c":
        return e
    else:
        return np.true_divide(e, 1)


@function("numpy.isclose", lazy=True)
def isclose(a, b: "array", rtol: "skip" = 1e-05, atol: "skip" = 1e-08, equal_nan=False):
    if isinstance(a, (list, tuple)):
        return isclose(np.asarray(a), b, rtol, atol, equal_nan)
    elif isinstance(b, (list, tuple)):
        return isclose(a, np.asarray(b), rtol, atol, equal_nan)
    y = inexact(b)
    close = (np.abs(a - y) <= (atol + rtol * np.abs(y))) & np.isfinite(y) | (a == y)
    if equal_nan:
        return close | (np.isnan(a) & np.isnan(y))
    else:
        return close


@function("numpy.allclose")
def allclose(a, b: "array", rtol: "skip" = 1e-05, atol: "skip" = 1e-08, equal_nan=False):
    return bool(np.all(isclose(a, b, rtol, atol, equal_nan)))


# --- sets of numbers


@function("numpy.isin")
def isin(element: "array", test_elements: "array", assume_unique=False, invert=False):
    x, keys = np.asarray(element), np.sort(ravel(np.asarray(test_elements)))
    out = np.empty(x.shape, np.bool_)
    flat = in_c_order(x)
    n = keys.size
    for i in range(flat.size):
        k = np.searchsorted(keys, get_flat(flat, i))
        found = k < n and keys[min(k, n - 1)] == get_flat(flat, i)
        set_flat(out, i, found != invert)
    return out


@function("numpy.union1d")
def union1d(ar1: "array", ar2: "array"):
    return np.unique(concatenate((ar1, ar2), None))


@function("numpy.intersect1d")
def intersect1d(ar1: "array", ar2: "array", assume_unique=False):
    a = ravel(np.asarray(ar1)) if assume_unique else np.unique(ar1)
    b = ravel(np.asarray(ar2)) if assume_unique else np.unique(ar2)
    joined = np.sort(concatenate((a, b)))
    n = 0
    for i in range(1, joined.size):
        if joined[i] == joined[i - 1]:
            joined[n] = joined[i]
            n += 1
    return joined[:n].copy()


@function("numpy.setdiff1d")
def setdiff1d(ar1: "array", ar2: "array", assume_unique=False):
    a = ravel(np.asarray(ar1)) if assume_unique else np.unique(ar1)
    return a[~isin(a, ar2)]


@function("numpy.setxor1d")
def setxor1d(ar1: "array", ar2: "array", assume_unique=False):
    a = ravel(ar1) if assume_unique else np.unique(ar1)
    b = ravel(ar2) if assume_unique else np.unique(ar2)
    joined = np.sort(concatenate((a, b)))
    n = joined.size
    single = np.ones(n, np.bool_)
    for i in range(1, n):
        if joined[i] == joined[i - 1]:
            single[i] = single[i - 1] = False
    return joined[single]


# --- sizes


@function("numpy.shape")
def shape(a):
    return np.asarray(a).shape


@function("numpy.ndim")
def ndim(a):
    return np.asarray(a).ndim


@function("numpy.size")
def size(a, axis=None):
    x = np.asarray(a)
    if axis is None:
        return x.size
    else:
        return x.shape[normal_axis(axis, x.ndim)]


# --- positions in flat order


def check_position(i, size):
    if i < 0 or i >= size:
        raise ValueError("index is out of bounds for array with this size")


@function("numpy.unravel_index")
def unravel_index(indices: "indices1", shape: "shape", order="C"):
    sizes = as_tuple(shape)
    total = product(sizes)
    if is_scalar(indices):
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
            set_flat(out, j, flat_number(items_of(arrays, index_of(j, shape)), sizes, mode))
        return out


def items_of(arrays, index):
    if len(arrays) == 0:
        return ()
    else:
        return (arrays[0][index],) + items_of(arrays[1:], index)


def flat_number(index, sizes, mode):
    n = 0
    for axis in range(len(sizes)):
        if mode == "raise":
            i = cast(index[axis], np.int64)
            if i < 0 or i >= sizes[axis]:
                raise ValueError("invalid entry in coordinates array")
        else:
            i = moved_inside(index[axis], sizes[axis], mode)
        n = n * sizes[axis] + i
    return n
