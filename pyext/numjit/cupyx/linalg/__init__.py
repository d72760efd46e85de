"""cupyx.linalg."""

from __future__ import annotations

import importlib

import numjit.cupy as cp
from numjit.cupyx import lapack


def invh(a):
    """The inverse of a Hermitian positive definite matrix."""
    return lapack.posv(a, cp.broadcast_to(cp.eye(a.shape[-1], dtype=a.dtype), a.shape))


def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    """Solves a x = b from the Cholesky factor of a, as scipy.linalg.cho_factor returns it."""
    c, lower = c_and_lower
    return lapack.potrs(c, b, lower)


def __getattr__(name):
    if name == "sparse":
        return importlib.import_module(f"{__name__}.sparse")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
