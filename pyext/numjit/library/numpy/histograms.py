"""Counting into bins."""

import numpy as np

from ..core.axes import check_integer_items
from ..core.intrinsics import get_flat
from ..core.registry import function
from .methods import ravel
from .searching import places


@function("numpy.bincount")
def bincount(x, weights=None, minlength=0):
    """Two passes: the first finds the largest value, which determines the length. Weights are added
    in order, in float64. Negative values, and weights of another length, raise ValueError.
    """
    a = np.asarray(x)
    check_integer_items(x, "first argument")
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
    """Even bins by a division, compared with the edges afterwards; others by binary search. Ranges
    that are not finite (NaN among the data) and edges that decrease raise ValueError. ``bins`` is
    a number or edges, no name of an estimator.
    """
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
    """Bins of both axes by binary search; counts are float64. ``bins`` is a number, edges, or two
    of these; more than two integers in a list or array are edges as float64.
    """
    a = np.asarray(x)
    b = np.asarray(y)
    if a.shape[0] != b.shape[0]:
        raise ValueError("x and y must have the same length.")
    x_range = None if range is None else range[0]
    y_range = None if range is None else range[1]
    if isinstance(bins, list) or (isinstance(bins, tuple) and len(bins) > 2):
        return histogram2d(x, y, np.asarray(bins), range, density, weights)
    elif isinstance(bins, np.ndarray) and bins.ndim == 1 and bins.dtype.kind == "f":
        if bins.size == 2:
            raise TypeError("two numbers in `bins` are numbers of bins, and must be integers")
        x_edges = y_edges = edges_of(a, bins, x_range, np.float64)[0]
    elif isinstance(bins, np.ndarray) and bins.ndim == 1 and bins.dtype.kind in "iu":
        if bins.size == 2:
            x_edges = edges_of(a, int(bins[0]), x_range, np.float64)[0]
            y_edges = edges_of(b, int(bins[1]), y_range, np.float64)[0]
        else:
            x_edges = y_edges = edges_of(a, bins.astype(np.float64), x_range, np.float64)[0]
    elif isinstance(bins, tuple):
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
