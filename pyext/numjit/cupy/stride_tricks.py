"""cupy.lib.stride_tricks: views with other strides."""

from __future__ import annotations

import numpy as np

from .manipulation import _shaped, as_strided  # noqa: F401


def sliding_window_view(x, window_shape, axis=None, **keywords):
    """Views of windows."""
    return _shaped(
        x,
        lambda shadow: np.lib.stride_tricks.sliding_window_view(shadow, window_shape, axis),
    )
