"""Sums, extremes and means over all elements."""

import numpy as np

from .array_expressions import evaluate
from .intrinsics import contiguous_alike, first_shape, get_flat, is_scalar, same_shapes
from .registry import function


def count_of(e):
    n = 1
    for extent in first_shape(e):
        n *= extent
    return n


@function("numjit.total", lazy=True)
def total(e, start):
    """``start`` plus all elements; the shapes in ``e`` are equal."""
    s = start
    if contiguous_alike(e):
        for i in range(count_of(e)):
            s += get_flat(e, i)
    elif e.ndim == 0:
        s += e[()]
    elif e.ndim == 1:
        for i in range(first_shape(e)[0]):
            s += e[i]
    else:
        for i in range(first_shape(e)[0]):
            s = total(e[i], s)
    return s


@function("numpy.sum", lazy=True)
@function("Array.sum", lazy=True)
def sum(a):
    if is_scalar(a):
        return a
    elif same_shapes(a):
        zero = a.dtype.type(0)
        if contiguous_alike(a) and a.dtype.kind == "f":
            return total_in_parts(a, zero)
        else:
            return total(a, zero + zero)
    else:
        return sum_broadcast(a)


@function("numjit.total_in_parts", lazy=True)
def total_in_parts(e, zero):
    """Eight partial sums side by side: exacter than one, and in vector registers."""
    n = count_of(e)
    whole = n - n % 8
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = zero
    for i in range(0, whole, 8):
        s0 += get_flat(e, i)
        s1 += get_flat(e, i + 1)
        s2 += get_flat(e, i + 2)
        s3 += get_flat(e, i + 3)
        s4 += get_flat(e, i + 4)
        s5 += get_flat(e, i + 5)
        s6 += get_flat(e, i + 6)
        s7 += get_flat(e, i + 7)
    s = ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))
    for i in range(whole, n):
        s += get_flat(e, i)
    return s


@function("numjit.sum_broadcast", lazy=True, inline=False)
def sum_broadcast(e):
    return sum(evaluate(e))


@function("numpy.mean")
@function("Array.mean")
def mean(a):
    return np.true_divide(sum(a), a.size)  # NaN for no elements


@function("numjit.fold_minimum")
def fold_minimum(a, best):
    if contiguous_alike(a):
        for i in range(a.size):
            best = np.minimum(best, get_flat(a, i))
    else:
        for i in range(a.shape[0]):
            if a.ndim == 1:
                best = np.minimum(best, a[i])
            else:
                best = fold_minimum(a[i], best)
    return best


@function("numjit.fold_maximum")
def fold_maximum(a, best):
    if contiguous_alike(a):
        for i in range(a.size):
            best = np.maximum(best, get_flat(a, i))
    else:
        for i in range(a.shape[0]):
            if a.ndim == 1:
                best = np.maximum(best, a[i])
            else:
                best = fold_maximum(a[i], best)
    return best


@function("numpy.min")
@function("numpy.amin")
@function("Array.min")
def min(a):
    if a.size == 0:
        raise ValueError("zero-size array to reduction operation minimum which has no identity")
    return fold_minimum(a, a[(0,) * a.ndim])


@function("numpy.max")
@function("numpy.amax")
@function("Array.max")
def max(a):
    if a.size == 0:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    return fold_maximum(a, a[(0,) * a.ndim])


@function("numpy.any")
@function("Array.any")
def any(a):
    for x in a.flat:
        if x:
            return True
    return False


@function("numpy.all")
@function("Array.all")
def all(a):
    for x in a.flat:
        if not x:
            return False
    return True


@function("numpy.prod")
@function("Array.prod")
def prod(a):
    one = a.dtype.type(1)
    product = one * one  # widened as a sum is
    for x in a.flat:
        product *= x
    return product


@function("numpy.argmin")
@function("Array.argmin")
def argmin(a):
    if a.size == 0:
        raise ValueError("attempt to get argmin of an empty sequence")
    best = 0
    for i in range(1, a.size):
        x = a.flat[i]
        y = a.flat[best]
        if x < y or (x != x and y == y):  # the first NaN wins
            best = i
    return best


@function("numpy.argmax")
@function("Array.argmax")
def argmax(a):
    if a.size == 0:
        raise ValueError("attempt to get argmax of an empty sequence")
    best = 0
    for i in range(1, a.size):
        x = a.flat[i]
        y = a.flat[best]
        if x > y or (x != x and y == y):
            best = i
    return best
