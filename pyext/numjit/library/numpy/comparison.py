"""Functions that compare arrays, and arrays as sets of numbers."""

import operator

import numpy as np

from ..core.axes import in_c_order
from ..core.intrinsics import broadcast, contiguous, get_flat, layout_is, promote, set_flat
from ..core.registry import function
from .indexing import joined_shape
from .joining import concatenate
from .methods import ravel

# --- comparing


def differ(x, y, equal_nan):
    if equal_nan:
        return (x != y) & ((x == x) | (y == y))
    else:
        return x != y


def all_equal(a, b, equal_nan):
    """Whole rows are compared without a branch, as vectors."""
    if a.ndim == 0:
        return not differ(a[()], b[()], equal_nan)
    elif a.ndim == 1:
        found = False
        for i in range(a.shape[0]):
            found |= differ(a[i], b[i], equal_nan)
        return not found
    elif a.ndim > 1 and layout_is(a, "C") and layout_is(b, "C"):
        n = a.size
        return all_equal(contiguous(a, (n,)), contiguous(b, (n,)), equal_nan)
    else:
        for i in range(a.shape[0]):
            if not all_equal(a[i], b[i], equal_nan):
                return False
        return True


@function("numpy.array_equal")
def array_equal(a1: "array", a2: "array", equal_nan=False):
    """Compares a whole row before it looks whether something differs."""
    x, y = np.asarray(a1), np.asarray(a2)
    if x.ndim != y.ndim:
        return False
    else:
        if x.shape != y.shape:
            return False
        return all_equal(x, y, equal_nan)


@function("numpy.array_equiv")
def array_equiv(a1: "array", a2: "array"):
    """As array_equal, after broadcasting; False if the shapes do not fit."""
    x, y = np.asarray(a1), np.asarray(a2)
    if not fits_together(x.shape, y.shape):
        return False
    shape = joined_shape(x.shape, y.shape, ValueError)
    return all_equal(broadcast(x, shape), broadcast(y, shape), False)


def fits_together(s, t):
    if len(s) > len(t):
        return fits_together(s[len(s) - len(t) :], t)
    elif len(s) < len(t):
        return fits_together(t, s)
    elif len(s) == 0:
        return True
    else:
        if s[0] != t[0] and s[0] != 1 and t[0] != 1:
            return False
        return fits_together(s[1:], t[1:])


def inexact(e):
    """Integers as float64."""
    if promote(e).kind == "f" or promote(e).kind == "c":
        return e
    else:
        return np.true_divide(e, 1)


@function("numpy.isclose", lazy=True)
def isclose(a, b: "array", rtol: "skip" = 1e-05, atol: "skip" = 1e-08, equal_nan=False):
    """|a - b| <= atol + rtol |b|, so a and b are not treated alike. Not evaluated before it is
    used.
    """
    if isinstance(a, (list, tuple)):
        return isclose(np.asarray(a), b, rtol, atol, equal_nan)
    elif isinstance(b, (list, tuple)):
        return isclose(a, np.asarray(b), rtol, atol, equal_nan)
    y = inexact(b)
    close = (np.abs(a - y) <= (atol + rtol * np.abs(y))) & np.isfinite(y) | (a == y)
    if equal_nan:
        return close | (np.isnan(a) & np.isnan(y))
    else:
        return close


@function("numpy.allclose")
def allclose(a, b: "array", rtol: "skip" = 1e-05, atol: "skip" = 1e-08, equal_nan=False):
    """Whether all of isclose() hold."""
    return bool(np.all(isclose(a, b, rtol, atol, equal_nan)))


# --- sets of numbers


@function("numpy.isin")
def isin(element: "array", test_elements: "array", assume_unique=False, invert=False):
    """A binary search in the sorted test elements for each element: O((m + n) log n). NaN is in
    nothing.
    """
    x, keys = np.asarray(element), np.sort(ravel(np.asarray(test_elements)))
    out = np.empty(x.shape, np.bool_)
    flat = in_c_order(x)
    n = keys.size
    for i in range(flat.size):
        k = np.searchsorted(keys, get_flat(flat, i))
        found = k < n and keys[min(k, n - 1)] == get_flat(flat, i)
        set_flat(out, i, found != invert)
    return out


@function("numpy.in1d")
def in1d(ar1: "array", ar2: "array", assume_unique=False, invert=False):
    """Until NumPy 2.3: isin() of a flat array."""
    return isin(ravel(np.asarray(ar1)), ar2, assume_unique, invert)


@function("numpy.union1d")
def union1d(ar1: "array", ar2: "array"):
    """Sorts both together."""
    return np.unique(concatenate((ar1, ar2), None))


@function("numpy.intersect1d")
def intersect1d(ar1: "array", ar2: "array", assume_unique=False, return_indices: "flag" = False):
    """Sorts the distinct elements of both together; those that occur twice are in both."""
    if return_indices:
        return places_of_both(ravel(np.asarray(ar1)), ravel(np.asarray(ar2)), assume_unique)
    else:
        return in_both(ar1, ar2, assume_unique)


def with_places(a, assume_unique):
    if assume_unique:
        order = np.argsort(a)
        return a[order], order
    else:
        return np.unique(a, return_index=True)


def places_of_both(ar1, ar2, assume_unique):
    a, of_a = with_places(ar1, assume_unique)
    b, of_b = with_places(ar2, assume_unique)
    n = min(a.size, b.size)
    out, in_a, in_b = np.empty(n, promote(a, b)), np.empty(n, np.int64), np.empty(n, np.int64)
    i = j = k = 0
    while i < a.size and j < b.size:
        if a[i] == b[j]:
            out[k], in_a[k], in_b[k] = a[i], of_a[i], of_b[j]
            i, j, k = i + 1, j + 1, k + 1
        elif np.minimum(a[i], b[j]) == a[i]:
            i += 1
        else:
            j += 1
    return out[:k], in_a[:k], in_b[:k]


def in_both(ar1, ar2, assume_unique):
    a = ravel(np.asarray(ar1)) if assume_unique else np.unique(ar1)
    b = ravel(np.asarray(ar2)) if assume_unique else np.unique(ar2)
    joined = np.sort(concatenate((a, b)))
    n = 0
    for i in range(1, joined.size):
        if joined[i] == joined[i - 1]:
            joined[n] = joined[i]
            n += 1
    return joined[:n].copy()


@function("numpy.setdiff1d")
def setdiff1d(ar1: "array", ar2: "array", assume_unique=False):
    """isin() over the distinct elements of the first."""
    a = ravel(np.asarray(ar1)) if assume_unique else np.unique(ar1)
    return a[~isin(a, ar2)]


@function("numpy.setxor1d")
def setxor1d(ar1: "array", ar2: "array", assume_unique=False):
    """Sorts the distinct elements of both together; those that occur once are in one of them."""
    a = ravel(ar1) if assume_unique else np.unique(ar1)
    b = ravel(ar2) if assume_unique else np.unique(ar2)
    joined = np.sort(concatenate((a, b)))
    n = joined.size
    single = np.ones(n, np.bool_)
    for i in range(1, n):
        if joined[i] == joined[i - 1]:
            single[i] = single[i - 1] = False
    return joined[single]


# -- arrays of strings ---------------------------------------------------------------------------


def shape_of_texts(a):
    return a.shape if isinstance(a, np.ndarray) else ()


def spread_texts(a, shape):
    return np.broadcast_to(a, shape) if isinstance(a, np.ndarray) else a


def text_at(a, index):
    return a[index] if isinstance(a, np.ndarray) else a


def compare_texts(compare, a, b):
    shape = np.broadcast_shapes(shape_of_texts(a), shape_of_texts(b))
    x, y = spread_texts(a, shape), spread_texts(b, shape)
    out = np.empty(shape, np.bool_)
    for index in np.ndindex(shape):
        out[index] = compare(text_at(x, index), text_at(y, index))
    return out


@function("numjit.texts_eq")
def texts_eq(a, b):
    return compare_texts(operator.eq, a, b)


@function("numjit.texts_ne")
def texts_ne(a, b):
    return compare_texts(operator.ne, a, b)


@function("numjit.texts_lt")
def texts_lt(a, b):
    return compare_texts(operator.lt, a, b)


@function("numjit.texts_le")
def texts_le(a, b):
    return compare_texts(operator.le, a, b)


@function("numjit.texts_gt")
def texts_gt(a, b):
    return compare_texts(operator.gt, a, b)


@function("numjit.texts_ge")
def texts_ge(a, b):
    return compare_texts(operator.ge, a, b)
