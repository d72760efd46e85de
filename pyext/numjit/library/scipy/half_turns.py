"""``scipy.special``'s sine and cosine of multiples of pi, which its ``roots_*`` call."""

import numpy as np

from ..core.registry import function


def folded(x):
    """A multiple of pi between -1/2 and 1/2 that has the same sine, of a number that is not
    negative: exact."""
    r = np.fmod(x, 2.0)
    return np.where(r < 0.5, r, np.where(r > 1.5, r - 2.0, 1.0 - r))


@function("scipy.special._ufuncs._sinpi")
def sinpi(x):
    return np.copysign(1.0, x) * np.sin(np.pi * folded(np.abs(x)))


@function("scipy.special._ufuncs._cospi")
def cospi(x):
    return np.sin(np.pi * folded(np.abs(x) + 0.5))
