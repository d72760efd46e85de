"""Polynomials: ``np.roots`` and ``numpy.polynomial``, with coefficients from the lowest degree."""

import numpy as np

from ..core.array_expressions import evaluate
from ..core.intrinsics import cast, new_struct, promote, refuse, set_flat
from ..core.registry import function
from .creation import asarray
from .decompositions import geev


def inexact(dtype):
    """The dtype of coefficients: integers count as float64."""
    if dtype.kind == "f" or dtype.kind == "c":
        return dtype
    else:
        return promote(np.float64)


def common(arrays):
    """np.common_type"""
    if len(arrays) == 1:
        return inexact(promote(arrays[0]))
    else:
        return promote(inexact(promote(arrays[0])), common(arrays[1:]))


def series(x, dtype):
    """Coefficients as an array of their own."""
    a = np.atleast_1d(asarray(x))
    if a.ndim > 1:
        refuse("Coefficient array is not 1-d")
    else:
        return copied(a, dtype)


@function("numjit.copied_series", inline=False)
def copied(a, dtype):
    if a.size == 0:
        raise ValueError("Coefficient array is empty")
    out = np.empty(a.size, dtype)
    for i in range(a.size):
        out[i] = cast(a[i], dtype)
    return out


@function("numpy.polynomial.polyutils.trimseq")
def trimseq(seq: "array1"):
    """Without zeros at the end; one coefficient stays."""
    n = len(seq)
    while n > 1 and seq[n - 1] == 0:
        n -= 1
    return seq[:n]


@function("numpy.polynomial.polyutils.as_series", inline=False)
def as_series(alist: "arrays", trim: "flag" = True):
    """Copies of one inexact dtype: integers become float64. Empty series raise ValueError."""
    if isinstance(alist, tuple):
        return series_of_tuple(alist, common(alist), trim)
    else:
        dtype = inexact(promote(alist[0]))
        return [trimmed(series(x, dtype), trim) for x in alist]


def series_of_tuple(items, dtype, trim):
    first = [trimmed(series(items[0], dtype), trim)]
    if len(items) == 1:
        return first
    else:
        return first + series_of_tuple(items[1:], dtype, trim)


def trimmed(a, trim):
    if trim:
        return trimseq(a)
    else:
        return a


def both(c1, c2):
    dtype = common((c1, c2))
    return trimseq(series(c1, dtype)), trimseq(series(c2, dtype))


def added(a, b, sign):
    out = np.zeros(max(a.size, b.size), a.dtype)
    for i in range(a.size):
        out[i] = a[i]
    for i in range(b.size):
        out[i] += sign * b[i]
    return trimseq(out)


@function("numpy.polynomial.polynomial.polyadd", inline=False)
def polyadd(c1: "array1", c2: "array1"):
    """In the common type of the coefficients (integers: float64); zeros at the end are dropped."""
    a, b = both(c1, c2)
    return added(a, b, 1)


@function("numpy.polynomial.polynomial.polysub", inline=False)
def polysub(c1: "array1", c2: "array1"):
    """In the common type of the coefficients (integers: float64); zeros at the end are dropped."""
    a, b = both(c1, c2)
    return added(a, b, -1)


@function("numpy.polynomial.polynomial.polymul", inline=False)
def polymul(c1: "array1", c2: "array1"):
    """By its definition, in n * m multiplications; zeros at the end are dropped."""
    a, b = both(c1, c2)
    out = np.zeros(a.size + b.size - 1, a.dtype)
    for i in range(a.size):
        for j in range(b.size):
            out[i + j] += a[i] * b[j]
    return trimseq(out)


@function("numpy.polynomial.polynomial.polydiv", inline=False)
def polydiv(c1: "array1", c2: "array1"):
    """Long division: quotient and remainder. A divisor of 0 raises ZeroDivisionError."""
    a, b = both(c1, c2)
    if b[b.size - 1] == 0:
        raise ZeroDivisionError("division by zero")
    n, m = a.size, b.size
    if n < m:
        return np.zeros(1, a.dtype), a
    else:
        lead = b[m - 1]
        for i in range(n - m, -1, -1):
            for j in range(m - 1):
                a[i + j] -= b[j] / lead * a[i + m - 1]
        quotient = np.empty(n - m + 1, a.dtype)
        for i in range(n - m + 1):
            quotient[i] = a[i + m - 1] / lead
        rest = np.zeros(max(m - 1, 1), a.dtype)
        for i in range(m - 1):
            rest[i] = a[i]
        return quotient, trimseq(rest)


@function("numpy.polynomial.polynomial.polyint", inline=False)
def polyint(c: "array1", m: "skip" = 1):
    """``m`` times, with constants of integration 0; a negative ``m`` raises ValueError. NumPy's
    ``k``, ``lbnd``, ``scl`` and ``axis`` are not supported.
    """
    if m < 0:
        raise ValueError("The order of integration must be non-negative")
    a = np.atleast_1d(asarray(c))
    out = a.astype(inexact(a.dtype))
    for _ in range(m):
        out = integral(out)
    return out


def integral(a):
    n = a.shape[0]
    if n == 0:
        raise IndexError("index 0 is out of bounds for axis 0 with size 0")
    if n == 1 and np.all(a[0] == 0):
        return a
    out = np.zeros((n + 1,) + a.shape[1:], a.dtype)
    for i in range(n):
        out[i + 1] = a[i] / (i + 1)
    return out


@function("numpy.polynomial.polynomial.polyval")
def polyval(x: "array", c: "array1", tensor: "skip" = True):
    """Horner's rule, in the type of ``x`` and ``c``; integer coefficients are float64."""
    a = np.atleast_1d(asarray(c))
    coefficients = a.astype(inexact(a.dtype))
    if isinstance(x, (np.ndarray, list, tuple)):
        return horner(asarray(x), coefficients, tensor)
    elif coefficients.ndim > 1:
        return horner_each(x, coefficients)
    else:
        if coefficients.size == 0:
            raise IndexError("index -1 is out of bounds for axis 0 with size 0")
        value = coefficients[coefficients.size - 1] + x * 0
        for i in range(2, coefficients.size + 1):
            value = coefficients[coefficients.size - i] + value * x
        return value


def horner(x, c, tensor):
    if c.ndim == 1:
        return horner_plain(x, c)
    elif tensor:
        return horner_each(x, c.reshape(c.shape + (1,) * x.ndim))
    else:
        return horner_each(x, c)


@function("numjit.horner", inline=False)
def horner_plain(x, c):
    n = c.size
    if n == 0:
        raise IndexError("index -1 is out of bounds for axis 0 with size 0")
    out = np.empty(x.shape, promote(x * 0, c))
    flat = x.ravel()
    for k in range(flat.size):
        value = cast(c[n - 1] + flat[k] * 0, out.dtype)
        for i in range(n - 2, -1, -1):
            value = c[i] + value * flat[k]
        set_flat(out, k, value)
    return out


@function("numjit.horner_of_columns", inline=False)
def horner_each(x, c):
    n = c.shape[0]
    if n == 0:
        raise IndexError("index -1 is out of bounds for axis 0 with size 0")
    value = evaluate(c[n - 1] + x * 0)
    for i in range(2, n + 1):
        value = evaluate(c[n - i] + value * x)
    return value


@function("numpy.polynomial.polynomial.Polynomial", inline=False)
def polynomial(coef: "array1", domain: "skip" = None, window: "skip" = None):
    """Keeps a copy of the coefficients; integers become float64. A domain or window of other than
    two numbers raises ValueError.
    """
    a = asarray(coef)
    coefficients = series(a, inexact(a.dtype))
    return new_struct(np.polynomial.Polynomial, (coefficients, interval(domain), interval(window)))


def interval(given):
    """A domain or window: two numbers."""
    if given is None:
        return np.array([-1.0, 1.0])
    else:
        a = asarray(given)
        both_ends = series(a, inexact(a.dtype))
        if both_ends.size != 2:
            raise ValueError("Domain has wrong number of elements.")
        return both_ends


@function("numpy.polynomial.polynomial.Polynomial.__call__")
def value_of(self, x):
    """polyval (Horner's rule) at ``x`` mapped from the domain to the window."""
    old, new = self.domain, self.window
    width = old[1] - old[0]
    offset, scale = (old[1] * new[0] - old[0] * new[1]) / width, (new[1] - new[0]) / width
    if isinstance(x, (list, tuple)):
        return polyval(offset + scale * asarray(x), self.coef)
    else:
        return polyval(offset + scale * x, self.coef)


@function("numpy.polynomial.polynomial.Polynomial.degree")
def degree(self):
    """The number of coefficients less 1, zeros at the end counted, as in NumPy."""
    return len(self.coef) - 1


def check_real(imag):
    """The type of a result cannot depend on values: real matrices have to have real ones."""
    for x in imag:
        if x != 0:
            raise ValueError(
                "a real domain argument to roots cannot produce a complex domain result: "
                "pass complex coefficients"
            )


@function("numpy.roots", inline=False)
def roots(p: "array1"):
    """Eigenvalues of the companion matrix (LAPACK's geev). Complex roots of real coefficients
    raise ValueError: pass complex coefficients.
    """
    a = np.atleast_1d(asarray(p))
    if a.ndim != 1:
        raise ValueError("Input must be a rank-1 array.")
    else:
        kind = inexact(a.dtype)
        first, last = 0, a.size - 1
        while first <= last and a[first] == 0:
            first += 1
        while first < last and a[last] == 0:
            last -= 1
        n = max(last - first, 0)
        companion, none = np.zeros((n, n), kind, "F"), np.empty((1, 1), kind, "F")
        for i in range(n):
            companion[0, i] = -cast(a[first + 1 + i], kind) / cast(a[first], kind)
            if i > 0:
                companion[i, i - 1] = 1
        # What is 0 at the end is a root 0 each; without any other coefficient there is none.
        out = np.zeros(n if first > last else n + a.size - 1 - last, kind)
        found = out[:n]
        if kind.kind == "c":
            geev(companion, found, None, none, "N")
        else:
            imag = np.empty(n, kind)
            geev(companion, found, imag, none, "N")
            check_real(imag)
        return out
