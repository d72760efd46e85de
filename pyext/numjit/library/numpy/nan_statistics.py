"""Sums, means, variances and extremes that leave NaN out."""

import numpy as np

from ..core.array_expressions import evaluate
from ..core.intrinsics import cast, get_flat, is_scalar, promote, refuse, replace_nan, set_flat
from ..core.registry import function
from .order_statistics import find_extreme, refuse_empty_search, search
from .reductions import put_in_place, reduce
from .statistics import (
    divided,
    float_dtype,
    masked_squares,
    mean,
    number_reduced,
    real_dtype,
    restore_axes,
    squared_deviations_but_nan,
    sum_of_squares,
    unchanged_number,
    variance,
)


def has_nan(a):
    """Whether the type has NaN at all."""
    return promote(a).kind == "f" or promote(a).kind == "c"


@function("numpy.nansum", lazy=True)
def nansum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """As sum, with 0 in the place of NaN."""
    if not is_scalar(a) and not isinstance(a, np.ndarray):
        return nansum(np.asarray(a), axis, dtype, out, keepdims, initial, where)
    elif has_nan(a):
        x = replace_nan(a, 0)
        return reduce(np.add, x, axis, dtype, out, keepdims, initial, where)
    else:
        return reduce(np.add, a, axis, dtype, out, keepdims, initial, where)


@function("numpy.nanprod", lazy=True)
def nanprod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """As prod, with 1 in the place of NaN."""
    if not is_scalar(a) and not isinstance(a, np.ndarray):
        return nanprod(np.asarray(a), axis, dtype, out, keepdims, initial, where)
    elif has_nan(a):
        x = replace_nan(a, 1)
        return reduce(np.multiply, x, axis, dtype, out, keepdims, initial, where)
    else:
        return reduce(np.multiply, a, axis, dtype, out, keepdims, initial, where)


@function("numpy.nanmax", lazy=True)
def nanmax(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    """NaN where nothing else is there, without NumPy's warning."""
    return reduce(np.fmax, a, axis, None, out, keepdims, initial, where)


@function("numpy.nanmin", lazy=True)
def nanmin(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    """NaN where nothing else is there, without NumPy's warning."""
    return reduce(np.fmin, a, axis, None, out, keepdims, initial, where)


def numbers_counted(a, axis, keepdims):
    """How many elements are not NaN."""
    return reduce(np.add, np.equal(a, a), axis, np.int64, None, keepdims)


@function("numpy.nanmean")
def nanmean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """As mean of what is not NaN; NaN where nothing is left, without NumPy's warning."""
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
    """Two passes, as var; NaN where nothing is left, without NumPy's warning."""
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
    """The square root of nanvar."""
    x = np.asarray(a)
    freedom = ddof if correction is None else correction
    result = nan_variance(x, axis, dtype, freedom, keepdims, where, mean, np.sqrt)
    return put_in_place(result, out)


def find_extreme_number(a, how):
    """find_extreme with the infinity that loses to all others in the place of NaN, as NumPy."""
    op, _ = how
    if not has_nan(a):
        return find_extreme(a, how)
    for i in range(a.shape[0]):
        if a[i] == a[i]:
            return find_extreme(replace_nan(a, -np.inf if op is np.maximum else np.inf), how)
    if a.shape[0] == 0:
        refuse_empty_search(op)
    raise ValueError("All-NaN slice encountered")


@function("numpy.nanargmax")
def nanargmax(a, axis=None, out=None, *, keepdims=False):
    """A line of NaN raises ValueError."""
    how = (np.maximum, np.greater)
    return search(find_extreme_number, a, axis, out, keepdims, how)


@function("numpy.nanargmin")
def nanargmin(a, axis=None, out=None, *, keepdims=False):
    """A line of NaN raises ValueError."""
    how = (np.minimum, np.less)
    return search(find_extreme_number, a, axis, out, keepdims, how)
