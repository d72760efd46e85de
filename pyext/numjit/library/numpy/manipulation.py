"""Functions that change the shape of arrays and the order of their elements."""

import numpy as np

from ..core.axes import (
    as_tuple,
    check_integer,
    check_same_kind,
    in_c_order,
    inner_size,
    inserted,
    outer_size,
    rank,
    replaced,
)
from ..core.intrinsics import (
    as_readonly,
    assign,
    broadcast,
    cast,
    check_broadcast,
    clip_bound,
    contiguous,
    copy_items,
    is_constant,
    is_scalar,
    layout_is,
    promote,
    refuse,
    set_item,
    shares_memory,
    stored,
    strided,
)
from ..core.registry import function
from .indexing import joined_shape
from .methods import normal_axes, normal_axis

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
        return with_new_axes(x, axes)
    else:
        return with_new_axis(x, normal_axis(axis, x.ndim + 1))


def with_new_axes(a, axes):
    """Axes of length one, all different; they may be known at run time only."""
    if layout_is(a, "C"):
        return contiguous(a, spread(a.shape, axes, 1))
    else:
        return strided(a, 0, spread(a.shape, axes, 1), spread(a.strides, axes, 0))


def spread(items, axes, n):
    """The tuple with ``n`` at each of ``axes``."""
    return spread_from(items + (n,), axes, n, 0)


def spread_from(items, axes, n, k):
    if k == len(items) - 1 + len(axes):
        return ()
    else:
        item = n if holds(axes, k) else items[min(k - count_below(axes, k), len(items) - 1)]
        return (item,) + spread_from(items, axes, n, k + 1)


def count_below(items, x):
    count = 0
    for item in items:
        count += item < x
    return count


def holds(items, x):
    if len(items) == 0:
        return False
    elif items[0] == x:
        return True
    else:
        return holds(items[1:], x)


@function("Array.mT", when="attribute")
def stack_of_transposes(self):
    if self.ndim < 2:
        raise ValueError("matrix transpose with ndim < 2 is undefined")
    else:
        return np.swapaxes(self, -1, -2)


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
        return m[()] if m.ndim == 0 else flipped(m, m.ndim)
    elif isinstance(axis, tuple):
        return flipped_axes(m, normal_axes(axis, m.ndim))
    else:
        return flipped_axis(m, normal_axis(axis, m.ndim))


def flipped(a, count):
    """The first ``count`` axes backwards."""
    if count == 0:
        return a
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
    check_integer(k, "k")
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
    check_integer(shift, "shift")
    source = in_c_order(a)
    out = np.empty(a.shape, a.dtype)
    n = a.size
    if n > 0:
        k = shift % n
        copy_items(out, k, source, 0, n - k)
        copy_items(out, 0, source, n - k, k)
    return out


def rolled(a, shift, axis):
    check_integer(shift, "shift")
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
    if np.ndim(filt) != 1:
        refuse("array must be 1D, not ", None, "TypingError", filt)
    first, last = 0, len(filt)
    if "f" in trim or "F" in trim:
        while first < last and not filt[first]:
            first += 1
    if "b" in trim or "B" in trim:
        while last > first and not filt[last - 1]:
            last -= 1
    return filt[first:last]


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
    if not is_constant(len(arrays)):
        return False
    elif len(arrays) == 0:
        return True
    elif isinstance(arrays[0], np.ndarray):
        a = arrays[0]
        return layout_is(a, "F") and not layout_is(a, "C") and all_fortran(arrays[1:])
    else:
        return False


def broadcast_each(arrays, shape):
    if len(arrays) == 0:
        return ()
    else:
        a = np.asarray(arrays[0])
        return (broadcast(a, shape),) + broadcast_each(arrays[1:], shape)


@function("numpy.broadcast_arrays")
def broadcast_arrays(*args: "arrays", subok=False):
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
    return between(a, clip_bound(low, a, False), clip_bound(high, a, True))


def between(a, low, high):
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


def check_copied(source, target, casting):
    """Numbers that are no arrays are checked less."""
    if casting == "same_kind" or (is_scalar(source) and casting != "unsafe"):
        check_same_kind(cast(0, np.uint8) if is_small_number(source) else source, target)
    elif not np.can_cast(source, target.dtype, casting):
        refuse(
            "Cannot cast array data to this dtype according to the rule of `casting`",
            "convert it with astype()",
        )


def is_cut(source, target):
    """Whether complex numbers lose their imaginary parts there."""
    return promote(source).kind == "c" and promote(target).kind != "c"


def converted(x, dtype, casting):
    """A number as an element; floats lose their fractions where nothing is checked."""
    if casting != "unsafe" or is_small_number(x):
        return stored(x, dtype)
    elif is_cut(x, dtype):
        return cast(x != 0, dtype) if dtype.kind == "b" else cast(x.real, dtype)
    else:
        return cast(x, dtype)


@function("numpy.copyto")
def copyto(dst: "array", src: "array", casting: "skip" = "same_kind", where=True):
    check_copied(src, dst, casting)
    if is_scalar(src):
        value = converted(src, dst.dtype, casting)
        if is_scalar(where):
            if where:
                dst[...] = value
        else:
            dst[broadcast_to(where, dst.shape)] = value
    elif is_cut(src, dst):
        copyto(dst, src != 0 if dst.dtype.kind == "b" else src.real, casting, where)
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
