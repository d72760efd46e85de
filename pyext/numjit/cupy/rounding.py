"""Rounding to decimals."""

from __future__ import annotations

from . import manipulation
from .creation import asarray


def round(a, decimals=0, out=None):
    """Elements rounded to decimals, half to even."""
    return manipulation.round(asarray(a), decimals, out)


around = round


def fix(x, out=None):
    """Elements rounded towards 0."""
    import numpy as np

    from .ufuncs import call

    return call(np.trunc, (x,), out=out)
