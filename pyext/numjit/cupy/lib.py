"""cupy.lib.stride_tricks."""

from __future__ import annotations


class stride_tricks:
    """Views with other strides."""

    @staticmethod
    def as_strided(x, shape=None, strides=None):
        from .manipulation import as_strided

        return as_strided(x, shape, strides)

    @staticmethod
    def sliding_window_view(x, window_shape, axis=None, **keywords):
        """Views of windows."""
        import numpy as np

        from .manipulation import _shaped

        return _shaped(
            x,
            lambda shadow: np.lib.stride_tricks.sliding_window_view(shadow, window_shape, axis),
        )
