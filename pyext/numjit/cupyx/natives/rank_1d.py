"""scipy.ndimage's compiled ranks of windows of one axis."""

from __future__ import annotations

import numpy as np

from . import nd_image


def rank_filter(input, rank, size, output, mode, cval, origin):
    nd_image.rank_filter(input, rank, np.ones(size, bool), output, mode, cval, [origin])
