"""cupy.lib.stride_tricks."""

from __future__ import annotations

import sys
import types

import numpy as np

from . import manipulation
from .manipulation import _shaped


class stride_tricks:
    """Views with other strides."""

    @staticmethod
    def as_strided(x, shape=None, strides=None):
        return manipulation.as_strided(x, shape, strides)

    @staticmethod
    def sliding_window_view(x, window_shape, axis=None, **keywords):
        """Views of windows."""
        return _shaped(
            x,
            lambda shadow: np.lib.stride_tricks.sliding_window_view(shadow, window_shape, axis),
        )


# `from cupy.lib.stride_tricks import as_strided`
_path = types.ModuleType(f"{__name__}.stride_tricks", stride_tricks.__doc__)
_path.as_strided = stride_tricks.as_strided
_path.sliding_window_view = stride_tricks.sliding_window_view
sys.modules.setdefault(_path.__name__, _path)
