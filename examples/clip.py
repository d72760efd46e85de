"""The values of a photograph, cut off at a lower and an upper bound."""

import numpy as np
from data import photograph
from demo import Demo
from numjit import njit


@njit
def clip(x, low, high, out):
    for i in range(x.size):
        value = x[i]
        if value < low:
            value = low
        elif value > high:
            value = high
        out[i] = value
    return out


def load():
    x = photograph().ravel()
    return x, 0.2, 0.8, np.empty_like(x)


def small():
    x, low, high, _ = load()
    x = x[::20].copy()
    return x, low, high, np.empty_like(x)


def with_numpy(x, low, high, out):
    return np.clip(x, low, high, out)


DEMOS = [Demo("clip", clip, load, small, scale=20, numpy=with_numpy)]
