"""Sixteen 5x5 filters over images, with seven explicit loops."""

import numpy as np
from convolution_data import BATCH_SCALE, PHOTO_SCALE, batch, corner, edges, photo, with_numpy
from demo import Demo
from numjit import njit


@njit
def convolve(x, w):
    n, channels, height, width = x.shape
    filters, _, fh, fw = w.shape
    out = np.zeros((n, filters, height - fh + 1, width - fw + 1))
    for i in range(n):
        for f in range(filters):
            for j in range(out.shape[2]):
                for k in range(out.shape[3]):
                    total = 0.0
                    for c in range(channels):
                        for p in range(fh):
                            for q in range(fw):
                                total += x[i, c, j + p, k + q] * w[f, c, p, q]
                    out[i, f, j, k] = total
    return out


DEMOS = [
    Demo("convolve photo, loops", convolve, photo, corner, PHOTO_SCALE, with_numpy, edges),
    Demo("convolve batch, loops", convolve, batch, corner, BATCH_SCALE, with_numpy),
]
