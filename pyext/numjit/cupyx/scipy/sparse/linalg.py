"""cupyx.scipy.sparse.linalg.

Iterations are SciPy's Python over device arrays; factorisations (SuperLU) and ARPACK's iterations
work on the host, with the products by an operator on the device.
"""

from __future__ import annotations

import importlib

from numjit.cupy import asarray, asnumpy, ndarray
from numjit.cupyx import code
from numjit.cupyx.code import on_host, to_device, to_host
from numjit.cupyx.natives.sparse_changes import from_host
from numjit.cupyx.scipy import sparse

_ON_DEVICE = {
    name: f"scipy.sparse.linalg.{place}"
    for place, names in {
        "_interface": "LinearOperator aslinearoperator",
        "_norm": "norm",
        "_isolve.iterative": "cg cgs bicg bicgstab gmres qmr",
        "_isolve.minres": "minres",
        "_isolve.tfqmr": "tfqmr",
        "_isolve.lsqr": "lsqr",
        "_isolve.lsmr": "lsmr",
        "_isolve.lgmres": "lgmres",
    }.items()
    for name in names.split()
}
_ON_HOST = frozenset(
    "spsolve spsolve_triangular spilu splu factorized expm expm_multiply inv onenormest "
    "matrix_power use_solver is_sptriangular spbandwidth".split()
)
_WITH_OPERATORS = frozenset("eigsh eigs svds lobpcg".split())


def minres(
    A, b, x0=None, shift=0.0, tol=1e-5, maxiter=None, M=None, callback=None, check=False, *,
    rtol=None,
):  # fmt: skip
    """SciPy's, whose tolerance is `tol`, too."""
    solve = code.in_numpy_code(code.module(_ON_DEVICE["minres"]).minres)
    return solve(A, b, x0, rtol=tol if rtol is None else rtol, shift=shift, maxiter=maxiter, M=M,
                 callback=callback, check=check)  # fmt: skip


def __getattr__(name):
    if name in _ON_DEVICE:
        found = getattr(code.module(_ON_DEVICE[name]), name)
        if not isinstance(found, type):
            found = code.in_numpy_code(found)
    elif name in _ON_HOST or name in _WITH_OPERATORS:
        import scipy.sparse.linalg as host

        found = getattr(host, name)
        found = _with_operators(found) if name in _WITH_OPERATORS else _factors(found)
    elif name == "SuperLU":
        found = _Factors
    else:
        import scipy.sparse.linalg as host

        found = getattr(host, name, None) if name[:1].isupper() else None
        if found is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


class _Factors:
    """Factors of a sparse matrix, kept on the host."""

    def __init__(self, host):
        self._host = host

    def solve(self, rhs, trans="N"):
        return on_host(self._host.solve)(rhs, trans)

    def __getattr__(self, name):
        value = getattr(self._host, name)
        return _to_device(value)


def _to_device(value):
    import scipy.sparse

    if scipy.sparse.issparse(value):
        return from_host(value)
    if type(value).__name__ == "SuperLU":
        return _Factors(value)
    if callable(value):
        return on_host(value)
    return to_device(value)


def _factors(function):
    def called(*args, **keywords):
        args = [to_host(each) for each in args]
        found = function(*args, **{key: to_host(each) for key, each in keywords.items()})
        return _to_device(found)

    called.__name__ = function.__name__
    return called


def _operator(value):
    """An operator of the host whose products are the device's."""
    if value is None:
        return None
    host = importlib.import_module("scipy.sparse.linalg")
    if not (isinstance(value, ndarray) or sparse.issparse(value) or hasattr(value, "matvec")):
        return value

    def product(x, adjoint=False):
        x = asarray(x)
        if not adjoint:
            return asnumpy(value @ x)
        return asnumpy((value.H if hasattr(value, "H") else value.conj().T) @ x)

    return host.LinearOperator(
        value.shape, product, lambda x: product(x, True), product, dtype=value.dtype,
        rmatmat=lambda x: product(x, True),
    )  # fmt: skip


def _with_operators(function):
    def called(a, *args, **keywords):
        shifted = keywords.get("sigma") is not None
        operators = {
            key: keywords.pop(key) for key in ("M", "B", "Minv", "OPinv") if key in keywords
        }
        convert = to_host if shifted else _operator
        keywords = {key: to_host(each) for key, each in keywords.items()}
        keywords |= {key: convert(each) for key, each in operators.items()}
        return to_device(function(convert(a), *map(to_host, args), **keywords))

    called.__name__ = function.__name__
    return called
