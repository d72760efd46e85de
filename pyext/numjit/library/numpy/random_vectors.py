"""Distributions of ``numpy.random`` whose numbers are vectors."""

import numpy as np

from ..core.registry import function
from .random import binomial, standard_gamma


def with_last(size, n):
    """The shape of ``size`` vectors of ``n`` elements."""
    if size is None:
        return (n,)
    elif isinstance(size, tuple):
        return size + (n,)
    else:
        return (size, n)


#: Since NumPy 2.5 a part without probability takes a number from the stream as the others do.
draws_for_nothing = np.lib.NumpyVersion(np.__version__) >= "2.5.0"


@function("numpy.random.multinomial")
def multinomial(n, pvals, size=None):
    """Binomial numbers of what is left, one outcome after the other. ValueError if a probability is
    outside of [0, 1], or if all but the last sum to more than 1.
    """
    d = len(pvals)
    total = 0.0
    for i in range(d - 1):
        total += pvals[i]
    for i in range(d):
        if not (pvals[i] >= 0 and pvals[i] <= 1):
            raise ValueError("pvals < 0, pvals > 1 or pvals contains NaNs")
    if total > 1.0 + 1e-12:
        raise ValueError("sum(pvals[:-1]) > 1.0")
    if n < 0:
        raise ValueError("n < 0")
    out = np.zeros(with_last(size, d), np.int64)
    rows = out.reshape((-1, d)) if d > 0 else np.zeros((0, 1), np.int64)
    for i in range(rows.shape[0]):
        left = np.int64(n)
        rest = 1.0
        for k in range(d - 1):
            if pvals[k] > 0 or draws_for_nothing:
                count = binomial(left, min(pvals[k] / rest, 1.0))
            else:
                count = 0
            rows[i, k] = count
            left -= count
            if left <= 0:
                break
            rest -= pvals[k]
        if left > 0:
            rows[i, d - 1] = left
    return out


@function("numpy.random.dirichlet")
def dirichlet(alpha, size=None):
    """Gamma numbers over their sum. ValueError if an alpha is not positive."""
    d = len(alpha)
    for i in range(d):
        if not alpha[i] > 0:
            raise ValueError("alpha <= 0")
    out = np.empty(with_last(size, d))
    rows = out.reshape((-1, d)) if d > 0 else np.zeros((0, 1))
    for i in range(rows.shape[0]):
        total = 0.0
        for k in range(d):
            x = standard_gamma(alpha[k])
            rows[i, k] = x
            total += x
        scale = 1 / total
        for k in range(d):
            rows[i, k] *= scale
    return out
