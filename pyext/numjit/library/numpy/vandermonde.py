"""Vandermonde matrices in several dimensions: what ``polyvander2d`` and its like call."""

import numpy as np

from ..core.registry import function


def of_one_dimension(vander, points, degree, before, behind):
    """A matrix whose last axis stands among those of `before` and `behind` other dimensions."""
    v = vander(points, degree)
    return v.reshape(points.shape + (1,) * before + (v.shape[v.ndim - 1],) + (1,) * behind)


def product(vander_fs, points, degrees, place):
    count = len(vander_fs)
    v = of_one_dimension(vander_fs[place], points[place], degrees[place], place, count - 1 - place)
    if place == 0:
        return v
    else:
        return product(vander_fs, points, degrees, place - 1) * v


@function("numpy.polynomial.polyutils._vander_nd")
def vander_nd(vander_fs, points, degrees):
    count = len(vander_fs)
    if count != len(points):
        raise ValueError(f"Expected {count} dimensions of sample points, got {len(points)}")
    if count != len(degrees):
        raise ValueError(f"Expected {count} dimensions of degrees, got {len(degrees)}")
    if count == 0:
        raise ValueError("Unable to guess a dtype or shape when no points are given")
    return product(vander_fs, np.asarray(points) + 0.0, degrees, count - 1)


@function("numpy.polynomial.polyutils._vander_nd_flat")
def vander_nd_flat(vander_fs, points, degrees):
    v = vander_nd(vander_fs, points, degrees)
    return v.reshape(v.shape[: v.ndim - len(vander_fs)] + (-1,))
