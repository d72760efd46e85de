"""Distances between all pairs of points in space."""

import math

import numpy as np
from kernel import Kernel
from numjit import njit


@njit
def pairwise(points):
    n = points.shape[0]
    out = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            square = 0.0
            for k in range(points.shape[1]):
                difference = points[i, k] - points[j, k]
                square += difference * difference
            out[i, j] = math.sqrt(square)
    return out


def cloud(n):
    return (np.random.default_rng(4).random((n, 3)),)


KERNEL = Kernel(pairwise, lambda: cloud(700), lambda: cloud(20))
