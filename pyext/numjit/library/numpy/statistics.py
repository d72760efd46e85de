"""Means, variances, standard deviations and weighted averages."""

import numpy as np

from ..core.array_expressions import evaluate
from ..core.axes import replaced
from ..core.intrinsics import (
    axes_mask,
    broadcast,
    cast,
    get_flat,
    is_constant,
    is_scalar,
    promote,
    reduced_shape,
    refuse,
    set_flat,
)
from ..core.registry import function
from .cumulative import axis_last, without
from .methods import axes_behind, last_axes, normal_axis, with_ones
from .reductions import (
    axes_of,
    count_along,
    fold_axes,
    narrowed,
    put_in_place,
    reduce,
    with_kept_axes,
)

# -- means and variances -----------------------------------------------------------------------


def float_dtype(a, dtype):
    """The type that a mean is computed in."""
    if dtype is not None:
        return np.dtype(dtype)
    elif promote(a).kind == "f" or promote(a).kind == "c":
        return promote(a)
    else:
        return np.dtype(np.float64)


def number_reduced(a, axis, keepdims, where):
    """How many elements go into each result: a number, or an array where a mask decides."""
    if where is not True:
        return reduce(np.add, broadcast(np.asarray(where), a.shape), axis, np.int64, None, keepdims)
    elif is_constant(axis):
        return count_along(a.shape, axes_of(axis, a.ndim))
    elif isinstance(axis, tuple):
        n = 1
        for k in axis:
            n *= a.shape[k]
        return n
    else:
        return a.shape[axis]


def unchanged_number(x):
    return x


def divided(total, count, dtype, finish=unchanged_number):
    """finish(total / count), in the place of the total if that is an array. Divides in float64."""
    exact = dtype.kind != "f" and dtype.kind != "c"
    if is_scalar(total):
        n = float(count)
        return cast(finish(cast(np.true_divide(total, n), dtype)), dtype)
    elif exact and finish is np.sqrt:
        refuse("Cannot cast ufunc 'sqrt' output to integers with casting rule 'same_kind'")
    elif is_scalar(count):
        n = float(count)
        for i in range(total.size):
            set_flat(total, i, finish(cast(np.true_divide(get_flat(total, i), n), dtype)))
        return total
    else:
        return finish(np.true_divide(total, count, total, casting="unsafe"))


@function("numpy.mean", lazy=True)
@function("Array.mean", lazy=True)
def mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """The sum (see sum) over the number. float16 is summed in float32 and rounded once; integers in
    float64. Of nothing: NaN, without NumPy's warning.
    """
    if is_scalar(a):
        return put_in_place(cast(a, float_dtype(a, dtype)), out)
    elif not isinstance(a, np.ndarray):
        return mean(np.asarray(a), axis, dtype, out, keepdims, where=where)
    kind = float_dtype(a, dtype)
    if kind == np.float16:  # the sum may not fit
        wide = mean(a, axis, np.dtype(np.float32), None, keepdims, where=where)
        return put_in_place(narrowed(wide, kind), out)
    total = reduce(np.add, a, axis, kind, None, keepdims, None, where)
    count = number_reduced(a, axis, keepdims, where)
    return put_in_place(divided(total, count, kind), out)


def squares_into(into, op, d, target, dtype):
    """into(...) of |d|**2."""
    if is_scalar(d):
        square = np.square(np.real(d)) + np.square(np.imag(d))
        return into(op, np.asarray(square), target, dtype)
    elif d.dtype.kind == "c":
        return into(op, np.square(np.real(d)) + np.square(np.imag(d)), target, dtype)
    else:
        return into(op, np.square(d), target, dtype)


def squared_deviations(into, op, e, mean, target, dtype):
    return squares_into(into, op, e - mean, target, dtype)


def squared_deviations_but_nan(into, op, e, mean, target, dtype):
    zero = cast(0, promote(e, mean))
    return squares_into(into, op, np.where(np.equal(e, e), e - mean, zero), target, dtype)


def real_dtype(dtype):
    """Of the parts of complex numbers."""
    if dtype.kind != "c":
        return dtype
    elif dtype.itemsize == 8:
        return np.dtype(np.float32)
    else:
        return np.dtype(np.float64)


def sum_of_squares(a, axis, center, change, dtype):
    """Sum of the squared deviations from an array of means."""
    if is_constant(axis):
        return fold_axes(np.add, a, axes_of(axis, a.ndim), dtype, None, change, center)
    else:
        return fold_axes(
            np.add,
            axis_last(a, normal_axis(axis, a.ndim)),
            axes_mask(-1, a.ndim),
            dtype,
            None,
            change,
            center,
        )


def degrees_of_freedom(count, ddof):
    if is_scalar(count):
        return max(count - ddof, 0)
    else:
        return np.maximum(count - ddof, 0)


def restore_axes(result, shape, axis, keepdims):
    """with_kept_axes for an axis that may be known at run time only."""
    if is_constant(axis):
        return with_kept_axes(result, shape, axes_of(axis, len(shape)), keepdims)
    elif not keepdims:
        return result
    else:
        kept = replaced(shape, normal_axis(axis, len(shape)), 1)
        if is_scalar(result):
            out = np.empty(kept, promote(result))
            set_flat(out, 0, result)
            return out
        else:
            return result.reshape(kept)


def masked_squares(a, axis, kind, dtype, keepdims, where, center):
    """Sum of the squared deviations of the elements that a mask chooses."""
    middle = mean(a, axis, kind, None, True, where=where) if center is None else center
    d = evaluate(np.abs(a - middle))
    return reduce(np.add, np.square(d), axis, dtype, None, keepdims, None, where)


def variance(a, axis, dtype, ddof, keepdims, where, center, finish):
    """Two passes, as NumPy: the deviations from the mean are squared, so nothing cancels."""
    kind = float_dtype(a, dtype)
    real = real_dtype(kind) if dtype is None else kind
    if isinstance(axis, tuple) and not is_constant(axis):
        if where is not True or center is not None:
            refuse("axis must be known at compile time beside where= and mean=")
        x = axes_behind(a, axis)
        last = last_axes(len(axis))
        result = variance(x, last, dtype, ddof, False, True, None, finish)
        return np.asarray(result).reshape(with_ones(a.shape, axis)) if keepdims else result
    elif kind == np.float16:
        wide = np.dtype(np.float32)
        return narrowed(variance(a, axis, wide, ddof, keepdims, where, center, finish), kind)
    elif where is not True:
        total = masked_squares(a, axis, kind, real, keepdims, where, center)
        count = number_reduced(a, axis, keepdims, where)
        return divided(total, degrees_of_freedom(count, ddof), real, finish)
    else:
        if center is None:
            middle = mean(a, axis, kind)
        elif is_scalar(center) or center.ndim < a.ndim:
            middle = center
        else:
            middle = without_axes(center, axis, a.ndim)
        total = sum_of_squares(a, axis, middle, squared_deviations, real)
        count = number_reduced(a, axis, False, True)
        result = divided(total, degrees_of_freedom(count, ddof), real, finish)
        return restore_axes(result, a.shape, axis, keepdims)


def without_axes(a, axis, ndim):
    """The array without the axes of length 1 that keepdims left."""
    if is_constant(axis):
        if axes_of(axis, ndim) == axes_mask(None, ndim):
            return a.item()
        else:
            return a.reshape(reduced_shape(a.shape, axes_of(axis, ndim), False))
    else:
        return a.reshape(without(a.shape, normal_axis(axis, ndim)))


@function("numpy.var")
@function("Array.var")
def var(
    a,
    axis=None,
    dtype=None,
    out=None,
    ddof=0,
    keepdims=False,
    *,
    where=True,
    mean=None,
    correction=None,
):
    """Two passes, as NumPy: the squares of the deviations from the mean. float16 is computed in
    float32. Too few elements for ``ddof``: NaN or inf, without NumPy's warning.
    """
    x = np.asarray(a)
    freedom = ddof if correction is None else correction
    result = variance(x, axis, dtype, freedom, keepdims, where, mean, unchanged_number)
    return put_in_place(result, out)


@function("numpy.std")
@function("Array.std")
def std(
    a,
    axis=None,
    dtype=None,
    out=None,
    ddof=0,
    keepdims=False,
    *,
    where=True,
    mean=None,
    correction=None,
):
    """The square root of var."""
    x = np.asarray(a)
    freedom = ddof if correction is None else correction
    result = variance(x, axis, dtype, freedom, keepdims, where, mean, np.sqrt)
    return put_in_place(result, out)


@function("numpy.average")
def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    """The sums of ``a * w`` and of ``w`` (see sum), divided. Weights that sum to zero, and a result
    without elements, raise ZeroDivisionError.
    """
    x = np.asarray(a)
    if weights is None:
        result = mean(x, axis, None, None, keepdims)
        if not is_scalar(result):
            if result.size == 0:  # NumPy computes how many elements each mean has
                raise ZeroDivisionError("division by zero")
        if returned:
            count = number_reduced(x, axis, keepdims, True)
            return result, like_total(result, count)
        else:
            return result
    else:
        w = np.asarray(weights)
        if w.ndim != x.ndim:
            if axis is None:
                refuse("axis must be specified when shapes of a and weights differ")
            along = normal_axis(axis, x.ndim)
            if w.shape[0] != x.shape[along]:
                raise ValueError("Length of weights not compatible with specified axis.")
            spread = w.reshape(replaced((1,) * x.ndim, along, w.shape[0]))
            return weighted(x, broadcast(spread, x.shape), axis, returned, keepdims)
        else:
            if w.shape != x.shape:
                raise ValueError(
                    "Shape of weights must be consistent with shape of a along specified axis."
                )
            return weighted(x, w, axis, returned, keepdims)


def like_total(result, count):
    if is_scalar(result):
        return cast(count, promote(result))
    else:
        return np.full(result.shape, cast(count, result.dtype))


def weighted(x, w, axis, returned, keepdims):
    kind = promote(x, w)
    if kind.kind == "f" or kind.kind == "c":
        real = kind
    else:
        real = np.dtype(np.float64)
    scale = reduce(np.add, w, axis, real, None, keepdims)
    if np.any(scale == 0):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    total = reduce(np.add, np.multiply(x, w), axis, real, None, keepdims)
    result = (
        np.true_divide(total, scale) if is_scalar(total) else np.true_divide(total, scale, total)
    )
    if returned:
        return result, scale
    else:
        return result
