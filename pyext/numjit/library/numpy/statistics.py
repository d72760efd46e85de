"""Means, variances, order statistics, and the functions that ignore NaN."""

import numpy as np

from ..core.array_expressions import evaluate
from ..core.intrinsics import (
    axes_mask,
    broadcast,
    call_runtime,
    cast,
    contiguous,
    get_flat,
    is_constant,
    is_scalar,
    on_device,
    promote,
    reduced_shape,
    refuse,
    replace_nan,
    set_flat,
    set_item,
    strided,
)
from ..core.registry import function
from .cumulative import axis_last, with_item, without
from .in_threads import sort_lines
from .methods import normal_axis
from .reductions import (
    axes_of,
    count_along,
    fold,
    fold_axes,
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
    else:
        return a.shape[axis]


def unchanged_number(x):
    return x


def divided(total, count, dtype, finish=unchanged_number):
    """finish(total / count), in the place of the total if that is an array."""
    exact = dtype.kind != "f" and dtype.kind != "c"
    if is_scalar(total):
        n = float(count) if exact else cast(count, real_dtype(dtype))
        return cast(finish(cast(np.true_divide(total, n), dtype)), dtype)
    elif exact and finish is np.sqrt:
        refuse("Cannot cast ufunc 'sqrt' output to integers with casting rule 'same_kind'")
    elif is_scalar(count):
        n = float(count) if exact else cast(count, real_dtype(dtype))
        for i in range(total.size):
            set_flat(total, i, finish(cast(np.true_divide(get_flat(total, i), n), dtype)))
        return total
    else:
        return finish(np.true_divide(total, count, total, casting="unsafe"))


@function("numpy.mean", lazy=True)
@function("Array.mean", lazy=True)
def mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    if is_scalar(a):
        return put_in_place(cast(a, float_dtype(a, dtype)), out)
    elif not isinstance(a, np.ndarray):
        return mean(np.asarray(a), axis, dtype, out, keepdims, where=where)
    kind = float_dtype(a, dtype)
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
        kept = with_item(shape, normal_axis(axis, len(shape)), 1)
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
    if where is not True:
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
    x = np.asarray(a)
    freedom = ddof if correction is None else correction
    result = variance(x, axis, dtype, freedom, keepdims, where, mean, np.sqrt)
    return put_in_place(result, out)


@function("numpy.average")
def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
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
            spread = w.reshape(with_item((1,) * x.ndim, along, w.shape[0]))
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


# -- where the extremes are --------------------------------------------------------------------


def find_extreme(a, how):
    """The first place of the extreme element of a line; NaN counts as one. The block that holds
    it is found by reductions, which vectorise."""
    op, better = how
    n = a.shape[0]
    if n == 0:
        refuse_empty_search(op)
    size = 2048 // a.itemsize
    best = a[0]
    first = 0
    for block in range(0, n, size):
        x = a[block]
        for i in range(min(n - block, size)):
            x = op(x, a[block + i])
        if better(x, best):
            best = x
            first = block
        if x != x:
            best = x
            first = block
            break
    for i in range(first, n):
        x = a[i]
        if x == best or x != x:
            return i
    return first


def refuse_empty_search(op):
    if op is np.minimum:
        raise ValueError("attempt to get argmin of an empty sequence")
    else:
        raise ValueError("attempt to get argmax of an empty sequence")


def per_line(f, out, a, extra):
    """``out`` is f(line, extra) of each line along the last axis."""
    if out.ndim == 0:
        set_item(out, (), f(a, extra))
    elif out.ndim == 1:
        for i in range(out.shape[0]):
            set_item(out, i, f(a[i], extra))
    else:
        for i in range(out.shape[0]):
            per_line(f, out[i], a[i], extra)


def several_axes_last(a, axes, ndim):
    """The axes of a bit set as one last axis."""
    return np.ascontiguousarray(np.transpose(a, last_of(axes, 0, ndim))).reshape(
        reduced_shape(a.shape, axes, False) + (count_along(a.shape, axes),)
    )


def last_of(axes, i, ndim):
    """A permutation that puts the axes of a bit set last."""
    return chosen(axes, 0, i, ndim) + chosen(axes, 1, i, ndim)


def chosen(axes, wanted, i, ndim):
    if i == ndim:
        return ()
    elif axes % 2 == wanted:
        return (i,) + chosen(axes // 2, wanted, i + 1, ndim)
    else:
        return chosen(axes // 2, wanted, i + 1, ndim)


def over_lines(f, a, axis, dtype, keepdims, extra):
    """f(line, extra) along an axis, a tuple of axes or (axis=None) over all elements in C order."""
    if axis is None:
        return restore_axes(f(a.ravel(), extra), a.shape, axis, keepdims)
    elif isinstance(axis, tuple):
        axes = axes_of(axis, a.ndim)
        if axes == axes_mask(None, a.ndim):
            return restore_axes(f(a.ravel(), extra), a.shape, axis, keepdims)
        else:
            moved = several_axes_last(a, axes, a.ndim)
            out = np.empty(moved.shape[:-1], dtype)
            per_line(f, out, moved, extra)
            return restore_axes(out, a.shape, axis, keepdims)
    else:
        along = normal_axis(axis, a.ndim)
        if a.ndim == 1:
            return restore_axes(f(a, extra), a.shape, axis, keepdims)
        else:
            out = np.empty(without(a.shape, along), dtype)
            per_line(f, out, axis_last(a, along), extra)
            return restore_axes(out, a.shape, axis, keepdims)


def search(f, a, axis, out, keepdims, how):
    if isinstance(axis, tuple):
        refuse("'tuple' object cannot be interpreted as an integer")
    else:
        a = np.asarray(a)
        if axis is not None and a.ndim > 1:
            if a.shape[normal_axis(axis, a.ndim)] == 0:  # be there lines or not
                refuse_empty_search(how[0])
        places = over_lines(f, a, axis, np.int64, keepdims, how)
        return put_in_place(places, out)


@function("numpy.argmax")
@function("Array.argmax")
def argmax(a, axis=None, out=None, *, keepdims=False):
    how = (np.maximum, np.greater)
    return search(find_extreme, a, axis, out, keepdims, how)


@function("numpy.argmin")
@function("Array.argmin")
def argmin(a, axis=None, out=None, *, keepdims=False):
    how = (np.minimum, np.less)
    return search(find_extreme, a, axis, out, keepdims, how)


# -- order statistics --------------------------------------------------------------------------


def scratch_of(a, dtype, ignore_nan):
    """A copy of a line to reorder, and how many of its elements count: -1 if there is a NaN."""
    n = a.shape[0]
    out = np.empty(n, dtype)
    count = 0
    for i in range(n):
        x = cast(a[i], dtype)
        set_flat(out, count, x)
        if x == x:
            count += 1
        elif not ignore_nan:
            return out, -1
    return out, count


def nth_pair(line, n, k):
    """The elements at k and k + 1 (at most the last one) of the first n, if they were sorted."""
    next = min(k + 1, n - 1)
    step = line.strides
    if on_device():
        sort_lines(line[:n], line[:n], 0)
    else:
        call_runtime("nj_partition", line, step, line, step, (n,), 1, 0, line.dtype, (k, next), 2)
    return line[k], line[next]


def median_of(a, extra):
    kind, ignore_nan = extra
    line, n = scratch_of(a, kind, ignore_nan)
    if n <= 0:
        return cast(np.nan, kind)
    low, high = nth_pair(line, n, (n - 1) // 2)
    if n % 2 == 1:
        return low
    else:
        return cast((low + high) / 2.0, kind)


@function("numpy.median")
def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    x = np.asarray(a)
    kind = float_dtype(x, None)
    return put_in_place(over_lines(median_of, x, axis, kind, keepdims, (kind, None)), out)


@function("numpy.nanmedian")
def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    x = np.asarray(a)
    kind = float_dtype(x, None)
    return put_in_place(over_lines(median_of, x, axis, kind, keepdims, (kind, "nan")), out)


def place_of(q, n, method):
    """Where the quantile lies among n sorted elements, which count from 0 (Hyndman and Fan)."""
    if method == "linear":
        return q * (n - 1)
    elif method == "lower":
        return np.floor(q * (n - 1))
    elif method == "higher":
        return np.ceil(q * (n - 1))
    elif method == "nearest":
        return np.rint(q * (n - 1))
    elif method == "midpoint":
        place = q * (n - 1)
        return 0.5 * (np.floor(place) + np.ceil(place))
    elif method == "hazen":
        return n * q - 0.5
    elif method == "weibull":
        return (n + 1) * q - 1.0
    elif method == "median_unbiased":
        return n * q + (1.0 + q) / 3.0 - 1.0
    elif method == "normal_unbiased":
        return n * q + (0.375 + q * 0.25) - 1.0
    elif method == "interpolated_inverted_cdf":
        return n * q - 1.0
    else:
        refuse("this method of np.quantile is not supported in compiled code")


def quantile_of(line, n, q, method, kind):
    """A quantile of the first n elements, which are reordered."""
    place = max(place_of(q, n, method), 0.0)
    k = min(int(place), n - 1)
    t = place - k
    low, high = nth_pair(line, n, k)
    if method == "lower" or method == "higher" or method == "nearest":
        return cast(low, kind)
    elif t >= 0.5:
        return cast(high - (high - low) * (1.0 - t), kind)
    else:
        return cast(low + (high - low) * t, kind)


def quantiles_into(out, a, qs, scale, method, ignore_nan):
    """Quantiles of the lines of ``a``; ``out`` has them along its last axis."""
    if a.ndim == 1:
        line, n = scratch_of(a, a.dtype, ignore_nan)
        for i in range(qs.shape[0]):
            if n <= 0:
                set_item(out, i, cast(np.nan, out.dtype))
            else:
                set_item(out, i, quantile_of(line, n, get_flat(qs, i) / scale, method, out.dtype))
    else:
        for i in range(a.shape[0]):
            quantiles_into(out[i], a[i], qs, scale, method, ignore_nan)


def check_quantiles(qs, scale):
    for i in range(qs.size):
        if not (get_flat(qs, i) >= 0.0 and get_flat(qs, i) <= scale):
            if scale == 100.0:
                raise ValueError("Percentiles must be in the range [0, 100]")
            else:
                raise ValueError("Quantiles must be in the range [0, 1]")


def quantile_dtype(a, q, method):
    if method == "lower" or method == "higher" or method == "nearest":
        return a.dtype
    elif is_constant(q) and a.dtype.kind == "f":
        return a.dtype
    else:
        return promote(a, np.float64)


def quantiles(a, q, scale, axis, out, method, keepdims, weights, ignore_nan):
    if weights is not None:
        refuse("weights of quantiles are not supported in compiled code")
    elif a.dtype.kind == "c":
        refuse("quantiles of complex numbers: a must be an array of real numbers")
    elif a.dtype.kind == "b" and method != "lower" and method != "higher" and method != "nearest":
        refuse("quantiles of booleans need a method that does not compute with them")
    kind = quantile_dtype(a, q, method)
    if is_scalar(q):
        qs = np.empty(1, np.float64)
        set_flat(qs, 0, cast(q, np.float64))
    else:
        qs = np.asarray(q).ravel()
    check_quantiles(qs, scale)
    if axis is None:
        lines = a.ravel()
    elif isinstance(axis, tuple):
        lines = lines_of_axes(a, axes_of(axis, a.ndim))
    else:
        lines = axis_last(a, normal_axis(axis, a.ndim))
    kept = lines.shape[:-1]
    if lines.shape[-1] == 0 and ignore_nan is None:
        raise IndexError("index -1 is out of bounds for axis 0 with size 0")
    result = np.empty((qs.size,) + kept, kind)
    quantiles_into(axis_last(result, 0), lines, qs, scale, method, ignore_nan)
    if is_scalar(q):
        if len(kept) == 0:
            return put_in_place(restore_axes(result[0], a.shape, axis, keepdims), out)
        else:
            return put_in_place(
                restore_axes(contiguous(result, kept), a.shape, axis, keepdims), out
            )
    elif keepdims:
        full = restore_shape(a.shape, axis)
        return put_in_place(contiguous(result, np.asarray(q).shape + full), out)
    else:
        return put_in_place(contiguous(result, np.asarray(q).shape + kept), out)


def lines_of_axes(a, axes):
    if axes == axes_mask(None, a.ndim):
        return a.ravel()
    else:
        return several_axes_last(a, axes, a.ndim)


def restore_shape(shape, axis):
    if is_constant(axis):
        return reduced_shape(shape, axes_of(axis, len(shape)), True)
    else:
        return with_item(shape, normal_axis(axis, len(shape)), 1)


@function("numpy.percentile")
def percentile(
    a,
    q,
    axis=None,
    out=None,
    overwrite_input=False,
    method="linear",
    keepdims=False,
    *,
    weights=None,
):
    return quantiles(np.asarray(a), q, 100.0, axis, out, method, keepdims, weights, None)


@function("numpy.quantile")
def quantile(
    a,
    q,
    axis=None,
    out=None,
    overwrite_input=False,
    method="linear",
    keepdims=False,
    *,
    weights=None,
):
    return quantiles(np.asarray(a), q, 1.0, axis, out, method, keepdims, weights, None)


@function("numpy.nanpercentile")
def nanpercentile(
    a,
    q,
    axis=None,
    out=None,
    overwrite_input=False,
    method="linear",
    keepdims=False,
    *,
    weights=None,
):
    return quantiles(np.asarray(a), q, 100.0, axis, out, method, keepdims, weights, "nan")


@function("numpy.nanquantile")
def nanquantile(
    a,
    q,
    axis=None,
    out=None,
    overwrite_input=False,
    method="linear",
    keepdims=False,
    *,
    weights=None,
):
    return quantiles(np.asarray(a), q, 1.0, axis, out, method, keepdims, weights, "nan")


# -- reductions that ignore NaN ----------------------------------------------------------------


def has_nan(a):
    """Whether the type has NaN at all."""
    return promote(a).kind == "f" or promote(a).kind == "c"


@function("numpy.nansum", lazy=True)
def nansum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    if not is_scalar(a) and not isinstance(a, np.ndarray):
        return nansum(np.asarray(a), axis, dtype, out, keepdims, initial, where)
    elif has_nan(a):
        x = replace_nan(a, 0)
        return reduce(np.add, x, axis, dtype, out, keepdims, initial, where)
    else:
        return reduce(np.add, a, axis, dtype, out, keepdims, initial, where)


@function("numpy.nanprod", lazy=True)
def nanprod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    if not is_scalar(a) and not isinstance(a, np.ndarray):
        return nanprod(np.asarray(a), axis, dtype, out, keepdims, initial, where)
    elif has_nan(a):
        x = replace_nan(a, 1)
        return reduce(np.multiply, x, axis, dtype, out, keepdims, initial, where)
    else:
        return reduce(np.multiply, a, axis, dtype, out, keepdims, initial, where)


@function("numpy.nanmax", lazy=True)
def nanmax(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    return reduce(np.fmax, a, axis, None, out, keepdims, initial, where)


@function("numpy.nanmin", lazy=True)
def nanmin(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    return reduce(np.fmin, a, axis, None, out, keepdims, initial, where)


def numbers_counted(a, axis, keepdims):
    """How many elements are not NaN."""
    return reduce(np.add, np.equal(a, a), axis, np.int64, None, keepdims)


@function("numpy.nanmean")
def nanmean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    x = np.asarray(a)
    if not has_nan(x):
        return mean(x, axis, dtype, out, keepdims, where=where)
    else:
        kind = inexact_dtype(x, dtype)
        if where is not True:
            return mean(x, axis, kind, out, keepdims, where=numbers_of(x, where))
        total = nansum(x, axis, kind, None, keepdims)
        count = numbers_counted(x, axis, keepdims)
        return put_in_place(divided(total, count, kind), out)


def inexact_dtype(a, dtype):
    """float_dtype for an array that may hold NaN."""
    kind = float_dtype(a, dtype)
    if kind.kind != "f" and kind.kind != "c":
        refuse("If a is inexact, then dtype must be inexact")
    return kind


def numbers_of(a, where):
    """The mask of the elements that are chosen and not NaN."""
    if where is True:
        return evaluate(np.equal(a, a))
    else:
        return evaluate(np.logical_and(np.equal(a, a), np.asarray(where)))


def nan_variance(a, axis, dtype, ddof, keepdims, where, center, finish):
    if not has_nan(a):
        return variance(a, axis, dtype, ddof, keepdims, where, center, finish)
    kind = inexact_dtype(a, dtype)
    real = real_dtype(kind) if dtype is None else kind
    if where is not True or center is not None:
        chosen = numbers_of(a, where)
        total = masked_squares(a, axis, kind, real, keepdims, chosen, center)
        return of_enough(total, number_reduced(a, axis, keepdims, chosen), ddof, finish)
    else:
        count = numbers_counted(a, axis, False)
        middle = divided(nansum(a, axis, kind), count, kind)
        total = sum_of_squares(a, axis, middle, squared_deviations_but_nan, real)
        result = of_enough(total, count, ddof, finish)
        return restore_axes(result, a.shape, axis, keepdims)


def of_enough(total, count, ddof, finish):
    """Variances; those of too few numbers are NaN here, without NumPy's infinities."""
    if is_scalar(total):
        freedom = max(count - ddof, 0)
        result = finish(np.true_divide(total, cast(freedom, promote(total))))
        return result if freedom > 0 else cast(np.nan, promote(total))
    else:
        for i in range(total.size):
            freedom = get_flat(count, i) - ddof
            x = finish(np.true_divide(get_flat(total, i), cast(freedom, total.dtype)))
            set_flat(total, i, x if freedom > 0 else cast(np.nan, total.dtype))
        return total


@function("numpy.nanvar")
def nanvar(
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
    x = np.asarray(a)
    freedom = ddof if correction is None else correction
    result = nan_variance(x, axis, dtype, freedom, keepdims, where, mean, unchanged_number)
    return put_in_place(result, out)


@function("numpy.nanstd")
def nanstd(
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
    x = np.asarray(a)
    freedom = ddof if correction is None else correction
    result = nan_variance(x, axis, dtype, freedom, keepdims, where, mean, np.sqrt)
    return put_in_place(result, out)


def find_extreme_number(a, how):
    """find_extreme that ignores NaN."""
    op, _ = how
    if not has_nan(a):
        return find_extreme(a, how)
    for i in range(a.shape[0]):
        if a[i] == a[i]:  # the first number; it can stand for NaN as it comes before the others
            return max(i, find_extreme(replace_nan(a, a[i]), how))
    if a.shape[0] == 0:
        refuse_empty_search(op)
    raise ValueError("All-NaN slice encountered")


@function("numpy.nanargmax")
def nanargmax(a, axis=None, out=None, *, keepdims=False):
    how = (np.maximum, np.greater)
    return search(find_extreme_number, a, axis, out, keepdims, how)


@function("numpy.nanargmin")
def nanargmin(a, axis=None, out=None, *, keepdims=False):
    how = (np.minimum, np.less)
    return search(find_extreme_number, a, axis, out, keepdims, how)


# -- covariances -------------------------------------------------------------------------------


def observations(m, rowvar):
    """A matrix with a variable in each row."""
    x = np.asarray(m)
    if x.ndim > 2:
        refuse("m has more than 2 dimensions")
    elif x.ndim < 2:
        return x.reshape((1, x.size))
    elif is_constant(rowvar):
        return x if rowvar else x.T
    else:  # one type for both
        rows = strided(x, 0, x.shape, x.strides)
        return rows if rowvar else rows.T


def deviations_into(out, first, x, w, total):
    """Stores rows less their (weighted) means."""
    for i in range(x.shape[0]):
        row = x[i]
        target = out[first + i]
        if w is None:
            center = np.true_divide(np.sum(row), total)
        else:
            center = np.true_divide(np.sum(row * w), total)
        for k in range(row.shape[0]):
            set_flat(target, k, cast(row[k] - center, out.dtype))


def observation_weights(fweights, aweights, n):
    """The product of both kinds of weights, or None."""
    if fweights is None and aweights is None:
        return None
    elif aweights is None:
        return checked_weights(fweights, n)
    elif fweights is None:
        return checked_weights(aweights, n)
    else:
        return checked_weights(fweights, n) * checked_weights(aweights, n)


def checked_weights(weights, n):
    w = np.asarray(weights).astype(np.float64)
    if w.shape[0] != n:
        raise RuntimeError("incompatible numbers of samples and weights")
    if np.any(w < 0):
        raise ValueError("weights cannot be negative")
    return w


def covariance(m, y, rowvar, dtype, ddof, fweights, aweights, normalise):
    x = observations(m, rowvar)
    n = x.shape[1]
    p = x.shape[0]
    w = observation_weights(fweights, aweights, n)
    if w is None:
        total = float(n)
        factor = total - ddof
    else:
        total = np.sum(w)
        if total == 0:
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        if aweights is None:
            factor = total - ddof
        else:
            factor = total - ddof * np.sum(w * np.asarray(aweights)) / total
    if y is not None:
        other = observations(y, rowvar)
        if other.shape[1] != n:
            raise ValueError("the two sets of observations have different lengths")
        p += other.shape[0]
    kind = dtype if w is None else promote(dtype, w)
    d = np.empty((p, n), dtype)
    deviations_into(d, 0, x, w, total)
    if y is not None:
        deviations_into(d, x.shape[0], other, w, total)
    out = np.empty((p, p), kind)
    factor = max(factor, 0.0)
    deviation = np.empty(p, np.float64)
    for i in range(p):
        for j in range(i, -1, -1):
            s = np.true_divide(sum_of_products(d[i], d[j], w), factor)
            if normalise:
                if i == j:
                    deviation[i] = np.sqrt(np.real(s))
                s = clipped(np.true_divide(np.true_divide(s, deviation[i]), deviation[j]))
            s = cast(s, kind)
            out[i, j] = s
            out[j, i] = np.conj(s)
    return out


def sum_of_products(x, y, w):
    if w is None:
        if x.dtype.kind == "c":
            return fold(np.add, x * np.conj(y), cast(0, x.dtype), x.dtype)
        else:
            return fold(np.add, x * y, cast(0, x.dtype), x.dtype)
    else:
        kind = promote(x, w)
        return fold(np.add, x * (np.conj(y) * w), cast(0, kind), kind)


def cov_dtype(m, y, dtype):
    if dtype is not None:
        return np.dtype(dtype)
    elif y is None:
        return promote(m, np.float64)
    else:
        return promote(m, y, np.float64)


def is_one_variable(m, y):
    return y is None and np.asarray(m).ndim < 2


@function("numpy.cov")
def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    freedom = (0 if bias else 1) if ddof is None else ddof
    if freedom != int(freedom):
        raise ValueError("ddof must be integer")
    result = covariance(m, y, rowvar, cov_dtype(m, y, dtype), freedom, fweights, aweights, False)
    if is_one_variable(m, y):
        return contiguous(result, ())
    else:
        return result


@function("numpy.corrcoef")
def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    c = covariance(x, y, rowvar, cov_dtype(x, y, dtype), 1, None, None, True)
    if is_one_variable(x, y):
        return c[0, 0]
    else:
        return c


def clipped(r):
    """Rounding takes correlations out of [-1, 1]."""
    if promote(r).kind == "c":
        return complex(
            np.minimum(np.maximum(r.real, -1.0), 1.0), np.minimum(np.maximum(r.imag, -1.0), 1.0)
        )
    else:
        return np.minimum(np.maximum(r, -1.0), 1.0)
