"""Positions of extremes, medians and quantiles: what depends on the order of the elements."""

import numpy as np

from ..core.array_expressions import PARALLEL_FROM
from ..core.axes import replaced
from ..core.intrinsics import (
    axes_mask,
    call_runtime,
    cast,
    contiguous,
    get_flat,
    is_constant,
    is_parallel,
    is_scalar,
    on_device,
    prange,
    promote,
    reduced_shape,
    refuse,
    set_flat,
    set_item,
)
from ..core.registry import function
from .cumulative import axis_last, without
from .in_threads import sort_lines
from .methods import normal_axis
from .reductions import axes_of, count_along, put_in_place
from .statistics import float_dtype, restore_axes

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


def find_extreme_of_line(a, how):
    """As find_extreme, in several threads where these are asked for and that pays."""
    if is_parallel() and a.shape[0] >= 8 * PARALLEL_FROM:
        return find_extreme_in_parallel(a, how)
    else:
        return find_extreme(a, how)


@function("numjit.find_extreme_in_parallel", inline=False)
def find_extreme_in_parallel(a, how):
    n = a.shape[0]
    length = PARALLEL_FROM
    parts = (n + length - 1) // length
    places = np.empty(parts, np.int64)
    for k in prange(parts):
        start = k * length
        places[k] = start + find_extreme(a[start : min(start + length, n)], how)
    first = places[0]
    for k in range(1, parts):
        best, x = a[first], a[places[k]]
        if best != best:
            break
        if how[1](x, best) or x != x:
            first = places[k]
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
    """The first one of equal elements; the first NaN, if there is one. An empty array raises
    ValueError.
    """
    how = (np.maximum, np.greater)
    return search(find_extreme_of_line, a, axis, out, keepdims, how)


@function("numpy.argmin")
@function("Array.argmin")
def argmin(a, axis=None, out=None, *, keepdims=False):
    """The first one of equal elements; the first NaN, if there is one. An empty array raises
    ValueError.
    """
    how = (np.minimum, np.less)
    return search(find_extreme_of_line, a, axis, out, keepdims, how)


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
    """NaN where there is one, without NumPy's warning."""
    x = np.asarray(a)
    kind = float_dtype(x, None)
    return put_in_place(over_lines(median_of, x, axis, kind, keepdims, (kind, None)), out)


@function("numpy.nanmedian")
def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """As median of what is not NaN; NaN where nothing is left, without NumPy's warning."""
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
    elif isinstance(q, np.ndarray) and q.ndim == 0:
        return quantiles(a, q[()], scale, axis, out, method, keepdims, weights, ignore_nan)
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
        return replaced(shape, normal_axis(axis, len(shape)), 1)


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
    """quantile of ``q / 100``."""
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
    """Places between the elements as Hyndman and Fan (1996) number them; of NumPy's methods those
    that are steps (``inverted_cdf`` and the like) are refused. ``q`` outside of [0, 1] raises
    ValueError.
    """
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
    """nanquantile of ``q / 100``."""
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
    """As quantile of what is not NaN; NaN where nothing is left."""
    return quantiles(np.asarray(a), q, 1.0, axis, out, method, keepdims, weights, "nan")
