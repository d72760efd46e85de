"""cupyx.cusolver: decompositions and solutions under cuSOLVER's names, which numjit.cupy.linalg
computes."""

from __future__ import annotations

from numjit.cupy import linalg

from . import lapack
from .scipy.sparse import linalg as sparse_linalg

_FUNCTIONS = frozenset("gesvdj gesvda syevj gesv gels csrlsvqr".split())


def check_availability(name):
    """Whether this module has a function of cuSOLVER."""
    return name in _FUNCTIONS


def gesvdj(a, full_matrices=True, compute_uv=True, overwrite_a=False):
    """Singular values s, with compute_uv u, s, v of a = u @ diag(s) @ v^H."""
    found = linalg.svd(a, full_matrices, compute_uv)
    if not compute_uv:
        return found
    u, s, vh = found
    return u, s, vh.swapaxes(-2, -1).conj()


def gesvda(a, compute_uv=True):
    """As gesvdj, for matrices that have as many rows as columns or more."""
    if a.shape[-2] < a.shape[-1]:
        raise ValueError(f"the matrices must not have more columns than rows: {a.shape}")
    return gesvdj(a, False, compute_uv)


def syevj(a, UPLO="L", with_eigen_vector=True, overwrite_a=False):
    """Eigenvalues of Hermitian matrices, and with with_eigen_vector their vectors."""
    if with_eigen_vector:
        return tuple(linalg.eigh(a, UPLO))
    return linalg.eigvalsh(a, UPLO), None


def gesv(a, b):
    """The solution x of a x = b."""
    return linalg.solve(a, b)


def gels(a, b):
    """The least-squares solution of a x = b."""
    return lapack.gels(a, b)


def csrlsvqr(a, b, tol=0, reorder=1):
    """The solution x of a x = b for a sparse matrix a."""
    if a.format != "csr":
        raise TypeError(f"a must be csr_matrix, not {a.format}")
    return sparse_linalg.spsolve(a, b)
