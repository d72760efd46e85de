"""Exact numbers of ``scipy.special``."""

import math

from ..core.registry import function


@function("scipy.special._comb._comb_int")
def comb_int(N, k):
    """0 where there are no such combinations; OverflowError where they do not fit an int64."""
    return 0 if k < 0 or k > N else math.comb(N, k)
