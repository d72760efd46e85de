"""cupyx.cusparse: products, sums, orders and solutions of sparse matrices under cuSPARSE's names,
which the classes of cupyx.scipy.sparse compute."""

from __future__ import annotations

import functools
import importlib
import itertools

import numpy as np

import numjit.cupy as cp
from numjit import njit
from numjit.cupy.cublas import added

from .scipy import sparse

_descriptors = itertools.count(1)


_FUNCTIONS = frozenset(
    """
    spmv spmm csrmv csrmm csrmm2 csrgeam csrgeam2 spgeam csrgemm csrgemm2 spgemm csrsort cscsort
    coosort coo2csr coo2csc csr2coo csc2coo csr2csc csc2csr csr2cscEx2 csc2csrEx2 csr2dense
    csc2dense dense2csr dense2csc denseToSparse sparseToDense spsm csrsm2 csrilu02
""".split()
)


def check_availability(name):
    """Whether this module has a function of cuSPARSE."""
    return name in _FUNCTIONS


def getVersion():
    """The version of cuSPARSE that these functions are those of: 12.8.1."""
    return 12801


class MatDescriptor:
    """A description of a matrix, which is only a number here."""

    def __init__(self):
        self.descriptor = next(_descriptors)

    @classmethod
    def create(cls):
        return cls()

    def __reduce__(self):
        return self.create, ()

    def set_mat_type(self, typ):
        self.type = typ

    def set_mat_index_base(self, base):
        self.index_base = base

    def set_mat_fill_mode(self, fill_mode):
        self.fill_mode = fill_mode

    def set_mat_diag_type(self, diag_type):
        self.diag_type = diag_type


def _check_format(*matrices, formats=("csr",)):
    for each in matrices:
        if each.format not in formats:
            raise TypeError(f"expected {' or '.join(formats)}, got {each.format}")


def _check_shapes(*shapes):
    """Raises ValueError unless all shapes are equal."""
    if any(shape != shapes[0] for shape in shapes):
        raise ValueError(f"dimension mismatch: {shapes}")


def _check_int32_indices(matrix, name):
    if matrix.indices.dtype == np.int64:
        raise ValueError(f"{name} is int32-only: it does not take matrices with int64 indices")


def _check_canonical(matrix):
    if not matrix.has_canonical_format:
        raise ValueError("the matrix must have the canonical format: see sum_duplicates")


def _result(a, *others):
    return np.result_type(*(each.dtype for each in (a, *others)))


def _scaled(found, alpha, c, beta):
    """alpha * found + beta * c, in c where it is given."""
    found = found if alpha == 1 else (found * alpha).astype(found.dtype, copy=False)
    return added(found, beta, c)


# -- products with dense arrays --------------------------------------------------------------------


def spmv(a, x, y=None, alpha=1, beta=0, transa=False):
    """alpha * op(a) @ x + beta * y for a vector x."""
    _check_canonical(a)
    op = a.T if transa else a
    if x.ndim != 1 or op.shape[1] != x.size or y is not None and y.shape != op.shape[:1]:
        raise ValueError(f"dimension mismatch: {op.shape} and {x.shape}")
    return _scaled(op @ x.astype(_result(a, x), copy=False), alpha, y, beta)


def spmm(a, b, c=None, alpha=1, beta=0, transa=False, transb=False):
    """alpha * op(a) @ op(b) + beta * c for a matrix b in Fortran's order."""
    _check_canonical(a)
    if b.ndim != 2:
        raise ValueError(f"b must be 2-D, not {b.ndim}-D")
    if not b.flags.f_contiguous or c is not None and not c.flags.f_contiguous:
        raise ValueError("dense matrices must be in Fortran's order")
    op_a, op_b = a.T if transa else a, b.T if transb else b
    shape = op_a.shape[0], op_b.shape[1]
    if op_a.shape[1] != op_b.shape[0] or c is not None and c.shape != shape:
        raise ValueError(f"dimension mismatch: {op_a.shape} and {op_b.shape}")
    found = op_a @ op_b.astype(_result(a, b), copy=False)
    return _scaled(cp.asfortranarray(found), alpha, c, beta)


def csrmv(a, x, y=None, alpha=1, beta=0, transa=False):
    _check_format(a)
    a.sum_duplicates()
    return spmv(a, x, y, alpha, beta, transa)


def csrmm2(a, b, c=None, alpha=1.0, beta=0.0, transa=False, transb=False):
    _check_format(a)
    a.sum_duplicates()
    return spmm(a, b, c, alpha, beta, transa, transb)


def csrmm(a, b, c=None, alpha=1, beta=0, transa=False):
    return csrmm2(a, b, c, alpha, beta, transa)


# -- sums and products of sparse matrices ----------------------------------------------------------


def csrgeam2(a, b, alpha=1, beta=1):
    """alpha * a + beta * b."""
    _check_format(a, b)
    _check_shapes(a.shape, b.shape)
    dtype = _result(a, b)
    return (a * dtype.type(alpha) + b * dtype.type(beta)).tocsr()


csrgeam = spgeam = csrgeam2


def csrgemm2(a, b, d=None, alpha=1, beta=1):
    """alpha * a @ b + beta * d."""
    given = [each for each in (a, b, d) if each is not None]
    if a.shape[1] != b.shape[0] or d is not None and d.shape != (a.shape[0], b.shape[1]):
        raise ValueError("dimension mismatch: " + ", ".join(str(each.shape) for each in given))
    _check_format(*given)
    found = (a @ b) * _result(a, b).type(alpha)
    return found if d is None else csrgeam2(found, d, 1, beta)


def spgemm(a, b, alpha=1):
    """alpha * a @ b."""
    return csrgemm2(a, b, alpha=alpha)


def _cupy_spgemm_int64(a, b, alpha=1):
    return spgemm(_with_indices_dtype(a, np.int64), _with_indices_dtype(b, np.int64), alpha)


def csrgemm(a, b, transa=False, transb=False):
    """op(a) @ op(b)."""
    _check_format(a, b)
    return spgemm(a.T.tocsr() if transa else a, b.T.tocsr() if transb else b)


# -- orders and formats ----------------------------------------------------------------------------


def _with_indices_dtype(matrix, dtype):
    """A matrix of rows or columns with indices of a dtype."""
    if matrix.indices.dtype == matrix.indptr.dtype == dtype:
        return matrix
    arrays = matrix.data, matrix.indices.astype(dtype), matrix.indptr.astype(dtype)
    return type(matrix)._from_parts(
        *arrays, matrix.shape, has_sorted_indices=matrix.has_sorted_indices
    )


def _indptr_to_coo(indptr, dtype=None, nnz=None):
    """The row of each element."""
    nnz = int(indptr[-1]) if nnz is None else nnz
    found = cp.searchsorted(indptr[1:], cp.arange(nnz, dtype=indptr.dtype), side="right")
    return found.astype(indptr.dtype if dtype is None else dtype)


def _sort(format, x):
    _check_format(x, formats=(format,))
    x.has_sorted_indices = False
    x.sort_indices()


def csrsort(x):
    """Sorts the indices of each row, in place."""
    _sort("csr", x)


def cscsort(x):
    """Sorts the indices of each column, in place."""
    _sort("csc", x)


def coosort(x, sort_by="r"):
    """Sorts the elements by rows, or with sort_by="c" by columns, in place."""
    if sort_by not in ("r", "c"):
        raise ValueError("sort_by must be either 'r' or 'c'")
    row, col = x.coords
    order = cp.lexsort(cp.stack([col, row] if sort_by == "r" else [row, col]))
    x.coords, x.data = (row[order], col[order]), x.data[order]


def coo2csr(x):
    return _compressed(x, "csr")


def coo2csc(x):
    return _compressed(x, "csc")


def _compressed(x, format):
    _check_format(x, formats=("coo",))
    return _with_indices_dtype(x.asformat(format), x.coords[0].dtype)


def _conversion(name, source, target):
    def convert(x, *parts):
        """A matrix in another format; arrays that give parts of the result are not needed."""
        _check_format(x, formats=(source,))
        return x.toarray(order="F") if target == "dense" else x.asformat(target)

    convert.__name__ = name
    return convert


for _name in "csr2coo csc2coo csr2csc csc2csr csr2dense csc2dense".split():
    globals()[_name] = _conversion(_name, *_name.split("2"))
csr2cscEx2, csc2csrEx2 = csr2csc, csc2csr  # noqa: F821


def denseToSparse(x, format="csr"):
    """A sparse matrix of a dense one."""
    if x.ndim != 2:
        raise ValueError(f"expected 2 dimensions, got {x.ndim}")
    if format not in ("csr", "csc", "coo"):
        raise TypeError(f"unsupported format (actual: {format})")
    return getattr(sparse, f"{format}_matrix")(x)


dense2csr = functools.partial(denseToSparse, format="csr")
dense2csc = functools.partial(denseToSparse, format="csc")


def sparseToDense(x, out=None):
    """A dense array of a sparse matrix."""
    if out is None:
        return x.toarray(order="F")
    _check_shapes(x.shape, out.shape)
    out[...] = x.toarray()
    return out


# -- triangular systems ----------------------------------------------------------------------------


def spsm(a, b, alpha=1, lower=True, unit_diag=False, transa=False):
    """Solves op(a) x = alpha * b for a triangular matrix."""
    if a.shape[0] != a.shape[1] or b.shape[:1] != a.shape[:1] or b.ndim > 2:
        raise ValueError(f"dimension mismatch: {a.shape} and {b.shape}")
    if transa not in (False, True, "N", "T", "H"):
        raise ValueError(f"unknown transa: {transa!r}")
    triangle = (sparse.tril if lower else sparse.triu)(a, format="csr")
    if transa not in (False, "N"):
        triangle, lower = (triangle.T.conj() if transa == "H" else triangle.T).tocsr(), not lower
    solve = importlib.import_module("numjit.cupyx.scipy.sparse.linalg").spsolve_triangular
    dtype = _result(a, b)
    found = solve(triangle.astype(dtype), (alpha * b).astype(dtype), lower,
                  unit_diagonal=unit_diag)  # fmt: skip
    return cp.asarray(found, dtype=dtype, order="C" if b.flags.c_contiguous else "F")


def csrsm2(a, b, alpha=1.0, lower=True, unit_diag=False, transa=False, blocking=True,
           level_info=True):  # fmt: skip
    """Solves op(a) x = alpha * b for a triangular matrix; b becomes x."""
    _check_format(a, formats=("csr", "csc"))
    _check_int32_indices(a, "csrsm2")
    b[...] = spsm(a, b, alpha, lower, unit_diag, transa)


def csrilu02(a, level_info=False):
    """The incomplete LU factors of a matrix, which has their elements afterwards."""
    _check_format(a)
    if a.shape[0] != a.shape[1]:
        raise ValueError(f"invalid shape (a.shape: {a.shape})")
    _check_int32_indices(a, "csrilu02")
    a.sort_indices()
    data, indices, indptr = map(cp.asnumpy, (a.data, a.indices, a.indptr))
    row = _factors()(data, indices, indptr)
    if row >= 0:
        raise ValueError(f"a({row},{row}) is zero: the matrix has no such factors")
    a.data[...] = cp.asarray(data)


@functools.cache
def _factors():
    @njit
    def factors(data, indices, indptr):
        """In place; returns the row of a diagonal element that is zero, else -1."""
        size = len(indptr) - 1
        diagonal = np.full(size, -1)
        at = np.full(size, -1)
        for i in range(size):
            for k in range(indptr[i], indptr[i + 1]):
                at[indices[k]] = k
            for k in range(indptr[i], indptr[i + 1]):
                j = indices[k]
                if j >= i:
                    break
                data[k] /= data[diagonal[j]]
                for other in range(diagonal[j] + 1, indptr[j + 1]):
                    if at[indices[other]] >= 0:
                        data[at[indices[other]]] -= data[k] * data[other]
            diagonal[i] = at[i]
            if at[i] < 0 or data[at[i]] == 0:
                return i
            for k in range(indptr[i], indptr[i + 1]):
                at[indices[k]] = -1
        return -1

    return factors
