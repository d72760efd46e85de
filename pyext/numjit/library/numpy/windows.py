"""Windows of signal processing."""

import numpy as np

from ..core.registry import function


def count_of(M):
    """Number of points from 1 - M to M in steps of 2; M may be a fraction."""
    return max(np.int64(np.ceil(M - 0.5)), 0)


@function("numjit.cosine_window", inline=False)
def cosine_window(M, constant, first, second):
    """constant + first cos(pi x) + second cos(2 pi x) at M points x of [-1, 1]."""
    out = np.empty(count_of(M))
    if M == 1:
        out[0] = 1.0
    else:
        for i in range(out.size):
            x = np.pi * (1.0 - M + 2.0 * i) / (M - 1.0)
            out[i] = constant + first * np.cos(x) + second * np.cos(2.0 * x)
    return out


@function("numpy.blackman")
def blackman(M: "size"):
    """0.42 + 0.5 cos + 0.08 cos of twice the angle; one point is 1."""
    return cosine_window(M, 0.42, 0.5, 0.08)


@function("numpy.hanning")
def hanning(M: "size"):
    """0.5 + 0.5 cos; one point is 1."""
    return cosine_window(M, 0.5, 0.5, 0.0)


@function("numpy.hamming")
def hamming(M: "size"):
    """0.54 + 0.46 cos; one point is 1."""
    return cosine_window(M, 0.54, 0.46, 0.0)


@function("numpy.bartlett", inline=False)
def bartlett(M: "size"):
    """Lines from 0 at both ends to 1 in the middle; one point is 1."""
    out = np.empty(count_of(M))
    for i in range(out.size):
        n = 1.0 - M + 2.0 * i
        out[i] = 1.0 if M == 1 else 1.0 - abs(n) / (M - 1.0)
    return out


@function("numpy.kaiser", inline=False)
def kaiser(M: "size", beta: "scalar"):
    """From ``np.i0``, so that its accuracy is that of the Bessel function there."""
    out = np.empty(max(np.int64(np.ceil(M)), 0))
    alpha = (M - 1) / 2.0
    b = np.float64(beta)
    scale = np.i0(b)
    for i in range(out.size):
        x = 0.0 if M == 1 else (i - alpha) / alpha
        out[i] = np.i0(b * np.sqrt(1 - x**2.0)) / scale
    return out
