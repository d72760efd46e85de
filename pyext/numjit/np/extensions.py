"""Functions of Numba's own on arrays: `numba.np.extensions`."""

from __future__ import annotations

import numpy as np

from numjit import types
from numjit.extending import overload, register_jitable

__all__ = ["cross2d"]


def cross2d(a, b):
    """The cross product of vectors of two dimensions, along the last axis."""
    raise NotImplementedError("cross2d() is a function of compiled code")


@register_jitable
def _cross2d(a, b):
    if a.shape[-1] != 2 or b.shape[-1] != 2:
        raise ValueError(
            "Incompatible dimensions for 2D cross product\n(dimension must be 2 for both inputs)"
        )
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


@overload(cross2d)
def _overload_cross2d(a, b):
    if isinstance(a, types.Array) and isinstance(b, types.Array):
        return lambda a, b: _cross2d(a, b)
    if isinstance(a, types.Array | types.Sequence | types.BaseTuple) and isinstance(
        b, types.Array | types.Sequence | types.BaseTuple
    ):
        return lambda a, b: _cross2d(np.asarray(a), np.asarray(b))
    return None
