"""Sixteen 5x5 filters over images, each output pixel from one window of the input."""

import numpy as np
from convolution_data import BATCH_SCALE, PHOTO_SCALE, batch, corner, photo, with_numpy
from demo import Demo
from numjit import njit


@njit
def convolve(x, w):
    n, _, height, width = x.shape
    filters, _, fh, fw = w.shape
    out = np.zeros((n, filters, height - fh + 1, width - fw + 1))
    for i in range(n):
        for f in range(filters):
            for j in range(out.shape[2]):
                for k in range(out.shape[3]):
                    out[i, f, j, k] = np.sum(x[i, :, j : j + fh, k : k + fw] * w[f])
    return out


DEMOS = [
    Demo("convolve photo, windows", convolve, photo, corner, PHOTO_SCALE, with_numpy),
    Demo("convolve batch, windows", convolve, batch, corner, BATCH_SCALE, with_numpy),
]
