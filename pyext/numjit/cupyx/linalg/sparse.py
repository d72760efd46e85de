"""cupyx.linalg.sparse."""

from __future__ import annotations

from numjit.cupyx.scipy import sparse
from numjit.cupyx.scipy.sparse.linalg import spsolve


def lschol(A, b):
    """Solves A x = b for a symmetric positive definite matrix, sparse or dense."""
    if b.ndim != 1 or b.shape != A.shape[:1]:
        raise ValueError(f"b must be a vector of {A.shape[0]} numbers, its shape is {b.shape}")
    return spsolve(A if sparse.issparse(A) else sparse.csr_matrix(A), b)
