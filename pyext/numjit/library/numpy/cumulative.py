"""Running sums, differences, and what is computed from neighbours in a line."""

import numpy as np

from ..core.array_expressions import evaluate, store_all
from ..core.axes import check_integer, check_same_kind, replaced
from ..core.intrinsics import (
    cast,
    get_flat,
    identity,
    is_constant,
    is_fortran,
    is_scalar,
    promote,
    refuse,
    replace_nan,
    set_flat,
    set_item,
    strided,
)
from ..core.registry import function
from .methods import at_least_one, is_axis, normal_axis
from .reductions import default_dtype, put_in_place

# -- one axis among others ---------------------------------------------------------------------


def without(items, i):
    """A tuple without item ``i``, which may be a run-time value."""
    if len(items) == 1:
        return ()
    else:
        return (items[1] if i <= 0 else items[0],) + without(items[1:], i - 1)


def axis_last(a, axis):
    """The array with an axis moved to the end."""
    if is_constant(axis) and axis == a.ndim - 1:
        return a
    else:
        return strided(
            a,
            0,
            without(a.shape, axis) + (a.shape[axis],),
            without(a.strides, axis) + (a.strides[axis],),
        )


# -- running results ---------------------------------------------------------------------------


def scan(op, out, a, axis, dtype):
    """``out[i] = op(out[i - 1], a[i])`` along an axis."""
    n = a.shape[0]
    if a.ndim == 1:
        if n > 0:
            s = cast(a[0], dtype)
            set_item(out, 0, s)
            for i in range(1, n):
                s = op(s, cast(a[i], dtype))
                set_item(out, i, s)
    elif axis == 0:
        if n > 0:
            store_all(out[0], a[0])
        for i in range(1, n):
            store_all(out[i], op(out[i - 1], a[i]))
    else:
        for i in range(n):
            scan(op, out[i], a[i], axis - 1, dtype)


@function("Function.accumulate")
def accumulate(op, array, axis=0, dtype=None, out=None):
    if not isinstance(array, np.ndarray):
        return accumulate(op, np.asarray(array), axis, dtype, out)
    elif axis is None:
        return accumulate(op, array.ravel(), 0, dtype, out)
    else:
        if dtype is not None:
            kind = np.dtype(dtype)
        elif out is not None:
            kind = out.dtype
        else:
            kind = default_dtype(op, array.dtype)
        along = normal_axis(axis, array.ndim)
        if is_fortran(array) and array.ndim > 1:
            running = np.empty(array.shape, kind, "F")
            scan(op, running.T, array.T, array.ndim - 1 - along, kind)
        else:
            running = np.empty(array.shape, kind)
            scan(op, running, array, along, kind)
        return put_in_place(running, out)


@function("numpy.cumsum")
@function("Array.cumsum")
def cumsum(a, axis=None, dtype=None, out=None):
    """Added in order in the type of the result: float errors grow with the number of elements,
    where sum keeps them small. Integers wrap.
    """
    if isinstance(a, np.ndarray):
        if a.dtype.kind in "US":
            refuse("the resolved dtypes are not compatible with add.accumulate")
    return accumulate(np.add, a, axis, dtype, out)


@function("numpy.cumprod")
@function("Array.cumprod")
def cumprod(a, axis=None, dtype=None, out=None):
    """Multiplied in order, in the type of the result. Integers wrap."""
    return accumulate(np.multiply, a, axis, dtype, out)


def number_for_nan(a, number):
    """The array with a number in place of NaN."""
    if not isinstance(a, np.ndarray):
        return number_for_nan(np.asarray(a), number)
    elif a.ndim == 0:  # NumPy counts it as one item
        return number_for_nan(a.reshape(1), number)
    elif a.dtype.kind == "f" or a.dtype.kind == "c":
        return evaluate(replace_nan(a, number))
    else:
        return a


@function("numpy.nancumsum")
def nancumsum(a, axis=None, dtype=None, out=None):
    """cumsum with NaN as 0."""
    return accumulate(np.add, number_for_nan(a, 0), axis, dtype, out)


@function("numpy.nancumprod")
def nancumprod(a, axis=None, dtype=None, out=None):
    """cumprod with NaN as 1."""
    return accumulate(np.multiply, number_for_nan(a, 1), axis, dtype, out)


def with_start(op, running, axis):
    """The running results behind the ufunc's identity."""
    n = running.shape[axis]
    out = np.empty(replaced(running.shape, axis, n + 1), running.dtype)
    moved = axis_last(out, axis)
    moved[..., 0] = identity(op, running.dtype)
    moved[..., 1:] = axis_last(running, axis)
    return out


def cumulative(op, x, axis, dtype, out, include_initial):
    a = at_least_one(np.asarray(x))
    if axis is None and a.ndim != 1:
        refuse("for arrays of more than one dimension `axis` is required")
    along = 0 if axis is None else normal_axis(axis, a.ndim)
    if include_initial:
        return put_in_place(with_start(op, accumulate(op, a, along, dtype), along), out)
    else:
        return accumulate(op, a, along, dtype, out)


@function("numpy.cumulative_sum")
def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """cumsum of the array API. More than one dimension needs ``axis``: TypingError."""
    return cumulative(np.add, x, axis, dtype, out, include_initial)


@function("numpy.cumulative_prod")
def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """cumprod of the array API. More than one dimension needs ``axis``: TypingError."""
    return cumulative(np.multiply, x, axis, dtype, out, include_initial)


# -- differences -------------------------------------------------------------------------------


def part(a, axis, first, last):
    """``a[:, ..., first:last, ...]``"""
    return a[(slice(None),) * axis + (slice(first, last),)]


def step_between(a, axis):
    if a.dtype.kind == "b":
        return np.not_equal(part(a, axis, 1, None), part(a, axis, None, -1))
    else:
        return np.subtract(part(a, axis, 1, None), part(a, axis, None, -1))


def differences(a, n, axis):
    if is_constant(n):
        if n == 1:
            return step_between(a, axis)
        else:
            return differences(step_between(a, axis), n - 1, axis)
    else:
        result = a.copy()
        for _ in range(n):
            result = evaluate(step_between(result, axis))
        return result


def joined(a, b, axis):
    """Two arrays behind each other; a number stands for one row of itself."""
    if is_scalar(b):
        other = np.full(replaced(a.shape, axis, 1), b)
    else:
        other = np.asarray(b)
    n = a.shape[axis]
    out = np.empty(replaced(a.shape, axis, n + other.shape[axis]), promote(a, other))
    part(out, axis, None, n)[...] = a
    part(out, axis, n, None)[...] = other
    return out


@function("numpy.diff")
def diff(a, n=1, axis=-1, prepend=None, append=None):
    """Differences of neighbours, ``n`` times; bools by ``!=``, integers wrap. A negative ``n``, and
    an array without dimensions, raise ValueError.
    """
    check_integer(n, "n")
    if n < 0:
        raise ValueError("order must be non-negative")
    if not isinstance(a, np.ndarray):
        return diff(np.asarray(a), n, axis, prepend, append)
    elif is_constant(n) and n == 0:
        return a  # whatever the axis
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    along = normal_axis(axis, a.ndim)
    if prepend is not None:
        if is_scalar(prepend):
            before = np.full(replaced(a.shape, along, 1), prepend)
        else:
            before = np.asarray(prepend)
        return diff(joined(before, a, along), n, axis, None, append)
    elif append is not None:
        return diff(joined(a, append, along), n, axis)
    elif is_constant(along):
        return differences(a, n, along)
    else:
        # Along the last axis of a view; the result's axes go back to their places.
        moved = differences(axis_last(a, along), n, a.ndim - 1)
        out = np.empty(replaced(a.shape, along, moved.shape[-1]), moved.dtype)
        axis_last(out, along)[...] = moved
        return out


def ends(x, dtype):
    """What ediff1d puts before or behind, as an array."""
    if x is None:
        return np.empty(0, dtype)
    else:
        check_same_kind(x, dtype)
        return np.asarray(x).ravel()


@function("numpy.ediff1d")
def ediff1d(ary, to_end=None, to_begin=None):
    """Differences of neighbours of the flat array; ``to_begin`` and ``to_end`` must be castable to
    its dtype ("same_kind").
    """
    a = np.asarray(ary).ravel()
    begin = ends(to_begin, a.dtype)
    end = ends(to_end, a.dtype)
    n = max(a.size - 1, 0)
    out = np.empty(begin.size + n + end.size, a.dtype)
    out[: begin.size] = begin
    for i in range(n):
        set_flat(out, begin.size + i, np.subtract(a[i + 1], a[i]))
    out[begin.size + n :] = end
    return out


def gradient_dtype(f):
    if f.dtype.kind == "f" or f.dtype.kind == "c":
        return f.dtype
    else:
        return np.dtype(np.float64)


def gradient_along(f, spacing, axis, edge_order):
    out = np.empty(f.shape, f.dtype)
    gradient_into(axis_last(out, axis), axis_last(f, axis), spacing, edge_order)
    return out


def gradient_into(dst, src, spacing, edge_order):
    """Central differences inside, one-sided ones at the ends of the last axis; ``spacing`` is a
    number or the places. Second order everywhere with edge_order=2."""
    n = src.shape[-1]
    if n < edge_order + 1:
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, at least "
            "(edge_order + 1) elements are required."
        )
    if is_scalar(spacing):
        h = spacing
        dst[..., 1:-1] = (src[..., 2:] - src[..., :-2]) / (2.0 * h)
        if edge_order == 1:
            dst[..., 0] = (src[..., 1] - src[..., 0]) / h
            dst[..., -1] = (src[..., -1] - src[..., -2]) / h
        else:
            dst[..., 0] = (-1.5 * src[..., 0] + 2.0 * src[..., 1] - 0.5 * src[..., 2]) / h
            dst[..., -1] = (0.5 * src[..., -3] - 2.0 * src[..., -2] + 1.5 * src[..., -1]) / h
    else:
        x = np.asarray(spacing)
        if x.shape[0] != n:
            raise ValueError(
                "when 1d, distances must match the length of the corresponding dimension"
            )
        for i in range(1, n - 1):
            h1 = x[i] - x[i - 1]
            h2 = x[i + 1] - x[i]
            dst[..., i] = (
                -h2 / (h1 * (h1 + h2)) * src[..., i - 1]
                + (h2 - h1) / (h1 * h2) * src[..., i]
                + h1 / (h2 * (h1 + h2)) * src[..., i + 1]
            )
        if edge_order == 1:
            dst[..., 0] = (src[..., 1] - src[..., 0]) / (x[1] - x[0])
            dst[..., -1] = (src[..., -1] - src[..., -2]) / (x[n - 1] - x[n - 2])
        else:
            h1 = x[1] - x[0]
            h2 = x[2] - x[1]
            dst[..., 0] = (
                -(2.0 * h1 + h2) / (h1 * (h1 + h2)) * src[..., 0]
                + (h1 + h2) / (h1 * h2) * src[..., 1]
                - h1 / (h2 * (h1 + h2)) * src[..., 2]
            )
            h1 = x[n - 2] - x[n - 3]
            h2 = x[n - 1] - x[n - 2]
            dst[..., -1] = (
                h2 / (h1 * (h1 + h2)) * src[..., -3]
                - (h2 + h1) / (h1 * h2) * src[..., -2]
                + (2.0 * h2 + h1) / (h2 * (h1 + h2)) * src[..., -1]
            )


def gradients(f, spacings, axis, edge_order):
    """A tuple of the gradients along all axes."""
    if axis == f.ndim:
        return ()
    else:
        one = gradient_along(f, spacings[axis], axis, edge_order)
        return (one,) + gradients(f, spacings, axis + 1, edge_order)


def empty_like_each(f, n):
    if n == 0:
        return ()
    else:
        return (np.empty(f.shape, f.dtype),) + empty_like_each(f, n - 1)


def gradients_at(f, h, edge_order):
    """The same for one spacing of all axes: a loop over views, so that there is one copy of the
    code."""
    out = empty_like_each(f, f.ndim)
    if f.ndim > 0:
        for axis in range(f.ndim):
            gradient_into(axis_last(out[axis], axis), axis_last(f, axis), h, edge_order)
    return out


@function("numpy.gradient")
def gradient(f, *varargs, axis=None, edge_order: "edge order" = 1):
    """Central differences inside, second order for even and for uneven spacing; one-sided ones of
    order ``edge_order`` (1 or 2) at the ends. Integers are computed in float64. Fewer than
    ``edge_order + 1`` elements raise ValueError. Takes one axis or all, no tuple.
    """
    given = np.asarray(f)
    a = given.astype(gradient_dtype(given), "K", copy=False)  # differences of integers may wrap
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    if given.dtype.kind == "b":
        refuse("gradients of booleans: boolean subtract is not supported")
    elif isinstance(axis, tuple):
        refuse("np.gradient takes one axis or None in compiled code")
    elif axis is not None or a.ndim == 1:
        if len(varargs) > 1:
            refuse("invalid number of arguments: there is one axis")
        h = varargs[0] if len(varargs) > 0 else 1.0
        along = 0 if axis is None else normal_axis(axis, a.ndim)
        return gradient_along(a, h, along, edge_order)
    elif len(varargs) == 0:
        return gradients_at(a, 1.0, edge_order)
    elif len(varargs) == 1 and is_scalar(varargs[0]):
        return gradients_at(a, varargs[0], edge_order)
    elif len(varargs) == a.ndim:
        return gradients(a, varargs, 0, edge_order)
    else:
        refuse("invalid number of arguments: np.gradient takes one spacing, or one for each axis")


def trapezoid_along(y, x, dx, axis):
    sums = part(y, axis, 1, None) + part(y, axis, None, -1)
    if x is None:
        return np.sum(dx * sums / 2.0, axis)
    elif x.ndim == 1:
        d = (x[1:] - x[:-1]).reshape(replaced((1,) * y.ndim, axis, x.size - 1))
        return np.sum(d * sums / 2.0, axis)
    else:
        return np.sum(step_between(x, axis) * sums / 2.0, axis)


def places_last(x, axis):
    return axis_last(x, axis) if x.ndim > 1 else x


@function("numpy.trapezoid")
@function("numpy.trapz")
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The trapezoidal rule: the sum (see sum) of ``dx * (y[i] + y[i + 1]) / 2``."""
    a = np.asarray(y)
    if not is_axis(axis, a.ndim):
        raise IndexError("list assignment index out of range")
    along = normal_axis(axis, a.ndim)
    places = None if x is None else np.asarray(x)
    if is_constant(along):
        return trapezoid_along(a, places, dx, along)
    else:
        moved = None if places is None else places_last(places, along)
        return trapezoid_along(axis_last(a, along), moved, dx, a.ndim - 1)


# -- convolution -------------------------------------------------------------------------------


def convolution(a, v, reverse, first, count):
    """Elements first, ..., first + count - 1 of the whole convolution, in pieces that stay in the
    cache while ``v`` passes by."""
    dtype = promote(a, v)
    n = a.shape[0]
    m = v.shape[0]
    if n == 0 or m == 0:
        raise ValueError("the arrays must not be empty")
    out = np.zeros(count, dtype)
    for piece in range(0, count, 1024):
        for j in range(m):
            x = cast(get_flat(v, m - 1 - j if reverse else j), dtype)
            # Element k of `out` takes part with a[k + shift].
            shift = first - j
            start = max(piece, -shift)
            for i in range(min(min(n - shift, count) - start, piece + 1024 - start, 1024)):
                k = start + i
                y = np.multiply(cast(get_flat(a, k + shift), dtype), x)
                set_flat(out, k, np.add(get_flat(out, k), y))
    return out


def part_of_convolution(a, v, reverse, mode, shift):
    """What a mode asks for; ``shift`` decides about the middle."""
    if promote(a, v) == np.float16:  # sums are rounded once
        x, y = a.astype(np.float32), v.astype(np.float32)
        return part_of_convolution(x, y, reverse, mode, shift).astype(np.float16)
    longer = max(a.shape[0], v.shape[0])
    shorter = min(a.shape[0], v.shape[0])
    if mode == "full":
        return convolution(a, v, reverse, 0, longer + shorter - 1)
    elif mode == "same":
        return convolution(a, v, reverse, (shorter - shift) // 2, longer)
    elif mode == "valid":
        return convolution(a, v, reverse, shorter - 1, longer - shorter + 1)
    else:
        raise ValueError("mode must be 'full', 'same' or 'valid'")


def line_of(a):
    """A contiguous array of one dimension."""
    x = np.asarray(a)
    if x.ndim == 0:
        return x.ravel()
    elif x.ndim > 1:
        refuse("object too deep for desired array: it has more than one dimension")
    else:
        return np.ascontiguousarray(x)


@function("numpy.convolve")
def convolve(a, v, mode="full"):
    """By its definition, in n * m multiplications and the type of the result: exact for integers,
    and no transform that would spread rounding errors. float16 is summed in float32. Empty arrays
    raise ValueError.
    """
    x = line_of(a)
    y = line_of(v)
    return part_of_convolution(x, y, False, mode, 1)


@function("numpy.correlate")
def correlate(a, v, mode="valid"):
    """As convolve, with the conjugate of ``v``."""
    x = line_of(a)
    if promote(v).kind == "c":
        y = line_of(np.conj(np.asarray(v)))
    else:
        y = line_of(v)
    # NumPy exchanges a shorter first operand and turns the result around.
    return part_of_convolution(x, y, True, mode, 1 if y.shape[0] <= x.shape[0] else 0)
