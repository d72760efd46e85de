"""Where device sparse matrices differ from SciPy's: dense results are never matrices, matrices of
SciPy come in, `get` gives one back."""

from __future__ import annotations

import functools
import inspect
import sys
import types
import warnings

import numpy as np

import numjit.cupy as cp

from .. import cusparse
from ..scipy import sparse
from . import array_api


def change(name, made):
    """Changes names of a module of scipy.sparse that has just been run."""
    if name == "scipy.sparse._sputils":
        made.asmatrix = made.bare_asmatrix = made.matrix = _matrix
    elif name == "scipy.sparse._base":
        made._spbase.__init__.__defaults__ = (None,)  # subclasses of programs give nothing
        made._spbase.get = _get
        made._spbase._numjit_host = _get
        made._spbase._descr = property(lambda self: cusparse.MatDescriptor.create())
        made._spbase.device = property(lambda self: cp.cuda.Device())
        made._spbase.__array_ufunc__ = _ufunc
        made._spbase.__reduce__ = _reduced
        made._spbase.dot = lambda self, other: self * other if np.isscalar(other) else self @ other
        for each in ("_comparison", "_maximum_minimum"):
            setattr(made._spbase, each, _broadcasting(getattr(made._spbase, each)))
    elif name == "scipy.sparse._matrix":
        made.spmatrix.A = _older("A", "toarray()", lambda self: self.toarray())
        made.spmatrix.H = _older("H", "T.conj()", lambda self: self.T.conj())
    elif name == "scipy.sparse._construct":
        for each in ("random", "rand", "random_array"):
            setattr(made, each, _taking_states(getattr(made, each)))
        made._block = _with_host_blocks(made, "_block")
        made._block.__kwdefaults__ = {"return_spmatrix": False}
        made.bmat = _without_format(_with_host_blocks(made, "bmat"))
    elif name == "scipy.sparse.linalg._interface":
        made.LinearOperator._xp = array_api.numpy  # of subclasses that do not initialise it
    else:
        for format in ("csr", "csc", "coo", "dia", "bsr"):
            if name == f"scipy.sparse._{format}":
                base = getattr(made, f"_{format}_base")
                base.__init__ = _taking_hosts(base.__init__)
                parts = _coo_from_parts if format == "coo" else _from_parts
                base._from_parts = classmethod(parts)
                if format in ("csr", "csc"):
                    base.multiply = _of_own_format(base.multiply)
                if format in ("coo", "csr", "csc"):
                    base.sum, base.mean = map(_of_places, (base.sum, base.mean))
                if format == "coo":
                    base.row, base.col = _coordinates(-2), _coordinates(-1)
                    base.tocsr, base.tocsc = map(_widened, (base.tocsr, base.tocsc))
                if format == "csc":
                    base.toarray = _of_rows(base.toarray)
                if format == "dia":  # its sum needs the sums of numpy.matrix
                    base.sum = lambda self, *args, **more: self.tocsr().sum(*args, **more)


class _Host:
    """numpy for a function whose small arrays (masks and lengths of blocks) are the host's."""

    zeros, nonzero, append = map(staticmethod, (np.zeros, np.nonzero, np.append))

    @staticmethod
    def asarray(blocks, dtype=None):
        rows = [list(row) for row in blocks]
        made = np.full((len(rows), max(map(len, rows), default=0)), None)
        for i, row in enumerate(rows):
            for j, each in enumerate(row):
                made[i, j] = each
        return made

    def __init__(self, names):
        self._names = names

    def __getattr__(self, name):
        return getattr(self._names, name)


def _with_host_blocks(made, name):
    """A function of lists of matrices, whose small arrays are the host's."""
    function = getattr(made, name)
    names = {**vars(made), "np": _Host(made.np)}
    return types.FunctionType(function.__code__, names, name, function.__defaults__)


def _without_format(bmat):
    """bmat, whose format is COO unless one is given."""

    @functools.wraps(bmat)
    def called(blocks, format=None, dtype=None):
        return bmat(blocks, "coo" if format is None else format, dtype)

    return called


def _of_own_format(multiply):
    """multiply, whose products with dense arrays are of the matrix's format, too."""

    @functools.wraps(multiply)
    def called(self, other):
        found = multiply(self, other)
        return found.asformat(self.format) if getattr(found, "format", "") == "coo" else found

    return called


def _of_places(method):
    """A sum or mean, of truth values that of the places that are true: one that is stored twice
    counts once."""

    @functools.wraps(method)
    def called(self, *args, **keywords):
        if self.dtype == bool:
            self = self.copy()
            self.sum_duplicates()
        return method(self, *args, **keywords)

    return called


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


def _broadcasting(method):
    """A method of two operands of which sparse ones are broadcast together first."""

    @functools.wraps(method)
    def called(self, other, function):
        if hasattr(other, "_broadcast_to") and self.ndim == other.ndim == 2:
            if self.shape != other.shape:
                try:
                    shape = np.broadcast_shapes(self.shape, other.shape)
                except ValueError:
                    raise ValueError(
                        f"inconsistent shapes {self.shape} and {other.shape}"
                    ) from None
                self, other = self._broadcast_to(shape), other._broadcast_to(shape)
        return method(self, other, function)

    return called


def _older(name, newer, function):
    """An attribute that matrices of SciPy had."""

    def found(self):
        warnings.warn(f"`spmatrix.{name}` is deprecated: use `.{newer}`", DeprecationWarning, 2)
        return function(self)

    return property(found)


def _taking_states(function):
    """A function of random numbers of the host, whose state may be one of the device."""

    def host(state):
        if isinstance(state, cp.random.RandomState):
            return np.random.default_rng(int(state.randint(0, 2**31 - 1)))
        if isinstance(state, cp.random.Generator):
            return np.random.default_rng(int(state.integers(0, 2**31 - 1)))
        return state

    signature = inspect.signature(function)
    name = "rng" if "rng" in signature.parameters else "random_state"

    @functools.wraps(function)
    def called(*args, **keywords):
        keywords = {key: host(each) for key, each in keywords.items()}
        if not {"rng", "random_state"} & (
            keywords.keys() | signature.bind_partial(*args).arguments.keys()
        ):
            # One that draws places of few elements without all of a matrix in memory.
            keywords[name] = host(cp.random.get_random_state())
        return function(*map(host, args), **keywords)

    return called


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


def _coordinates(axis):
    """The rows or the columns of a COO matrix, which may become 64 bits wide."""

    def change(self, values):
        coords = list(self.coords)
        coords[axis] = cp.asarray(values)
        self.coords = tuple(coords)

    def coordinates(self):
        if self.ndim == 1 and axis == -2:
            return cp.zeros_like(self.coords[0])
        return self.coords[axis]

    return property(coordinates, change)


def _widened(method):
    """A conversion of a COO matrix, whose indices stay 64 bits wide."""

    @functools.wraps(method)
    def called(self, copy=False):
        found = method(self, copy)
        if _wide(self.coords) and not _wide((found.indices,)):
            found.indices, found.indptr = (
                each.astype(np.int64) for each in (found.indices, found.indptr)
            )
        return found

    return called


def _of_rows(toarray):
    """toarray, whose order is C unless one is given."""

    @functools.wraps(toarray)
    def called(self, order=None, out=None):
        return toarray(self, "C" if order is None and out is None else order, out)

    return called


def _from_parts(
    cls, data, indices, indptr, shape, *, has_canonical_format=None, has_sorted_indices=None
):
    """A matrix of arrays that are taken as they are."""
    if has_canonical_format and has_sorted_indices is False:
        raise ValueError("has_canonical_format needs has_sorted_indices")
    major, minor = shape if cls._format == "csr" else shape[::-1]
    _check_parts((data, indices), (indices, indptr), minor)
    if indptr.size != major + 1:
        raise ValueError(f"indptr has {indptr.size} elements, the major axis {major}")
    if data.size > np.iinfo(indptr.dtype).max:
        raise ValueError(f"nnz ({data.size}) is too large for index dtype {indptr.dtype}")
    made = cls((0, 0), dtype=data.dtype)
    made._shape, made.data, made.indices, made.indptr = tuple(shape), data, indices, indptr
    if has_sorted_indices is not None or has_canonical_format:
        made.has_sorted_indices = bool(has_sorted_indices or has_canonical_format)
    if has_canonical_format is not None:
        made.has_canonical_format = has_canonical_format
    return made


def _coo_from_parts(cls, data, row, col, shape, *, has_canonical_format=False):
    """A matrix of arrays that are taken as they are."""
    _check_parts((data, row, col), (row, col), max(shape))
    made = cls((0, 0), dtype=data.dtype)
    made._shape, made.data, made.coords = tuple(shape), data, (row, col)
    made.has_canonical_format = has_canonical_format
    return made


def _check_parts(elements, indices, limit):
    if any(each.ndim != 1 for each in (*elements, *indices)):
        raise ValueError("the arrays of a sparse matrix must be 1-D")
    if len({each.size for each in elements}) > 1:
        raise ValueError("the data and the indices of a sparse matrix must have the same length")
    if indices[0].dtype != indices[1].dtype:
        raise ValueError("the arrays of indices must have the same dtype")
    if limit - 1 > np.iinfo(indices[0].dtype).max:
        raise ValueError(f"the shape is too large for index dtype {indices[0].dtype}")


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
        if _in_a_method(sys._getframe(1)):
            _keep_wide(self, arg1)

    return __init__


def _in_a_method(frame):
    """Whether code of a method of SciPy's matrices makes another matrix."""
    package, _, leaf = frame.f_globals["__name__"].rpartition(".")
    of_a_format = package == "numjit.cupyx.code.scipy.sparse" and leaf != "_construct"
    return of_a_format and frame.f_code.co_name != "__init__"


def _keep_wide(matrix, given):
    """What methods make of a matrix with indices of 64 bits has such, too."""
    if getattr(given, "format", None) == matrix.format == "coo":
        given = given.data, given.coords
    if not (type(given) is tuple and matrix.format in ("csr", "csc", "coo")):
        return
    if matrix.format == "coo":
        if len(given) == 2 and _wide(given[1]) and not _wide(matrix.coords):
            matrix.coords = tuple(each.astype(np.int64) for each in matrix.coords)
    elif len(given) == 3 and _wide(given[1:]) and not _wide((matrix.indices,)):
        matrix.indices = matrix.indices.astype(np.int64)
        matrix.indptr = matrix.indptr.astype(np.int64)


def _wide(arrays):
    return isinstance(arrays, tuple | list) and any(
        getattr(each, "dtype", None) == np.int64 for each in arrays
    )
