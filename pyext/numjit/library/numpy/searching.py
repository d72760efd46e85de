"""Searching in sorted arrays, distinct elements, and counting into bins."""

import numpy as np

from ..core.intrinsics import get_flat, is_scalar, layout_is, promote, set_flat
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
    if promote(x, y).kind == "c":
        if side == "left":
            return precedes(y, x)
        else:
            return not precedes(x, y)
    elif side == "left":
        return y < x
    else:
        return y <= x


def is_nan(x):
    return promote(x).kind == "f" and x != x


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
        raise ValueError("side must be one of 'left' or 'right'")


def taken(a, positions):
    """The elements at some positions."""
    out = np.empty(len(positions), a.dtype)
    for i in range(len(positions)):
        out[i] = a[positions[i]]
    return out


@function("numpy.searchsorted")
def searchsorted(a, v, side="left", sorter=None):
    checked_side(side)
    if not isinstance(a, np.ndarray):
        return searchsorted(np.asarray(a), v, side, sorter)
    elif a.ndim != 1:
        raise ValueError("object too deep for desired array")
    elif sorter is not None:
        if len(sorter) != len(a):
            raise ValueError("sorter.size must equal a.size")
        return searchsorted(taken(a, sorter), v, side)
    elif is_scalar(v):
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


# -- counting ----------------------------------------------------------------------------------


@function("numpy.bincount")
def bincount(x, weights=None, minlength=0):
    a = np.asarray(x)
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    largest = np.int64(-1)
    smallest = np.int64(0)
    for i in range(a.shape[0]):
        largest = max(largest, np.int64(a[i]))
        smallest = min(smallest, np.int64(a[i]))
    if smallest < 0:
        raise ValueError("'list' argument must have no negative elements")
    length = max(largest + 1, minlength)
    if weights is None:
        out = np.zeros(length, np.int64)
        for i in range(a.shape[0]):
            out[np.int64(a[i])] += 1
        return out
    else:
        w = np.asarray(weights)
        if w.shape[0] != a.shape[0]:
            raise ValueError("The weights and list don't have the same length.")
        total = np.zeros(length)
        for i in range(a.shape[0]):
            total[np.int64(a[i])] += w[i]
        return total


def widened(low, high):
    """The range of a histogram, never of width 0."""
    if low > high:
        raise ValueError("max must be larger than min in range parameter.")
    if not (np.isfinite(low) and np.isfinite(high)):
        raise ValueError("the range of a histogram must be finite")
    if low == high:
        return low - 0.5, high + 0.5
    else:
        return low, high


def range_of(a, real):
    """The smallest and the largest element; a NaN is both."""
    if a.size == 0:
        return real(0), real(1)
    else:
        low = high = real(a.flat[0])
        for y in a.flat:
            x = real(y)
            low = np.minimum(low, x)
            high = np.maximum(high, x)
        return low, high


def check_bins(count):
    if count < 1:
        raise ValueError("`bins` must be positive, when an integer")


def even_edges(low, high, count, real):
    """As linspace: computed in the type of ``low``, stored as ``real``."""
    edges = np.empty(max(count, 0) + 1, real)
    step = (high - low) / type(low)(count)
    for i in range(count):
        edges[i] = type(low)(i) * step + low
    edges[count] = high
    return edges


def edges_of(a, bins, range, real):
    """Edges, and where bins are even, the lowest edge and the width of all."""
    if isinstance(bins, int):
        check_bins(bins)
        if range is None:
            low, high = range_of(a, real)
        else:
            low, high = np.float64(range[0]), np.float64(range[1])
        low, high = widened(low, high)
        if range is None:
            low, high = real(low), real(high)
        return even_edges(low, high, bins, real), real(low), real(high - low)
    else:
        edges = np.asarray(bins)
        for i in builtin_range(edges.shape[0] - 1):
            if edges[i] > edges[i + 1]:
                raise ValueError("`bins` must increase monotonically, when an array")
        return edges, None, None


builtin_range = range


def even_bin(x, edges, low, width, count):
    """The bin of ``x``, which lies in the range: by division, mended where that rounds."""
    real = edges.dtype.type
    k = np.int64((x - low) / width * real(count))
    if k == count:
        k -= 1
    if x < edges[k]:
        k -= 1
    elif x >= edges[k + 1] and k != count - 1:
        k += 1
    return k


BLOCK = 2048  # places that are looked up at once


def bin_at(place, x, edges):
    """The bin of ``x``, whose place from the right among the edges is known, -1 if there is none.

    The last bin has both its edges.
    """
    count = edges.shape[0] - 1
    if place <= count:
        return place - 1
    elif x == edges[count]:
        return count - 1
    else:
        return -1


@function("numpy.histogram")
def histogram(a, bins=10, range=None, density=None, weights=None):
    values = np.asarray(a)
    real = np.float32 if values.dtype is np.dtype(np.float32) else np.float64
    edges, low, width = edges_of(values, bins, range, real)
    count = edges.shape[0] - 1
    if weights is None:
        n = np.zeros(count, np.int64)
        add_to_bins(n, values, edges, low, width, None)
    else:
        w = np.asarray(weights)
        if w.shape != values.shape:
            raise ValueError("weights should have the same shape as a.")
        n = np.zeros(count, w.dtype)
        add_to_bins(n, values, edges, low, width, w)
    if density:
        return densities(n, edges), edges
    else:
        return n, edges


def add_to(n, k, weights, i):
    if weights is None:
        n[k] += 1
    else:
        n[k] += weights.flat[i]


def add_to_bins(n, values, edges, low, width, weights):
    count = n.shape[0]
    if low is None:
        flat = ravel(values)
        found = np.empty(BLOCK, np.int64)
        for start in range(0, flat.shape[0], BLOCK):
            block = min(BLOCK, flat.shape[0] - start)
            places(found, edges, flat, start, block, "right")
            for i in range(block):
                k = bin_at(get_flat(found, i), get_flat(flat, start + i), edges)
                if k >= 0:
                    add_to(n, k, weights, start + i)
    else:
        for i, y in enumerate(values.flat):
            x = edges.dtype.type(y)
            if x >= low and x <= edges[count]:
                add_to(n, even_bin(x, edges, low, width, count), weights, i)


def densities(n, edges):
    total = n.sum()
    out = np.empty(n.shape)
    for i in range(n.shape[0]):
        out[i] = np.true_divide(np.true_divide(n[i], edges[i + 1] - edges[i]), total)
    return out


@function("numpy.histogram2d")
def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    a = np.asarray(x)
    b = np.asarray(y)
    if a.shape[0] != b.shape[0]:
        raise ValueError("x and y must have the same length.")
    x_range = None if range is None else range[0]
    y_range = None if range is None else range[1]
    if isinstance(bins, tuple):
        x_edges = edges_of(a, bins[0], x_range, np.float64)[0]
        y_edges = edges_of(b, bins[1], y_range, np.float64)[0]
    else:
        x_edges = edges_of(a, bins, x_range, np.float64)[0]
        y_edges = edges_of(b, bins, y_range, np.float64)[0]
    n = np.zeros((x_edges.shape[0] - 1, y_edges.shape[0] - 1))
    rows = ravel(a)
    columns = ravel(b)
    found = np.empty((2, BLOCK), np.int64)
    for start in builtin_range(0, rows.shape[0], BLOCK):
        block = min(BLOCK, rows.shape[0] - start)
        places(found[0], x_edges, rows, start, block, "right")
        places(found[1], y_edges, columns, start, block, "right")
        for i in builtin_range(block):
            j = bin_at(found[0, i], rows[start + i], x_edges)
            k = bin_at(found[1, i], columns[start + i], y_edges)
            if j >= 0 and k >= 0:
                add_to(n, (j, k), weights, start + i)
    if density:
        total = n.sum()
        for j in builtin_range(n.shape[0]):
            for k in builtin_range(n.shape[1]):
                y = np.true_divide(n[j, k], x_edges[j + 1] - x_edges[j])
                y = np.true_divide(y, y_edges[k + 1] - y_edges[k])
                n[j, k] = np.true_divide(y, total)
    return n, x_edges, y_edges


# -- interpolation -----------------------------------------------------------------------------


def converted(a, dtype):
    if a.dtype is np.dtype(dtype):
        return a
    else:
        return a.astype(dtype)


def between(x, k, xp, fp):
    """The line through points ``k`` and ``k + 1``, from whichever end is finite."""
    slope = (fp[k + 1] - fp[k]) / (xp[k + 1] - xp[k])
    y = slope * (x - xp[k]) + fp[k]
    if y != y:
        y = slope * (x - xp[k + 1]) + fp[k + 1]
        if y != y and fp[k] == fp[k + 1]:
            y = fp[k]
    return y


def interpolated(x, place, xp, fp, left, right):
    """The value at ``x``, whose place from the right among ``xp`` is known."""
    n = xp.shape[0]
    if x != x and n > 1:
        return fp.dtype.type(x)
    elif x < xp[0]:
        return left
    elif x > xp[n - 1]:
        return right
    else:
        k = max(place - 1, 0)
        if k == n - 1 or xp[k] == x:  # where the slope may be infinite
            return fp[k]
        else:
            return between(x, k, xp, fp)


@function("numpy.interp")
def interp(x, xp, fp, left=None, right=None, period=None):
    if promote(x).kind == "c" or promote(xp).kind == "c":
        refuse("Cannot cast array data from complex128 to float64 according to the rule 'safe'")
    if np.ndim(xp) != 1 or np.ndim(fp) != 1:
        raise ValueError("the sample points must have one dimension")
    xs = converted(np.asarray(xp), np.float64)
    values = np.asarray(fp)
    if values.dtype.kind == "c":
        ys = converted(values, np.complex128)
    else:
        ys = converted(values, np.float64)
    if xs.shape[0] == 0:
        raise ValueError("array of sample points is empty")
    if xs.shape[0] != ys.shape[0]:
        raise ValueError("fp and xp are not of the same length.")
    if period is None:
        first = ys[0] if left is None else ys.dtype.type(left)
        last = ys[-1] if right is None else ys.dtype.type(right)
        return interpolate(x, xs, ys, first, last)
    else:
        if period == 0:
            raise ValueError("period must be a non-zero value")
        return interp_periodic(x, xs, ys, abs(period))


@function("numjit.interp_periodic", inline=False)
def interp_periodic(x, xp, fp, period):
    n = xp.shape[0]
    inside = xp % period
    order = argsort(inside)
    xs = np.empty(n + 2)
    ys = np.empty(n + 2, fp.dtype)
    for i in range(n):
        xs[i + 1] = inside[order[i]]
        ys[i + 1] = fp[order[i]]
    xs[0] = xs[n] - period
    ys[0] = ys[n]
    xs[n + 1] = xs[1] + period
    ys[n + 1] = ys[1]
    return interpolate(x % period, xs, ys, ys[0], ys[n + 1])


def interpolate(x, xp, fp, left, right):
    if is_scalar(x):
        y = np.float64(x)
        return interpolated(y, place_of(xp, y, "right"), xp, fp, left, right)
    else:
        points = np.asarray(x)
        out = np.empty(points.shape, fp.dtype)
        flat = ravel(converted(points, np.float64))
        found = np.empty(BLOCK, np.int64)
        for start in range(0, flat.shape[0], BLOCK):
            block = min(BLOCK, flat.shape[0] - start)
            places(found, xp, flat, start, block, "right")
            for i in range(block):
                p = get_flat(flat, start + i)
                k = get_flat(found, i)
                set_flat(out, start + i, interpolated(p, k, xp, fp, left, right))
        return out
