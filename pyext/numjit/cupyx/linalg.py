"""cupyx.linalg."""

from __future__ import annotations


def invh(a):
    """The inverse of a Hermitian positive definite matrix."""
    from numjit.cupy import linalg

    return linalg.inv(a)


def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    """Solves a x = b from the Cholesky factor of a, as scipy.linalg.cho_factor returns it."""
    from . import lapack

    c, lower = c_and_lower
    return lapack.potrs(c, b, lower)
