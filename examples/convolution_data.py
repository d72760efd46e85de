"""Inputs of the convolution examples, and the same result from whole-array operations."""

import numpy as np
from data import edge_filters, patches, photograph


def batch():
    return patches(), edge_filters()


def photo():
    return photograph(step=2)[None], edge_filters()


def corner():
    """One corner of one patch, 8x8 pixels of output."""
    return patches()[:1, :, :12, :12].copy(), edge_filters()


PHOTO_SCALE = 210 * 316 / 64  # pixels of output over those of corner()
BATCH_SCALE = 64 * 24 * 24 / 64


def with_numpy(x, w):
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], axis=(2, 3))
    return np.ascontiguousarray(np.einsum("icjkpq,fcpq->ifjk", windows, w, optimize=True))


def edges(result):
    """The strongest answer of any filter at each pixel."""
    return np.abs(result[0]).max(axis=0)
