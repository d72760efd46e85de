"""cupyx.scipy.spatial.distance: distances between vectors; `cdist` of the common metrics computes
on the device, all others on the host."""

from __future__ import annotations

import numjit.cupy as cp
from numjit.cupyx.code import from_host

from ..special import rel_entr

_POWERS = {"euclidean": 2.0, "cityblock": 1.0, "sqeuclidean": 2.0}


def cdist(XA, XB, metric="euclidean", out=None, **keywords):
    """Distances between all pairs of rows."""
    if not isinstance(metric, str) or metric not in (*_POWERS, "chebyshev") or keywords:
        return from_host("scipy.spatial.distance", "cdist")(XA, XB, metric, out=out, **keywords)
    one, other = (cp.asarray(each, dtype=float) for each in (XA, XB))
    if one.ndim != 2 or other.ndim != 2 or one.shape[1] != other.shape[1]:
        raise ValueError("XA and XB must be matrices with the same number of columns")
    difference = abs(one[:, None, :] - other[None, :, :])
    if metric == "chebyshev":
        found = difference.max(axis=2)
    elif metric == "cityblock":
        found = difference.sum(axis=2)
    else:
        found = (difference * difference).sum(axis=2)
        found = cp.sqrt(found) if metric == "euclidean" else found
    if out is None:
        return found
    out[...] = found
    return out


def pairwise_distance(XA, XB, metric="euclidean"):
    """Distances between all pairs of rows."""
    return cdist(XA, XB, metric)


def hellinger(u, v):
    """The Hellinger distance of two vectors."""
    return cp.sqrt(((cp.sqrt(u) - cp.sqrt(v)) ** 2).sum()) / 2**0.5


def kl_divergence(u, v):
    """The Kullback-Leibler divergence of two vectors."""
    return rel_entr(u, v).sum()


def distance_matrix(x, y, p=2.0):
    """Minkowski distances between all pairs of rows."""
    difference = abs(cp.asarray(x)[:, None, :] - cp.asarray(y)[None, :, :])
    return (difference**p).sum(axis=2) ** (1 / p)


def __getattr__(name):
    found = globals()[name] = from_host("scipy.spatial.distance", name)
    return found
