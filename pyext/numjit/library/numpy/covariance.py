"""Covariances and correlation coefficients of variables."""

import numpy as np

from ..core.intrinsics import cast, contiguous, is_constant, promote, refuse, set_flat, strided
from ..core.registry import function
from .products import multiply_into


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
    out = products_of_rows(d, w, kind)
    factor = max(factor, 0.0)
    deviation = np.empty(p, np.float64)
    for i in range(p):
        for j in range(i, -1, -1):
            s = np.true_divide(out[i, j], factor)
            if normalise:
                if i == j:
                    deviation[i] = np.sqrt(np.real(s))
                s = clipped(np.true_divide(np.true_divide(s, deviation[i]), deviation[j]))
            s = cast(s, kind)
            out[i, j] = s
            out[j, i] = np.conj(s)
    return out


def products_of_rows(d, w, kind):
    """d @ conj(d * w).T"""
    out = np.empty((d.shape[0], d.shape[0]), kind)
    if w is not None:
        multiply_into(out, d, np.conj(d * w).T)
    elif d.dtype.kind == "c":
        multiply_into(out, d, np.conj(d).T)
    else:
        multiply_into(out, d, d.T)
    return out


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
    """Two passes: the means are subtracted first, so that nothing cancels; sums as sum has them.
    A ``ddof`` that is no integer raises ValueError, weights that sum to zero ZeroDivisionError.
    Too few observations: NaN or inf, without NumPy's warning.
    """
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
    """cov divided by the standard deviations; parts are clipped to [-1, 1], as in NumPy."""
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
