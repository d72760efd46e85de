"""Polynomials as arrays of coefficients, the highest power first: ``np.polyfit`` and its family."""

import numpy as np

from ..core.axes import as_array
from ..core.intrinsics import cast, is_constant, is_scalar, promote, refuse, set_item
from ..core.registry import function
from .manipulation import at_least_1d


def without_leading_zeros(p):
    a = at_least_1d(p)
    if a.shape[0] == 0:
        return np.zeros(1, a.dtype)
    first = 0
    while first < a.shape[0] - 1 and a[first] == 0:
        first += 1
    return a[first:]


@function("numpy.polyval")
def polyval(p: "array1", x: "array or scalar"):
    """Horner's rule."""
    if not isinstance(p, np.ndarray):
        return polyval(np.asarray(p), x)
    elif is_scalar(x):
        value = cast(0, promote(p, x))
        for c in p:
            value = value * cast(x, promote(p, x)) + c
        return value
    else:
        points = as_array(x)
        out = np.zeros(points.shape, promote(p, points))
        for c in p:
            out[...] = out * points + c
        return out


@function("numpy.polyadd")
def polyadd(a1: "array1", a2: "array1"):
    """In the dtype of both; leading zeros stay."""
    return added(at_least_1d(a1), at_least_1d(a2), 1)


@function("numpy.polysub")
def polysub(a1: "array1", a2: "array1"):
    """In the dtype of both; leading zeros stay."""
    return added(at_least_1d(a1), at_least_1d(a2), -1)


def added(a, b, sign):
    kind = promote(a, b)
    if kind.kind == "b" and sign < 0:
        return refuse("np.polysub of booleans: convert them to integers")
    else:
        out = np.zeros(max(a.shape[0], b.shape[0]), kind)
        out[out.shape[0] - a.shape[0] :] = a
        end = out[out.shape[0] - b.shape[0] :]
        if sign > 0:
            end[...] = np.add(end, b)
        else:
            end[...] = np.subtract(end, b)
        return out


@function("numpy.polymul")
def polymul(a1: "array1", a2: "array1"):
    """np.convolve of the coefficients without leading zeros."""
    return np.convolve(without_leading_zeros(a1), without_leading_zeros(a2))


@function("numpy.polydiv")
def polydiv(u: "coefficients", v: "coefficients"):
    """Long division in floats; leading coefficients of the rest within 1e-8 of 0 are dropped, as
    NumPy does.
    """
    a, b = at_least_1d(u) + 0.0, at_least_1d(v) + 0.0
    kind = promote(a, b)
    m, n = a.shape[0] - 1, b.shape[0] - 1
    scale = 1.0 / b[0]
    q, r = np.zeros(max(m - n + 1, 1), kind), a.astype(kind)
    for k in range(m - n + 1):
        d = scale * r[k]
        q[k] = d
        r[k : k + n + 1] -= d * b
    first = 0
    while first < r.shape[0] - 1 and np.abs(r[first]) <= 1e-8:
        first += 1
    return q, r[first:]


@function("numpy.polyder")
def polyder(p: "array1", m: "count" = 1):
    """Integers stay integers. ValueError of a negative order."""
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    a = at_least_1d(p)
    if is_constant(m) and m == 0:
        return a
    out = a.astype(promote(a, np.int64))
    for _ in range(m):
        n = max(out.shape[0] - 1, 0)
        for i in range(n):
            out[i] = out[i] * (n - i)
        out = out[:n]
    return out


@function("numpy.polyint")
def polyint(p: "array1", m: "count" = 1, k: "skip" = None):
    """In floats. ValueError of a negative order, and of another number of constants than 1 or the
    order.
    """
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    constants = np.zeros(m) if k is None else at_least_1d(k).astype(np.float64)
    if constants.shape[0] != m and constants.shape[0] != 1:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    a = at_least_1d(p)
    if is_constant(m) and m == 0:
        return a
    n = a.shape[0]
    out = np.zeros(n + m, promote(a, np.float64))
    out[:n] = a
    for j in range(m):
        for i in range(n + j):
            out[i] = out[i] / (n + j - i)
        out[n + j] = constants[j if constants.shape[0] > 1 else 0]
    return out


@function("numpy.poly")
def poly(seq_of_zeros: "zeros"):
    """Complex numbers have complex coefficients, also where NumPy finds that they are real."""
    a = at_least_1d(seq_of_zeros)
    if a.ndim == 2:
        if a.shape[0] != a.shape[1]:
            raise ValueError("input must be 1d or non-empty square 2d array.")
        of_matrix = poly(np.linalg.eigvals(a))
        return of_matrix if a.dtype.kind == "c" else of_matrix.real.copy()
    elif a.ndim > 2:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    else:
        known = a.dtype.kind == "f" or a.dtype.kind == "c"
        out = np.zeros(a.shape[0] + 1, a.dtype if known else np.float64)
        out[0] = cast(1, out.dtype)
        for i in range(a.shape[0]):
            for j in range(i + 1, 0, -1):
                out[j] -= out[j - 1] * a[i]
        return out


# -- fitting ---------------------------------------------------------------------------------------


def check_points(x, y, deg):
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim < 1 or y.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if x.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")


def weighted(a, w):
    """Rows multiplied by weights."""
    if w is None:
        return a
    else:
        weights = as_array(w).astype(np.float64)
        if weights.ndim != 1:
            raise TypeError("expected a 1-d array for weights")
        if weights.shape[0] != a.shape[0]:
            raise TypeError("expected w and y to have the same length")
        return a * (weights if a.ndim == 1 else weights[:, None])


def column_scales(a):
    out = np.sqrt(np.sum(a * a, axis=0))
    for i in range(out.shape[0]):
        if out[i] == 0:
            set_item(out, i, cast(1, out.dtype))
    return out


@function("numpy.polyfit")
def polyfit(
    x: "places", y: "heights", deg: "degree", rcond: "skip" = None, full=False, w=None, cov=False
):
    """There is no RankWarning."""
    points, values = as_array(x) + 0.0, as_array(y) + 0.0
    check_points(points, values, deg)
    limit = points.shape[0] * np.finfo(points.dtype).eps if rcond is None else rcond
    matrix = weighted(np.vander(points, deg + 1), w)
    scales = column_scales(matrix)
    scaled = matrix / scales
    c, residuals, rank, s = np.linalg.lstsq(scaled, weighted(values, w), limit)
    if values.ndim == 1:
        c /= scales
    else:
        c /= scales[:, None]
    if full:
        return c, residuals, rank, s, limit
    elif cov is False:
        return c
    else:
        base = np.linalg.inv(np.dot(scaled.T, scaled)) / np.outer(scales, scales)
        factor = np.ones(1 if cov == "unscaled" else residuals.shape[0])
        if cov != "unscaled":
            if points.shape[0] <= deg + 1:
                raise ValueError(
                    "the number of data points must exceed order to scale the covariance matrix"
                )
            factor[...] = residuals / (points.shape[0] - (deg + 1))
        if values.ndim == 1:
            return c, base * factor[0]
        else:
            return c, base[:, :, None] * factor
