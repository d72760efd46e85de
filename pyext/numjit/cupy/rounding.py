"""Rounding to decimals."""

from __future__ import annotations

import numpy as np

from . import manipulation
from .creation import asarray
from .ufuncs import call


def round(a, decimals=0, out=None):
    """Elements rounded to decimals, half to even."""
    return manipulation.round(asarray(a), decimals, out)


around = round


def fix(x, out=None):
    """Elements rounded towards 0."""
    return call(np.trunc, (x,), out=out)
