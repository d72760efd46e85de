"""2x2 max-pooling of the filtered patches, the step after the convolution in a network."""

import numpy as np
from convolution_data import batch
from convolution_data import with_numpy as convolved
from demo import Demo
from numjit import njit


@njit
def max_pool(x):
    n, channels, height, width = x.shape
    out = np.empty((n, channels, height // 2, width // 2))
    for i in range(n):
        for c in range(channels):
            for j in range(height // 2):
                for k in range(width // 2):
                    best = x[i, c, 2 * j, 2 * k]
                    for p in range(2):
                        for q in range(2):
                            value = x[i, c, 2 * j + p, 2 * k + q]
                            if value > best:
                                best = value
                    out[i, c, j, k] = best
    return out


def load():
    return (convolved(*batch()),)


def small():
    return (load()[0][:4].copy(),)


def with_numpy(x):
    n, channels, height, width = x.shape
    return x.reshape(n, channels, height // 2, 2, width // 2, 2).max(axis=(3, 5))


DEMOS = [Demo("max-pool 2x2", max_pool, load, small, scale=16, numpy=with_numpy)]
