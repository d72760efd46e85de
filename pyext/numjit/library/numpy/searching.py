"""Searching in sorted arrays: positions, bins, and distinct elements."""

import numpy as np

from ..core.intrinsics import get_flat, is_scalar, is_text, layout_is, promote, refuse, set_flat
from ..core.registry import function
from .methods import ravel
from .sorting import argsort, sort


def precedes(a, b):
    """Whether ``a`` is sorted in front of ``b``; NaN is last."""
    kind = promote(a, b).kind
    if kind == "c":
        return complex_precedes(np.complex128(a), np.complex128(b))
    elif kind == "f":
        return (a < b) | ((b != b) & (a == a))
    else:
        return a < b


def complex_precedes(a, b):
    """As the runtime sorts: by the parts with a NaN, then by the others."""
    a_nan = 2 * (a.real != a.real) + (a.imag != a.imag)
    b_nan = 2 * (b.real != b.real) + (b.imag != b.imag)
    if a_nan != b_nan:
        return a_nan < b_nan
    elif a_nan < 2 and a.real != b.real:
        return a.real < b.real
    else:
        return a.imag < b.imag


# -- searchsorted ------------------------------------------------------------------------------


def element(a, i):
    if layout_is(a, "C"):
        return get_flat(a, i)
    else:
        return a[i]


def goes_behind(y, x, side):
    """Whether the place of ``x`` is behind the element ``y``; real numbers are not NaN."""
    if not is_text(x) and promote(x, y).kind == "c":
        if side == "left":
            return precedes(y, x)
        else:
            return not precedes(x, y)
    elif side == "left":
        return y < x
    else:
        return y <= x


def is_nan(x):
    return not is_text(x) and promote(x).kind == "f" and x != x


def count_of_numbers(a):
    """Number of elements in front of the NaN at the end."""
    n = a.shape[0]
    if a.dtype.kind == "f":
        while n > 0 and is_nan(a[n - 1]):
            n -= 1
    return n


def place_of_nan(a, numbers, side):
    if side == "left":
        return numbers
    else:
        return a.shape[0]


def place_of(a, x, side):
    """Where to insert ``x``: halves without a branch on the data."""
    numbers = count_of_numbers(a)
    if is_nan(x):
        return place_of_nan(a, numbers, side)
    low = 0
    count = numbers
    while count > 1:
        half = count >> 1
        low += half * np.int64(goes_behind(element(a, low + half - 1), x, side))
        count -= half
    if count == 1:
        low += np.int64(goes_behind(element(a, low), x, side))
    return low


def places(out, a, values, start, count, side):
    """Places of ``values[start : start + count]`` (contiguous) to ``out``.

    Four at a time: each search waits for its loads, and these overlap.
    """
    numbers = count_of_numbers(a)
    nan = place_of_nan(a, numbers, side)
    for i in range(0, count, 4):
        i1 = min(i + 1, count - 1)
        i2 = min(i + 2, count - 1)
        i3 = min(i + 3, count - 1)
        x = get_flat(values, start + i)
        x1 = get_flat(values, start + i1)
        x2 = get_flat(values, start + i2)
        x3 = get_flat(values, start + i3)
        low = low1 = low2 = low3 = 0
        left = numbers
        while left > 1:
            half = left >> 1
            at = half - 1
            low += half * np.int64(goes_behind(element(a, low + at), x, side))
            low1 += half * np.int64(goes_behind(element(a, low1 + at), x1, side))
            low2 += half * np.int64(goes_behind(element(a, low2 + at), x2, side))
            low3 += half * np.int64(goes_behind(element(a, low3 + at), x3, side))
            left -= half
        if left == 1:
            low += np.int64(goes_behind(element(a, low), x, side))
            low1 += np.int64(goes_behind(element(a, low1), x1, side))
            low2 += np.int64(goes_behind(element(a, low2), x2, side))
            low3 += np.int64(goes_behind(element(a, low3), x3, side))
        set_flat(out, i3, nan if is_nan(x3) else low3)
        set_flat(out, i2, nan if is_nan(x2) else low2)
        set_flat(out, i1, nan if is_nan(x1) else low1)
        set_flat(out, i, nan if is_nan(x) else low)


def checked_side(side):
    if side != "left" and side != "right":
        raise ValueError("search side must be one of 'left' or 'right'")


def taken(a, positions):
    """The elements at some positions."""
    out = np.empty(len(positions), a.dtype)
    for i in range(len(positions)):
        out[i] = a[positions[i]]
    return out


@function("numpy.searchsorted")
def searchsorted(a, v, side="left", sorter=None):
    """Binary searches that halve without a branch, four at a time. NaN is behind all numbers.
    ValueError for another side than left and right.
    """
    checked_side(side)
    if not isinstance(a, np.ndarray):
        return searchsorted(np.asarray(a), v, side, sorter)
    elif a.ndim != 1:
        raise ValueError("object too deep for desired array")
    elif sorter is not None:
        if len(sorter) != len(a):
            raise ValueError("sorter.size must equal a.size")
        return searchsorted(taken(a, sorter), v, side)
    elif is_text(v) and a.dtype.kind not in "US":
        refuse("a text cannot be compared with the items of ", None, "TypingError", a)
    elif is_scalar(v) or is_text(v):
        return place_of(a, v, side)
    else:
        return places_of_all(a, np.asarray(v), side)


def places_of_all(a, values, side):
    out = np.empty(values.shape, np.int64)
    places(out, a, ravel(values), 0, values.size, side)
    return out


@function("Array.searchsorted")
def searchsorted_method(self, v, side="left", sorter=None):
    return searchsorted(self, v, side, sorter)


@function("numjit.direction", inline=False)
def direction(bins):
    """1 if the bins increase, -1 if they decrease."""
    rises = True
    falls = True
    for i in range(bins.shape[0] - 1):
        rises &= bins[i] <= bins[i + 1]
        falls &= bins[i] >= bins[i + 1]
    if not rises and not falls:
        raise ValueError("bins must be monotonically increasing or decreasing")
    return 1 if rises else -1


@function("numpy.digitize")
def digitize(x, bins, right=False):
    """searchsorted() over the edges, reversed where they decrease. ValueError if they neither
    increase nor decrease, TypeError for complex numbers.
    """
    edges = np.asarray(bins)
    if promote(x, edges).kind == "c":
        raise TypeError("x and bins may not be complex")
    else:
        falls = direction(edges) < 0
        if right:
            return digitized(x, edges, falls, "left")
        else:
            return digitized(x, edges, falls, "right")


@function("numjit.reversed_copy", inline=False)
def reversed_copy(a):
    return a[::-1].copy()


def digitized(x, edges, falls, side):
    if is_scalar(x):
        if falls:
            return edges.shape[0] - place_of(edges[::-1], x, side)
        else:
            return place_of(edges, x, side)
    else:
        if falls:
            edges = reversed_copy(edges)
        out = places_of_all(edges, np.asarray(x), side)
        if falls:
            for i in range(out.size):
                set_flat(out, i, edges.shape[0] - get_flat(out, i))
        return out


# -- distinct elements -------------------------------------------------------------------------


def differ(a, b, equal_nan):
    if equal_nan:
        return (a != b) & ((a == a) | (b == b))
    else:
        return a != b


def starts_of_runs(s, equal_nan):
    """Number of distinct elements in a sorted array."""
    count = min(s.shape[0], 1)
    for i in range(1, s.shape[0]):
        count += np.int64(differ(s[i - 1], s[i], equal_nan))
    return count


def distinct(s, count, equal_nan):
    out = np.empty(count, s.dtype)
    k = 0
    for i in range(s.shape[0]):
        if i == 0 or differ(s[i - 1], s[i], equal_nan):
            out[k] = s[i]
            k += 1
    return out


@function("numpy.unique")
def unique(
    ar,
    return_index=False,
    return_inverse=False,
    return_counts=False,
    axis=None,
    *,
    equal_nan=True,
    sorted=True,
):
    """Sorts; with indices or the inverse it sorts positions, which is stable, so that the first of
    equal elements is named. Along an axis only one dimension is compiled.
    """
    a = np.asarray(ar)
    if axis is not None and a.ndim != 1:
        refuse("np.unique() along an axis is compiled for one dimension only")
    flat = ravel(a)
    if return_index or return_inverse:
        order = argsort(flat)
        s = np.empty(flat.shape, flat.dtype)
        for i in range(flat.shape[0]):
            s[i] = flat[order[i]]
        count = starts_of_runs(s, equal_nan)
        result = (distinct(s, count, equal_nan),)
        if return_index:
            result = result + (first_positions(s, order, count, equal_nan),)
        if return_inverse:
            result = result + (inverse_of(s, order, equal_nan).reshape(a.shape),)
        if return_counts:
            result = result + (lengths_of_runs(s, count, equal_nan),)
        return result
    else:
        s = sort(flat)
        count = starts_of_runs(s, equal_nan)
        if return_counts:
            return distinct(s, count, equal_nan), lengths_of_runs(s, count, equal_nan)
        else:
            return distinct(s, count, equal_nan)


def first_positions(s, order, count, equal_nan):
    out = np.empty(count, np.int64)
    k = 0
    for i in range(s.shape[0]):
        if i == 0 or differ(s[i - 1], s[i], equal_nan):
            out[k] = order[i]
            k += 1
    return out


def inverse_of(s, order, equal_nan):
    out = np.empty(s.shape[0], np.int64)
    k = 0
    for i in range(s.shape[0]):
        if i > 0 and differ(s[i - 1], s[i], equal_nan):
            k += 1
        out[order[i]] = k
    return out


def lengths_of_runs(s, count, equal_nan):
    out = np.empty(count, np.int64)
    k = 0
    start = 0
    for i in range(1, s.shape[0] + 1):
        if i == s.shape[0] or differ(s[i - 1], s[i], equal_nan):
            out[k] = i - start
            start = i
            k += 1
    return out


# -- interpolation -----------------------------------------------------------------------------


def converted(a, dtype):
    if a.dtype is np.dtype(dtype):
        return a
    else:
        return a.astype(dtype)
