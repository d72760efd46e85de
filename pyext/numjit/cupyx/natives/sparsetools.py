"""scipy.sparse's compiled functions over device arrays. As there, results are written to arrays
that are given: Ap, Aj, Ax are the indptr, indices and data of a matrix A.

Products by vectors are kernels; what reorders is sorts, scans and gathers."""

from __future__ import annotations

import numpy as np

import numjit.cupy as cp
from numjit.cupy.indexing import launch
from numjit.cupy.kernel_text import cached, type_name


def _rows(Ap):
    """The row of each element."""
    lengths = cp.diff(Ap)
    return _repeated(cp.arange(lengths.size, dtype=Ap.dtype), lengths, int(Ap[-1]))


def _count(numbers, size, dtype):
    """0, and how many of the numbers are below 1, 2, ... size."""
    out = cp.zeros((size + 1,), dtype)
    if numbers.size:
        out[1:] = cp.cumsum(cp.bincount(numbers, minlength=size))
    return out


def _repeated(values, lengths, count):
    """Each value as often as its length says; there are `count` of them."""
    if not count:
        return values[:0]
    marks = cp.zeros((count + 1,), np.int64)
    cp.add.at(marks, cp.cumsum(lengths), 1)
    return values[cp.cumsum(marks[:count])]


def expandptr(n_row, Ap, Bi):
    Bi[...] = _rows(Ap)


# -- conversions -----------------------------------------------------------------------------------


def coo_tocsr(n_row, n_col, nnz, Ai, Aj, Ax, Bp, Bj, Bx):
    order = cp.argsort(Ai)
    Bp[...] = _count(Ai, n_row, Bp.dtype)
    Bj[...], Bx[...] = Aj[order], Ax[order]


def csr_tocsc(n_row, n_col, Ap, Aj, Ax, Bp, Bi, Bx):
    nnz = int(Ap[-1])
    coo_tocsr(n_col, n_row, nnz, Aj[:nnz], _rows(Ap), Ax[:nnz], Bp, Bi[:nnz], Bx[:nnz])


def csc_tocsr(n_row, n_col, Ap, Ai, Ax, Bp, Bj, Bx):
    csr_tocsc(n_col, n_row, Ap, Ai, Ax, Bp, Bj, Bx)


def coo_todense(n_row, n_col, nnz, Ai, Aj, Ax, Bx, fortran):
    at = Aj.astype(np.int64) * n_row + Ai if fortran else Ai.astype(np.int64) * n_col + Aj
    _add_at(Bx, at, Ax)


def coo_todense_nd(strides, nnz, ndim, coords, data, B, fortran):
    at = cp.asarray(coords).reshape(ndim, nnz).astype(np.int64) * cp.asarray(strides)[:, None]
    _add_at(B, at.sum(axis=0), data)


def csr_todense(n_row, n_col, Ap, Aj, Ax, Bx):
    nnz = int(Ap[-1])
    coo_todense(n_row, n_col, nnz, _rows(Ap), Aj[:nnz], Ax[:nnz], Bx, not Bx._c_contiguous)


def _add_at(out, at, values):
    """out.flat[at] += values, for an array that is one piece."""
    line = out.ravel("K") if out.ndim > 1 else out
    if line._buffer is not out._buffer:
        raise ValueError("the result is not one piece of memory")
    if out.dtype.kind == "b":
        line[at[values]] = True
    elif values.size:
        cp.add.at(line, at, values.astype(out.dtype, copy=False))


# -- products --------------------------------------------------------------------------------------

_ROW_PRODUCT = """\
def kernel(p, j, x, other, out):
    row = cuda.grid(1)
    step = cuda.gridsize(1)
    while row < out.shape[0]:
        for column in range(out.shape[1]):
            total = {type}(0)
            for k in range(p[row], p[row + 1]):
                total = {type}(total + x[k] * other[j[k], column])
            out[row, column] = {type}(out[row, column] + total)
        row += step
"""


def _by_rows(n_row, Ap, Aj, Ax, other, out):
    """out += A @ other, for matrices `other` and `out`."""
    if not (out.size and Ax.size):
        return
    name = type_name(out.dtype)
    kernel = cached(_ROW_PRODUCT.format(type=name))
    same = Ax.astype(out.dtype, copy=False), other.astype(out.dtype, copy=False)
    launch(kernel, n_row, Ap._force(), Aj._force(), same[0]._force(), same[1]._force(),
           out._for_writing())  # fmt: skip


def csr_matvec(n_row, n_col, Ap, Aj, Ax, Xx, Yx):
    csr_matvecs(n_row, n_col, 1, Ap, Aj, Ax, Xx, Yx)


def csr_matvecs(n_row, n_col, n_vecs, Ap, Aj, Ax, Xx, Yx):
    _by_rows(n_row, Ap, Aj, Ax, Xx.reshape(n_col, n_vecs), Yx.reshape(n_row, n_vecs))


def csc_matvec(n_row, n_col, Ap, Ai, Ax, Xx, Yx):
    csc_matvecs(n_row, n_col, 1, Ap, Ai, Ax, Xx, Yx)


def csc_matvecs(n_row, n_col, n_vecs, Ap, Ai, Ax, Xx, Yx):
    nnz = int(Ap[-1])
    coo_matmat_dense(nnz, n_vecs, Ai[:nnz], _rows(Ap), Ax[:nnz], Xx.reshape(n_col, n_vecs), Yx)


def coo_matvec(nnz, Ai, Aj, Ax, Xx, Yx):
    coo_matmat_dense(nnz, 1, Ai, Aj, Ax, Xx, Yx)


def coo_matmat_dense(nnz, n_col, row, col, data, other, result):
    other, result = other.reshape(-1, n_col), result.reshape(-1, n_col)
    products = data[:, None].astype(result.dtype) * other[col]
    at = row.astype(np.int64)[:, None] * n_col + cp.arange(n_col)
    _add_at(result.reshape(-1), at.ravel(), products.ravel())


def coo_matvec_nd(nnz, n_dim, strides, coords, data, other, result):
    coords = coords.reshape(n_dim, nnz).astype(np.int64)
    at = (coords[:-1] * cp.asarray(strides)[: n_dim - 1, None]).sum(axis=0)
    _add_at(result, at, data.astype(result.dtype) * other[coords[-1]])


def dia_matvec(n_row, n_col, n_diags, L, offsets, diags, Xx, Yx):
    dia_matvecs(n_row, n_col, n_diags, L, offsets, diags, 1, Xx, Yx)


def dia_matvecs(n_row, n_col, n_diags, L, offsets, diags, n_vecs, Xx, Yx):
    x, y = Xx.reshape(n_col, n_vecs), Yx.reshape(n_row, n_vecs)
    diags = diags.reshape(n_diags, L)
    for number, k in enumerate(offsets.tolist()):
        i, j = max(0, -k), max(0, k)
        length = min(n_row - i, n_col - j, L - j)
        if length > 0:
            y[i : i + length] += diags[number, j : j + length, None] * x[j : j + length]


def dia_tocsr(n_rows, n_cols, n_diags, L, offsets, diags, order, csr_data, indices, indptr):
    diags = diags.reshape(n_diags, L)
    columns = cp.arange(L, dtype=np.int64)[None, :]
    rows = columns - offsets[:, None]
    inside = (rows >= 0) & (rows < n_rows) & (columns < n_cols) & (diags != 0)
    number, column = cp.nonzero(inside)
    row = column - offsets[number]
    sorted_ = cp.lexsort(cp.stack([column, row]))
    nnz = int(sorted_.size)
    csr_data[:nnz], indices[:nnz] = diags[number, column][sorted_], column[sorted_]
    indptr[...] = _count(row, n_rows, indptr.dtype)
    return nnz


def csr_scale_rows(n_row, n_col, Ap, Aj, Ax, Xx):
    Ax[: int(Ap[-1])] *= Xx[_rows(Ap)]


def csr_scale_columns(n_row, n_col, Ap, Aj, Ax, Xx):
    nnz = int(Ap[-1])
    Ax[:nnz] *= Xx[Aj[:nnz]]


def csr_diagonal(k, n_row, n_col, Ap, Aj, Ax, Yx):
    nnz, rows = int(Ap[-1]), _rows(Ap)
    here = cp.flatnonzero(Aj[:nnz] - rows == k)
    Yx[...] = 0
    _add_at(Yx, rows[here] - max(0, -k), Ax[:nnz][here])


def csr_matmat_maxnnz(n_row, n_col, Ap, Aj, Bp, Bj):
    """At most so many elements has A @ B: the products, of which some fall together."""
    lengths = cp.diff(Bp)
    return int(lengths[Aj[: int(Ap[-1])]].sum()) if Aj.size else 0


def csr_matmat(n_row, n_col, Ap, Aj, Ax, Bp, Bj, Bx, Cp, Cj, Cx):
    nnz = int(Ap[-1])
    lengths = cp.diff(Bp)[Aj[:nnz]]
    ends = cp.cumsum(lengths)
    count = int(ends[-1]) if nnz else 0
    Cp[...] = 0
    if not count:
        return
    source = _repeated(cp.arange(nnz, dtype=np.int64), lengths, count)
    of_b = cp.arange(count, dtype=np.int64) - (ends - lengths)[source] + Bp[Aj[:nnz]][source]
    rows, columns = _rows(Ap)[source].astype(np.int64), Bj[of_b]
    values = Ax[:nnz][source] * Bx[of_b]
    row, column, value = _joined(rows, columns, values, n_col)
    Cp[...] = _count(row, n_row, Cp.dtype)
    Cj[: row.size], Cx[: row.size] = column, value


def _joined(rows, columns, values, n_col, function=np.add):
    """Elements sorted by row and column; those of one place are one, by a ufunc."""
    keys = rows.astype(np.int64) * n_col + columns
    order = cp.argsort(keys)
    keys, values = keys[order], values[order]
    fresh = cp.ones((keys.size,), bool)
    fresh[1:] = keys[1:] != keys[:-1]
    starts = cp.flatnonzero(fresh)
    if starts.size != keys.size:
        numbers = cp.cumsum(fresh) - 1
        total = cp.zeros((starts.size,), values.dtype)
        if values.dtype.kind == "b":
            total[numbers[values]] = True
        else:
            cp.add.at(total, numbers, values)
        values = total
    keys = keys[starts]
    return keys // n_col, keys % n_col, values


# -- element by element ----------------------------------------------------------------------------


def _binary(function):
    def called(n_row, n_col, Ap, Aj, Ax, Bp, Bj, Bx, Cp, Cj, Cx):
        """C = function(A, B) where one of them has an element."""
        na, nb = int(Ap[-1]), int(Bp[-1])
        ones = _joined(_rows(Ap), Aj[:na], Ax[:na], n_col)
        others = _joined(_rows(Bp), Bj[:nb], Bx[:nb], n_col)
        keys = [row * n_col + column for row, column, _ in (ones, others)]
        both = cp.unique(cp.concatenate(keys))
        one, other = (cp.zeros(both.shape, each.dtype) for each in (Ax, Bx))
        one[cp.searchsorted(both, keys[0])] = ones[2]
        other[cp.searchsorted(both, keys[1])] = others[2]
        values = function(one, other)
        kept = cp.flatnonzero(values != 0)
        both = both[kept]
        Cp[...] = _count(both // n_col, n_row, Cp.dtype)
        Cj[: both.size], Cx[: both.size] = both % n_col, values[kept]
        Cj[both.size :], Cx[both.size :] = 0, 0  # the caller converts all before it cuts them off

    return called


for _name, _function in {
    "elmul": cp.multiply, "eldiv": cp.divide,
    "maximum": cp.maximum, "minimum": cp.minimum, "ne": cp.not_equal, "lt": cp.less,
    "gt": cp.greater, "le": cp.less_equal, "ge": cp.greater_equal,
}.items():  # fmt: skip
    globals()[f"csr_{_name}_csr"] = _binary(_function)


def csr_minus_csr(n_row, n_col, Ap, Aj, Ax, Bp, Bj, Bx, Cp, Cj, Cx):
    """As the others; booleans differ where one of them is true."""
    function = cp.logical_xor if Cx.dtype.kind == "b" else cp.subtract
    _binary(function)(n_row, n_col, Ap, Aj, Ax, Bp, Bj, Bx, Cp, Cj, Cx)


def csr_plus_csr(n_row, n_col, Ap, Aj, Ax, Bp, Bj, Bx, Cp, Cj, Cx):
    """As the others; where A and B are true the sum is true."""
    function = cp.logical_or if Cx.dtype.kind == "b" else cp.add
    _binary(function)(n_row, n_col, Ap, Aj, Ax, Bp, Bj, Bx, Cp, Cj, Cx)


# -- order -----------------------------------------------------------------------------------------


def csr_sort_indices(n_row, Ap, Aj, Ax):
    nnz = int(Ap[-1])
    order = cp.lexsort(cp.stack([Aj[:nnz], _rows(Ap).astype(Aj.dtype)]))
    Aj[:nnz], Ax[:nnz] = Aj[:nnz][order], Ax[:nnz][order]


def _ordered(Ap, Aj, compare):
    nnz = int(Ap[-1])
    if nnz < 2:
        return True
    rows = _rows(Ap)
    return bool((compare(Aj[: nnz - 1], Aj[1:nnz]) | (rows[:-1] != rows[1:])).all())


def csr_has_sorted_indices(n_row, Ap, Aj):
    return _ordered(Ap, Aj, cp.less_equal)


def csr_has_canonical_format(n_row, Ap, Aj):
    return _ordered(Ap, Aj, cp.less)


def csr_sum_duplicates(n_row, n_col, Ap, Aj, Ax):
    nnz = int(Ap[-1])
    row, column, value = _joined(_rows(Ap), Aj[:nnz], Ax[:nnz], n_col)
    Ap[...] = _count(row, n_row, Ap.dtype)
    Aj[: row.size], Ax[: row.size] = column, value


def csr_eliminate_zeros(n_row, n_col, Ap, Aj, Ax):
    nnz = int(Ap[-1])
    kept, rows = cp.flatnonzero(Ax[:nnz] != 0), _rows(Ap)
    columns, values = Aj[kept], Ax[kept]
    Ap[...] = _count(rows[kept], n_row, Ap.dtype)
    Aj[: kept.size], Ax[: kept.size] = columns, values


# -- parts -----------------------------------------------------------------------------------------


def csr_row_index(n_row_idx, rows, Ap, Aj, Ax, Bj, Bx):
    starts = Ap[rows]
    lengths = Ap[rows + 1] - starts
    count = Bj.size
    if not count:
        return
    source = _repeated(cp.arange(n_row_idx, dtype=np.int64), lengths, count)
    at = cp.arange(count, dtype=np.int64) - (cp.cumsum(lengths) - lengths)[source] + starts[source]
    Bj[...], Bx[...] = Aj[at], Ax[at]


def csr_row_slice(start, stop, step, Ap, Aj, Ax, Bj, Bx):
    rows = cp.arange(start, stop, step, dtype=np.int64)
    csr_row_index(rows.size, rows, Ap, Aj, Ax, Bj, Bx)


def get_csr_submatrix(n_row, n_col, Ap, Aj, Ax, ir0, ir1, ic0, ic1):
    ir0, ir1, ic0, ic1 = map(int, (ir0, ir1, ic0, ic1))
    start, stop = map(int, Ap[[ir0, ir1]].tolist())
    columns, values = Aj[start:stop], Ax[start:stop]
    if ic0 == 0 and ic1 == n_col:
        return Ap[ir0 : ir1 + 1] - start, columns.copy(), values.copy()
    kept = cp.flatnonzero((columns >= ic0) & (columns < ic1))
    rows = _rows(Ap[ir0 : ir1 + 1] - start)
    pointers = _count(rows[kept], ir1 - ir0, Ap.dtype)
    return pointers, columns[kept] - ic0, values[kept]


def csr_column_index1(n_idx, col_idxs, n_row, n_col, Ap, Aj, col_offsets, Bp):
    counts = cp.bincount(col_idxs % n_col, minlength=n_col)
    col_offsets[...] = cp.cumsum(counts)
    nnz = int(Ap[-1])
    ends = cp.cumsum(counts[Aj[:nnz]])
    Bp[...] = cp.concatenate([cp.zeros((1,), ends.dtype), ends])[Ap]


def csr_column_index2(col_order, col_offsets, nnz, Aj, Ax, Bj, Bx):
    counts = cp.diff(col_offsets, prepend=cp.zeros((1,), col_offsets.dtype))
    lengths = counts[Aj[:nnz]]
    count = Bj.size
    if not count:
        return
    source = _repeated(cp.arange(nnz, dtype=np.int64), lengths, count)
    inside = cp.arange(count, dtype=np.int64) - (cp.cumsum(lengths) - lengths)[source]
    column = Aj[source]
    Bj[...] = col_order[(col_offsets - counts)[column] + inside]
    Bx[...] = Ax[source]


def _places(n_row, n_col, Ap, Aj, rows, columns):
    """Where elements lie in a matrix in canonical form, and whether they are there."""
    nnz = int(Ap[-1])
    keys = _rows(Ap).astype(np.int64) * n_col + Aj[:nnz]
    order = cp.argsort(keys)
    wanted = (rows % n_row).astype(np.int64) * n_col + columns % n_col
    at = cp.searchsorted(keys[order], wanted)
    inside = at.clip(0, max(nnz - 1, 0))
    return order, keys[order], wanted, inside


def csr_sample_values(n_row, n_col, Ap, Aj, Ax, n_samples, Bi, Bj, Bx):
    nnz = int(Ap[-1])
    if not nnz:
        Bx[...] = 0
        return
    row, column, value = _joined(_rows(Ap), Aj[:nnz], Ax[:nnz], n_col)
    keys = row * n_col + column
    wanted = (cp.asarray(Bi) % n_row).astype(np.int64) * n_col + cp.asarray(Bj) % n_col
    at = cp.searchsorted(keys, wanted).clip(0, keys.size - 1)
    Bx[...] = cp.where(keys[at] == wanted, value[at], value.dtype.type(0))


def csr_sample_offsets(n_row, n_col, Ap, Aj, n_samples, Bi, Bj, Bp):
    """Writes where elements lie, -1 for those that are not there; 1 if one lies there twice."""
    nnz = int(Ap[-1])
    if not nnz:
        Bp[...] = -1
        return 0
    order, keys, wanted, at = _places(n_row, n_col, Ap, Aj, Bi, Bj)
    twice = (keys[(at + 1).clip(0, nnz - 1)] == wanted) & (at + 1 < nnz) & (keys[at] == wanted)
    if bool(twice.any()):
        return 1
    Bp[...] = cp.where(keys[at] == wanted, order[at], -1)
    return 0


def csr_hstack(n_blocks, n_row, n_col_cat, Ap_cat, Aj_cat, Ax_cat, Bp, Bj, Bx):
    columns = cp.asarray(n_col_cat)
    shifts = cp.cumsum(columns) - columns
    pointers = Ap_cat.reshape(n_blocks, n_row + 1)
    lengths = cp.diff(pointers, axis=1)
    row = cp.tile(cp.arange(n_row, dtype=np.int64), n_blocks)
    block = cp.repeat(cp.arange(n_blocks, dtype=np.int64), n_row)
    source = _repeated(cp.arange(row.size, dtype=np.int64), lengths.ravel(), Aj_cat.size)
    order = cp.argsort(row[source])
    Bp[...] = _count(row[source], n_row, Bp.dtype)
    Bj[...] = (Aj_cat + shifts[block[source]])[order]
    Bx[...] = Ax_cat[order]
