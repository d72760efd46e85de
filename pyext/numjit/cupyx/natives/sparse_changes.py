"""Where device sparse matrices differ from SciPy's: dense results are never matrices, matrices of
SciPy come in, `get` gives one back."""

from __future__ import annotations

import functools
import types

import numpy as np

import numjit.cupy as cp

from ..scipy import sparse


def change(name, made):
    """Changes names of a module of scipy.sparse that has just been run."""
    if name == "scipy.sparse._sputils":
        made.asmatrix = made.bare_asmatrix = lambda data, dtype=None: cp.asarray(data, dtype)
        made.matrix = _matrix
    elif name == "scipy.sparse._base":
        made._spbase.get = _get
        made._spbase._numjit_host = _get
        made._spbase.device = property(lambda self: cp.cuda.Device())
        made._spbase.__array_ufunc__ = _ufunc
        made._spbase.__reduce__ = _reduced
    elif name == "scipy.sparse._construct":
        made._block = types.FunctionType(
            made._block.__code__, {**vars(made), "np": _Host(made.np)}, "_block",
            made._block.__defaults__,
        )  # fmt: skip
        made._block.__kwdefaults__ = {"return_spmatrix": False}
    else:
        for format in ("csr", "csc", "coo", "dia", "bsr"):
            if name == f"scipy.sparse._{format}":
                base = getattr(made, f"_{format}_base")
                base.__init__ = _taking_hosts(base.__init__)


class _Host:
    """numpy for a function whose small arrays (masks and lengths of blocks) are the host's."""

    zeros, nonzero, append = map(staticmethod, (np.zeros, np.nonzero, np.append))

    def __init__(self, names):
        self._names = names

    def __getattr__(self, name):
        return getattr(self._names, name)


#: Methods that stand for ufuncs of one and of two operands.
_UNARY = {"conjugate": "conj", "absolute": "__abs__", "negative": "__neg__"}
_BINARY = {
    "add": "add", "subtract": "sub", "multiply": "mul", "true_divide": "truediv",
    "divide": "truediv",
    "matmul": "matmul", "power": "pow", "equal": "eq", "not_equal": "ne", "less": "lt",
    "less_equal": "le", "greater": "gt", "greater_equal": "ge",
}  # fmt: skip
_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}


def _ufunc(self, function, method, *inputs, **keywords):
    """NumPy's ufuncs and scalars of NumPy beside a matrix."""
    name = function.__name__
    if method != "__call__" or keywords:
        return NotImplemented
    if len(inputs) == 1:
        found = getattr(self, _UNARY.get(name, name), None)
        return NotImplemented if found is None else found()
    operator = _BINARY.get(name)
    if operator is None:
        return NotImplemented
    if inputs[0] is self:
        return getattr(self, f"__{operator}__")(inputs[1])
    return getattr(self, f"__{_MIRRORED.get(operator, 'r' + operator)}__")(inputs[0])


def _matrix(data, dtype=None, copy=True):
    return cp.atleast_2d(cp.asarray(data, dtype))


def _get(self, stream=None):
    """The matrix as one of SciPy's, on the host."""
    import scipy.sparse

    cls = getattr(scipy.sparse, type(self).__name__)
    if self.format in ("csr", "csc", "bsr"):
        return cls((self.data.get(), self.indices.get(), self.indptr.get()), shape=self.shape)
    if self.format == "dia":
        return cls((self.data.get(), self.offsets.get()), shape=self.shape)
    if self.format == "coo":
        coords = tuple(cp.asnumpy(each) for each in self.coords)
        return cls((self.data.get(), coords), shape=self.shape)
    return getattr(self.tocoo().get(), f"to{self.format}")()


def _reduced(self):
    return from_host, (self.get(),)


def from_host(matrix):
    """A device matrix of one of SciPy's."""
    return getattr(sparse, type(matrix).__name__)(matrix)


def _parts(matrix):
    """What a constructor takes for a matrix of SciPy's."""
    if matrix.format in ("csr", "csc", "bsr"):
        return matrix.data, matrix.indices, matrix.indptr
    if matrix.format == "dia":
        return matrix.data, matrix.offsets
    return matrix.data, tuple(matrix.coords)


def _taking_hosts(initialise):
    @functools.wraps(initialise)
    def __init__(self, arg1, shape=None, dtype=None, copy=False, **keywords):
        import scipy.sparse

        if scipy.sparse.issparse(arg1):
            given = arg1.asformat(self.format)
            arg1, shape, copy = _parts(given), given.shape if shape is None else shape, True
        elif isinstance(arg1, np.ndarray):
            arg1 = cp.asarray(arg1)
        initialise(self, arg1, shape=shape, dtype=dtype, copy=copy, **keywords)

    return __init__
