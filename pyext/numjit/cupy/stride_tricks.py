"""cupy.lib.stride_tricks: views with other strides."""

from __future__ import annotations

import numpy as np

from .creation import asarray
from .manipulation import _shaped, as_strided  # noqa: F401


def sliding_window_view(x, window_shape, axis=None, **keywords):
    """Views of windows."""
    if keywords.pop("writeable", False):
        raise NotImplementedError("windows share elements, and cannot be written")
    return _shaped(
        asarray(x),
        lambda shadow: np.lib.stride_tricks.sliding_window_view(shadow, window_shape, axis),
    )
