"""CuPy's names for parts of interpolation, whose arguments differ from SciPy's."""

from __future__ import annotations

import numjit.cupy as cp

from ..code import from_host, module

_radial = module("scipy.interpolate._rbfinterp_xp")
NAME_TO_FUNC = _radial.NAME_TO_FUNC


def _monomial_powers(ndim, degree):
    """The powers of each variable in the monomials of up to a degree."""
    return _radial._monomial_powers(ndim, degree, cp)


def polynomial_matrix(x, powers, out):
    """Monomials at x."""
    out[...] = _radial.polynomial_matrix(x, powers, cp)


def kernel_matrix(x, kernel_func, out):
    """Radial functions around each x, at each x."""
    out[...] = _radial.kernel_matrix(x, kernel_func, cp)


def make_ndbspl(points, values, k=3, *, solver=None, **solver_args):
    """SciPy's, solved directly unless a solver is given."""
    if solver is None:
        import scipy.sparse.linalg

        solver = scipy.sparse.linalg.spsolve
    make = from_host("scipy.interpolate._ndbspline", "make_ndbspl")
    return make(points, values, k, solver=solver, **solver_args)
