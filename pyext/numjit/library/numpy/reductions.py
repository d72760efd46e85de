"""Reductions: sums, products, extremes, tests and counts over all or some axes.

Everything is ``reduce(ufunc, ...)``. It walks the axes in their order in memory. Where only reduced
axes are left it folds them into one number, where only kept ones are left it combines whole rows,
so that the innermost loop runs along memory and vectorises whichever axis is reduced.
"""

import numpy as np

from ..core.array_expressions import PARALLEL_FROM
from ..core.intrinsics import (
    add_any_order,
    axes_mask,
    broadcast,
    broadcast_shape,
    cast,
    contiguous_alike,
    first_shape,
    flat_part,
    get_flat,
    identity,
    is_constant,
    is_fortran,
    is_lazy,
    is_parallel,
    is_scalar,
    prange,
    promote,
    reduced_shape,
    refuse,
    same_shapes,
    set_flat,
    set_item,
    stored,
    transposed,
    with_reduced_units,
)
from ..core.registry import function
from .identityless import reduce_from_first
from .methods import axes_behind, last_axes, normal_axes, normal_axis, product, with_ones


def count_of(e):
    return product(first_shape(e))


# -- folding all elements into one number ------------------------------------------------------


def line_length(e):
    if contiguous_alike(e):
        return count_of(e)
    else:
        return first_shape(e)[0]


def at(e, i, dtype):
    """Element ``i`` of a line: a contiguous expression, or one of one dimension."""
    if contiguous_alike(e):
        return cast(get_flat(e, i), dtype)
    else:
        return cast(e[i], dtype)


def fold(op, e, s, dtype):
    """``s`` combined with all elements; the shapes in ``e`` are equal."""
    if e.ndim == 0:
        return op(s, cast(e[()], dtype))
    elif is_parallel() and contiguous_alike(e) and folds_in_parallel(op):
        if count_of(e) >= PARALLEL_FROM:
            return fold_in_parallel(op, e, s, dtype)
        else:
            return fold_lines(op, e, s, dtype)
    else:
        return fold_lines(op, e, s, dtype)


def folds_in_parallel(op):
    return op is np.add or op is np.multiply or op is np.minimum or op is np.maximum


@function("numjit.fold_in_parallel", lazy=True, inline=False)
def fold_in_parallel(op, e, s, dtype):
    """As fold, for contiguous arrays, in several threads."""
    n = count_of(e)
    length = 8192
    parts = (n + length - 1) // length
    start = s
    if op is np.add:
        start = cast(0, dtype)
        for i in prange(parts):
            part = flat_part(e, i * length, min(length, n - i * length))
            s += fold_lines(op, part, start, dtype)
    elif op is np.multiply:
        start = cast(1, dtype)
        for i in prange(parts):
            part = flat_part(e, i * length, min(length, n - i * length))
            s *= fold_lines(op, part, start, dtype)
    elif op is np.minimum:
        for i in prange(parts):
            part = flat_part(e, i * length, min(length, n - i * length))
            s = np.minimum(s, fold_lines(op, part, start, dtype))
    else:
        for i in prange(parts):
            part = flat_part(e, i * length, min(length, n - i * length))
            s = np.maximum(s, fold_lines(op, part, start, dtype))
    return s


def fold_lines(op, e, s, dtype):
    if contiguous_alike(e) or e.ndim == 1:
        if op is np.add:
            if dtype.kind == "f" or dtype.kind == "c":
                return fold_floats(e, s, dtype)
            elif e.dtype.kind == "b":
                return fold_truths(e, s, dtype)
            else:
                return fold_line(op, e, s, dtype)
        elif op is np.logical_or or op is np.logical_and:
            return fold_until(op, e, s)
        else:
            return fold_line(op, e, s, dtype)
    else:
        for i in range(first_shape(e)[0]):
            s = fold_row(op, e[i], s, dtype)
        return s


def fold_row(op, e, s, dtype):
    """As fold, for rows of an array that is not contiguous: their float sums keep nothing that is
    lost, because windows of a few columns must be cheap."""
    if op is np.add and e.ndim == 1 and (dtype.kind == "f" or dtype.kind == "c"):
        for i in range(line_length(e)):
            s = add_any_order(s, at(e, i, dtype))
        return s
    else:
        return fold(op, e, s, dtype)


def fold_line(op, e, s, dtype):
    for i in range(line_length(e)):
        s = op(s, at(e, i, dtype))
    return s


def fold_floats(e, s, dtype):
    """Blocks are summed in vector registers, side by side. What is lost when their sums are added
    is kept (Knuth's TwoSum) and added at the end: as exact as pairwise summation."""
    n = line_length(e)
    zero = cast(0, dtype)
    lost = zero
    for first in range(0, n, 1024):
        x = zero
        for i in range(min(n - first, 1024)):
            x = add_any_order(x, at(e, first + i, dtype))
        both = s + x
        of_x = both - s
        lost += (s - (both - of_x)) + (x - of_x)
        s = both
    if lost == lost:  # not NaN, as behind infinities
        s += lost
    return s


def fold_truths(e, s, dtype):
    """Counted in bytes, 32 of which fit into a vector register."""
    n = line_length(e)
    for first in range(0, n, 248):
        count = cast(0, np.uint8)
        for i in range(min(n - first, 248)):
            count = np.add(count, at(e, first + i, np.uint8))
        s += cast(count, dtype)
    return s


def fold_until(op, e, s):
    """any() and all() look whether they can stop once in a while."""
    n = line_length(e)
    for first in range(0, n, 1024):
        for i in range(min(n - first, 1024)):
            s = op(s, at(e, first + i, np.bool_))
        if s == (op is np.logical_or):
            break
    return s


# -- folding some axes -------------------------------------------------------------------------


def unchanged(into, op, e, of, target, dtype):
    """The simplest ``change`` of fold_axes."""
    return into(op, e, target, dtype)


def item(a, i):
    """Item of an array that goes with the result; it may be None."""
    if a is None:
        return None
    else:
        return a[i]


def fold_into(op, out, e, axes, start, dtype, change, of):
    """``out = op(out, e)`` where the axes in the bit set ``axes`` are reduced. If ``start`` is not
    None it stands for what is in ``out``."""
    if axes == 0:
        change(combine, op, e, of, out, dtype)
    elif axes % 2 == 1:
        for i in range(first_shape(e)[0]):
            fold_into(op, out, e[i], axes // 2, None, dtype, change, of)
    elif axes // 2 == axes_mask(None, e.ndim - 1):
        for i in range(out.shape[0]):
            s = out[i] if start is None else start
            set_item(out, i, change(fold, op, e[i], item(of, i), s, dtype))
    else:
        for i in range(out.shape[0]):
            fold_into(op, out[i], e[i], axes // 2, start, dtype, change, item(of, i))


def are_last(axes, ndim):
    """Whether each element of the result is stored once: behind a reduced axis is no kept one."""
    if axes == 0:
        return False
    elif axes == axes_mask(None, ndim):
        return True
    elif axes % 2 == 1:
        return False
    else:
        return are_last(axes // 2, ndim - 1)


def combine(op, e, out, dtype):
    """``out = op(out, e)`` for equal shapes."""
    if out.ndim == 0:
        set_item(out, (), op(out[()], cast(e[()], dtype)))
    elif contiguous_alike(out, e):
        for i in range(out.size):
            set_flat(out, i, op(get_flat(out, i), cast(get_flat(e, i), dtype)))
    elif out.ndim == 1:
        for i in range(out.shape[0]):
            set_item(out, i, op(out[i], cast(e[i], dtype)))
    else:
        for i in range(out.shape[0]):
            combine(op, e[i], out[i], dtype)


def count_along(shape, axes):
    """Number of elements that are combined into one."""
    if len(shape) == 0:
        return 1
    elif axes % 2 == 1:
        return shape[0] * count_along(shape[1:], axes // 2)
    else:
        return count_along(shape[1:], axes // 2)


def refuse_empty(op):
    if op is np.minimum:
        raise ValueError("zero-size array to reduction operation minimum which has no identity")
    elif op is np.maximum:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    elif op is np.fmin:
        raise ValueError("zero-size array to reduction operation fmin which has no identity")
    elif op is np.fmax:
        raise ValueError("zero-size array to reduction operation fmax which has no identity")


def fold_axes(op, e, axes, dtype, initial, change, of):
    """The elements of ``e``, whose shapes are equal, combined over the axes of a bit set: a number
    if these are all axes, else an array.

    ``change(into, op, e, of, target, dtype)`` may alter the expression before it passes it on:
    ``into(op, changed e, target, dtype)``. For this it gets the part of ``of``, an array of the
    result's shape (or None), that goes with its part of ``e``."""
    shape = first_shape(e)
    start = identity(op, dtype) if initial is None else stored(initial, dtype)
    if start is None:
        refuse("this ufunc has no reduction in compiled code")
    elif axes == axes_mask(None, e.ndim):
        if initial is None and count_of(e) == 0:
            refuse_empty(op)
        return change(fold, op, e, of, start, dtype)
    else:
        out = np.empty(reduced_shape(shape, axes, False), dtype, "F" if is_fortran(e) else "C")
        if initial is None and count_along(shape, axes) == 0:
            refuse_empty(op)
        if is_fortran(e):
            back = mirrored(axes, e.ndim)
            fold_kept(op, out.T, transposed(e), back, start, dtype, change, mirrored_of(of))
        else:
            fold_kept(op, out, e, axes, start, dtype, change, of)
        return out


def fold_kept(op, out, e, axes, start, dtype, change, of):
    if are_last(axes, e.ndim):
        fold_into(op, out, e, axes, start, dtype, change, of)
    else:
        for i in range(out.size):
            set_flat(out, i, start)
        fold_into(op, out, e, axes, None, dtype, change, of)


def mirrored(axes, ndim):
    """The bit set of the same axes after a transposition."""
    if ndim == 0:
        return 0
    else:
        return axes % 2 * (axes_mask(None, ndim - 1) + 1) + mirrored(axes // 2, ndim - 1)


def mirrored_of(of):
    if of is None:
        return None
    else:
        return of.T


@function("numjit.fold_broadcast", lazy=True, inline=False)
def fold_broadcast(op, e, axes, dtype, initial):
    """As fold_axes, where some array is repeated along some axis."""
    shape = broadcast_shape(e)
    return fold_axes(op, broadcast(e, shape), axes, dtype, initial, unchanged, None)


# -- the arguments of reductions ---------------------------------------------------------------


def default_dtype(op, dtype):
    """The type that a ufunc's reduction is computed in: sums do not wrap early."""
    if op is np.logical_or or op is np.logical_and or op is np.logical_xor:
        return np.dtype(np.bool_)
    elif op is np.hypot or op is np.logaddexp or op is np.logaddexp2:  # of floats only
        one = cast(1, dtype)
        return promote(op(one, one))
    elif op is not np.add and op is not np.multiply:
        return dtype
    elif dtype.kind == "b" or (dtype.kind == "i" and dtype.itemsize < 8):
        return np.dtype(np.int64)
    elif dtype.kind == "u" and dtype.itemsize < 8:
        return np.dtype(np.uint64)
    else:
        return dtype


def narrowed(x, dtype):
    """What was computed in float32, as a float16: sums are rounded once."""
    if is_scalar(x):
        return cast(x, dtype)
    else:
        return x.astype(dtype)


def reduce_axes(op, e, axes, dtype, keepdims, initial):
    if op is np.add and dtype == np.float16:
        wide = reduce_axes(op, e, axes, np.dtype(np.float32), keepdims, initial)
        return narrowed(wide, dtype)
    elif same_shapes(e):
        result = fold_axes(op, e, axes, dtype, initial, unchanged, None)
    else:
        result = fold_broadcast(op, e, axes, dtype, initial)
    return with_reduced_units(with_kept_axes(result, e.shape, axes, keepdims), e, axes, keepdims)


def with_kept_axes(result, shape, axes, keepdims):
    """The result of a reduction with the reduced axes put back, if that is wanted."""
    if not is_constant(keepdims):
        refuse(
            "keepdims must be a constant: the number of dimensions is part of a type",
            "write True or False",
            "LiteralTypingError",  # a caller may know it
        )
    elif not keepdims:
        return result
    elif is_scalar(result):
        out = np.empty(reduced_shape(shape, axes, True), promote(result))
        set_flat(out, 0, result)
        return out
    else:
        return result.reshape(reduced_shape(shape, axes, True))


def axes_of(axis, ndim):
    """The axes that an argument ``axis`` means, as a constant bit set."""
    mask = axes_mask(axis, ndim)
    if mask < 0:  # the one that is not there raises
        normal_axes(axis if isinstance(axis, tuple) else (axis,), ndim)
    return mask


def reduce_one_of(op, e, axis, first, dtype, keepdims, initial):
    """Reduces an axis that is known at run time and is not below ``first``."""
    if first + 1 == e.ndim:
        return reduce_axes(op, e, axes_mask(first, e.ndim), dtype, keepdims, initial)
    elif axis == first or axis == first - e.ndim:
        return reduce_axes(op, e, axes_mask(first, e.ndim), dtype, keepdims, initial)
    else:
        return reduce_one_of(op, e, axis, first + 1, dtype, keepdims, initial)


def put_in_place(result, out):
    """The result of a function with an argument ``out``."""
    if out is None:
        return result
    elif is_scalar(result):
        if out.ndim != 0:
            raise ValueError("output parameter has the wrong number of dimensions")
        out[()] = result
        return out
    else:
        if out.ndim != result.ndim or out.shape != result.shape:
            raise ValueError("output parameter has the wrong shape")
        out[...] = result
        return out


def where_not(out, mask, value):
    """Stores ``value`` where the mask is false."""
    if out.ndim == 0:
        if not mask[()]:
            set_item(out, (), value)
    elif out.ndim == 1:
        for i in range(out.shape[0]):
            if not mask[i]:
                set_item(out, i, value)
    else:
        for i in range(out.shape[0]):
            where_not(out[i], mask[i], value)


@function("numjit.masked", lazy=True, inline=False)
def masked(e, where, value, dtype):
    """A copy of ``e`` with ``value`` where the mask is false."""
    out = np.empty(e.shape, dtype)
    if dtype.kind == "b":
        out[...] = np.not_equal(e, 0)
    elif promote(e).kind == "c" and dtype.kind != "c":
        out[...] = np.real(np.asarray(e))
    else:
        out[...] = e
    where_not(out, broadcast(where, out.shape), value)
    return out


@function("Function.reduce", lazy=True)
def reduce(op, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """Sums as exact as pairwise ones (fold_floats). ValueError of nothing without identity."""
    if initial is np._NoValue:
        return reduce(op, array, axis, dtype, out, keepdims, None, where)
    if dtype is not None:
        kind = np.dtype(dtype)
    elif out is not None:
        kind = out.dtype
    else:
        kind = default_dtype(op, promote(array))
    if kind.kind == "b" and op is np.add:
        return reduce(np.logical_or, array, axis, kind, out, keepdims, initial, where)
    elif kind.kind == "b" and op is np.multiply:
        return reduce(np.logical_and, array, axis, kind, out, keepdims, initial, where)
    elif is_scalar(array):
        start = identity(op, kind) if initial is None else stored(initial, kind)
        return put_in_place(op(start, cast(array, kind)), out)
    elif not isinstance(array, np.ndarray):
        return reduce(op, np.asarray(array), axis, dtype, out, keepdims, initial, where)
    elif isinstance(axis, tuple) and not is_constant(axis):
        mask = where
        if where is not True:
            mask = axes_behind(broadcast(np.asarray(where), array.shape), axis)
        a = axes_behind(np.asarray(array), axis)
        result = reduce(op, a, last_axes(len(axis)), dtype, None, False, initial, mask)
        if keepdims:
            return put_in_place(np.asarray(result).reshape(with_ones(array.shape, axis)), out)
        else:
            return put_in_place(result, out)
    elif identity(op, kind) is None and (initial is None or where is not True):
        if where is not True:
            refuse("reductions without an identity take no `where`")
        elif not is_constant(axis) and not isinstance(axis, tuple):
            return reduce(op, array, (axis,), dtype, out, keepdims)
        else:
            result = reduce_from_first(op, array, axis)
            axes = axes_of(axis, array.ndim)
            return put_in_place(with_kept_axes(result, array.shape, axes, keepdims), out)
    elif where is not True and initial is None and (op is np.minimum or op is np.maximum):
        return refuse("reductions without an identity need `initial` beside `where`")
    elif where is not True:
        if op is np.minimum or op is np.maximum:
            neutral = stored(initial, kind)
        else:
            neutral = identity(op, kind)  # initial itself counts once
        chosen = masked(array, np.asarray(where), neutral, kind)
        return reduce(op, chosen, axis, kind, out, keepdims, initial)
    elif is_constant(axis) or isinstance(axis, tuple):
        axes = axes_of(axis, array.ndim)
        return put_in_place(reduce_axes(op, array, axes, kind, keepdims, initial), out)
    else:
        along = normal_axis(axis, array.ndim)
        result = reduce_one_of(op, array, along, 0, kind, keepdims, initial)
        return put_in_place(result, out)


# -- NumPy's names -----------------------------------------------------------------------------


@function("numpy.sum", lazy=True)
@function("Array.sum", lazy=True)
def sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """Floats as exactly as pairwise summation in contiguous memory; integers wrap at 64 bits."""
    return reduce(np.add, a, axis, dtype, out, keepdims, initial, where)


@function("numpy.prod", lazy=True)
@function("Array.prod", lazy=True)
def prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """From element to element; integers wrap at 64 bits."""
    return reduce(np.multiply, a, axis, dtype, out, keepdims, initial, where)


@function("numpy.max", lazy=True)
@function("numpy.amax", lazy=True)
@function("Array.max", lazy=True)
def amax(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    """NaN if any element is. ValueError of no elements without initial."""
    return reduce(np.maximum, a, axis, None, out, keepdims, initial, where)


@function("numpy.min", lazy=True)
@function("numpy.amin", lazy=True)
@function("Array.min", lazy=True)
def amin(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    """NaN if any element is. ValueError of no elements without initial."""
    return reduce(np.minimum, a, axis, None, out, keepdims, initial, where)


def holds_items(a):
    """Strings or dates, which no operation of reductions takes."""
    if is_lazy(a) or not isinstance(a, np.ndarray):
        return False
    else:
        return a.dtype.kind in ("U", "S", "M", "m")


def truths(a):
    out = np.empty(a.shape, np.bool_)
    for index in np.ndindex(a.shape):
        out[index] = bool(a[index])
    return out


@function("numpy.any", lazy=True)
@function("Array.any", lazy=True)
def any(a, axis=None, out=None, keepdims=False, *, where=True):
    """Looks after each 1024 elements of a contiguous array whether it can stop."""
    if isinstance(a, (np.datetime64, np.timedelta64)):
        return any(bool(a), axis, out, keepdims, where=where)
    elif holds_items(a):
        return any(truths(a), axis, out, keepdims, where=where)
    return put_in_place(reduce(np.logical_or, a, axis, np.bool_, None, keepdims, None, where), out)


@function("numpy.all", lazy=True)
@function("Array.all", lazy=True)
def all(a, axis=None, out=None, keepdims=False, *, where=True):
    """Looks after each 1024 elements of a contiguous array whether it can stop."""
    if isinstance(a, (np.datetime64, np.timedelta64)):
        return all(bool(a), axis, out, keepdims, where=where)
    elif holds_items(a):
        return all(truths(a), axis, out, keepdims, where=where)
    return put_in_place(reduce(np.logical_and, a, axis, np.bool_, None, keepdims, None, where), out)


@function("numpy.count_nonzero", lazy=True)
def count_nonzero(a, axis=None, *, keepdims=False):
    """NaN counts, and complex numbers with a part that is not 0."""
    if not is_scalar(a) and not isinstance(a, np.ndarray):
        return count_nonzero(np.asarray(a), axis, keepdims=keepdims)
    elif holds_items(a):
        return count_nonzero(truths(a), axis, keepdims=keepdims)
    elif promote(a).kind == "b":
        return reduce(np.add, a, axis, np.int64, None, keepdims)
    else:
        return reduce(np.add, a != 0, axis, np.int64, None, keepdims)


@function("numpy.ptp")
def ptp(a, axis=None, out=None, keepdims=False):
    """Two passes: the largest less the smallest element, which wraps for integers."""
    return put_in_place(
        np.subtract(amax(a, axis, None, keepdims), amin(a, axis, None, keepdims)), out
    )
