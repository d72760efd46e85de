"""``scipy.linalg`` of matrices that are stored by their diagonals."""

import numpy as np

from ..core.intrinsics import refuse
from ..core.registry import function


def from_diagonals(a_band, lower):
    """The lower half of a matrix with these diagonals, and zeros."""
    count, n = a_band.shape
    a = np.zeros((n, n), a_band.dtype)
    for d in range(min(count, n)):
        for i in range(n - d):
            a[i + d, i] = a_band[d, i] if lower else np.conj(a_band[count - 1 - d, i + d])
    return a


@function("scipy.linalg._decomp.eigvals_banded")
def eigvals_banded(
    a_band,
    lower=False,
    overwrite_a_band=False,
    select="a",
    select_range=None,
    check_finite=True,
):
    """Of the whole matrix."""
    band = np.asarray(a_band) + 0.0
    if select != "a":
        refuse("eigvals_banded() with select= cannot be compiled")
    elif band.ndim != 2:
        refuse("eigvals_banded() takes one matrix")
    else:
        if check_finite and not np.isfinite(band).all():
            raise ValueError("array must not contain infs or NaNs")
        return np.linalg.eigvalsh(from_diagonals(band, lower))
