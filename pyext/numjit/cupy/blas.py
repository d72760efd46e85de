"""Matrix products of cuBLAS, and their stand-ins: a kernel for other dtypes, NumPy in the
simulator."""

from __future__ import annotations

import ctypes
import functools
import threading

import numpy as np

from numjit import _core
from numjit.cuda.cudadrv import devices
from numjit.cuda.cudadrv.driver import simulated

from . import current
from .creation import array, asarray, empty
from .evaluate import new_array
from .indexing import launch
from .kernel_text import cached, type_name
from .libraries import check, library

_local = threading.local()
_LETTERS = {"f": "S", "d": "D", "F": "C", "D": "Z"}

#: cupy._core's names for what products of matrices are computed in.
COMPUTE_TYPE_TBD, COMPUTE_TYPE_DEFAULT, COMPUTE_TYPE_PEDANTIC, COMPUTE_TYPE_FP16 = range(4)
COMPUTE_TYPE_FP32, COMPUTE_TYPE_FP64, COMPUTE_TYPE_BF16, COMPUTE_TYPE_TF32 = range(4, 8)
_compute_types = dict.fromkeys("efdFD", COMPUTE_TYPE_DEFAULT)
#: cuBLAS's math mode that follows from them: default, pedantic, or TF32 for single precision.
_mode = 0


def get_compute_type(dtype):
    """What products of matrices of a dtype are computed in."""
    return _compute_types[_with_compute_type(dtype)]


def set_compute_type(dtype, compute_type):
    """Chooses what products of matrices of a dtype are computed in, where cuBLAS has it: TF32 for
    single precision, COMPUTE_TYPE_PEDANTIC for all of cuBLAS's products."""
    global _mode
    if compute_type not in range(COMPUTE_TYPE_TF32 + 1):
        raise ValueError(f"unknown compute type: {compute_type}")
    _compute_types[_with_compute_type(dtype)] = compute_type
    if COMPUTE_TYPE_TF32 in (_compute_types["f"], _compute_types["F"]):
        _mode = 3
    else:
        _mode = 2 if COMPUTE_TYPE_PEDANTIC in _compute_types.values() else 0


def _with_compute_type(dtype):
    char = np.dtype(dtype).char
    if char not in _compute_types:
        raise TypeError(f"products of {np.dtype(dtype)} have no compute type")
    return char


def handle():
    """cuBLAS's handle of this thread and device, in the current stream."""
    context = devices.get_context()
    found = _local.__dict__.setdefault("handles", {})
    row = found.get(context)
    if row is None:
        made = ctypes.c_void_p()
        check("cuBLAS", library("cublas").cublasCreate_v2(ctypes.byref(made)))
        row = found[context] = [made, None, 0]
    stream = current.handle()
    if row[1] != stream:
        status = library("cublas").cublasSetStream_v2(row[0], ctypes.c_void_p(stream))
        check("cuBLAS", status)
        row[1] = stream
    if row[2] != _mode:
        check("cuBLAS", library("cublas").cublasSetMathMode(row[0], _mode))
        row[2] = _mode
    return row[0]


def _operand(a):
    """A stack of matrices as cuBLAS takes it: the array, whether it is transposed, the distance of
    rows or columns."""
    device = a._force()
    item = a.dtype.itemsize
    _, rows, columns = device.shape
    _, row, column = device.strides
    if (column == item or columns == 1) and row >= item * columns and row % item == 0:
        return a, 0, max(row // item, 1)
    if (row == item or rows == 1) and column >= item * rows and column % item == 0:
        return a, 1, max(column // item, 1)
    return array(a, order="C"), 0, max(columns, 1)


@functools.cache
def _function(letter, one):
    """The product of one pair of matrices, or of stacks of them; the first is chosen faster."""
    pointer, integer, long = ctypes.c_void_p, ctypes.c_int, ctypes.c_longlong
    begin = [pointer, integer, integer, integer, integer, integer, pointer]
    if one:
        function = getattr(library("cublas"), f"cublas{letter}gemm_v2")
        function.argtypes = [*begin, pointer, integer, pointer, integer, pointer, pointer, integer]
    else:
        function = getattr(library("cublas"), f"cublas{letter}gemmStridedBatched")
        function.argtypes = [
            *begin, pointer, integer, long, pointer, integer, long, pointer, pointer, integer,
            long, integer,
        ]  # fmt: skip
    return function


@functools.cache
def _factors(dtype):
    return np.ones(1, dtype), np.zeros(1, dtype)


def _gemm(a, b, out):
    """out = a @ b, of stacks. cuBLAS's matrices are columns first: it computes b.T @ a.T."""
    (a, a_turned, lda), (b, b_turned, ldb) = _operand(a), _operand(b)
    item, dtype = out.dtype.itemsize, out.dtype
    one, zero = _factors(dtype)
    batch, m, n = out.shape
    k = a.shape[2]
    target = out._for_writing()
    first, second = a._force(), b._force()
    if batch == 1:
        status = _function(_LETTERS[dtype.char], True)(
            handle(), b_turned, a_turned, n, m, k, one.ctypes.data, second._pointer, ldb,
            first._pointer, lda, zero.ctypes.data, target._pointer, n,
        )  # fmt: skip
        check("cuBLAS", status)
        return
    status = _function(_LETTERS[dtype.char], False)(
        handle(), b_turned, a_turned, n, m, k, one.ctypes.data,
        second._pointer, ldb, second.strides[0] // item if b.shape[0] > 1 else 0,
        first._pointer, lda, first.strides[0] // item if a.shape[0] > 1 else 0,
        zero.ctypes.data, target._pointer, n, m * n, batch,
    )  # fmt: skip
    check("cuBLAS", status)


@functools.cache
def _gemm_of(char):
    """The address of a product of two matrices, and those of its factors 1 and 0."""
    function = getattr(library("cublas"), f"cublas{_LETTERS[char]}gemm_v2")
    address = ctypes.cast(function, ctypes.c_void_p).value
    one, zero = _factors(np.dtype(char))
    return address, one.ctypes.data, zero.ctypes.data


def _leading(array):
    """Whether a matrix is transposed for cuBLAS, and the distance of rows or columns; None where it
    takes a copy."""
    rows, columns = array.shape
    row, column = array.strides
    item = array.dtype.itemsize
    if column == item and row >= item * columns and row % item == 0:
        return 0, row // item
    if row == item and column >= item * rows and column % item == 0:
        return 1, column // item
    return None


def product_of_matrices(a, b):
    """a @ b of two matrices of one dtype that lie as cuBLAS takes them; None for others."""
    if a.dtype is not b.dtype or a.dtype.char not in _LETTERS or simulated():
        return None
    if not len(a.shape_) == len(b.shape_) == 2 or a.shape_[1] != b.shape_[0]:
        return None
    first, second = a._force(), b._force()
    (m, k), n = first.shape, second.shape[1]
    one, other = _leading(first), _leading(second)
    if not (m and n and k and one and other):
        return None
    out = new_array((m, n), a.dtype)
    address, factor, zero = _gemm_of(a.dtype.char)
    check("cuBLAS", _core.call_gemm(
        address, handle().value, other[0], one[0], n, m, k, factor, second._pointer, other[1],
        first._pointer, one[1], zero, out._pointer, n,
    ))  # fmt: skip
    return type(a)._over(out)


_PLAIN = """\
def kernel(a, b, out):
    i = cuda.grid(1)
    step = cuda.gridsize(1)
    while i < out.size:
        column = i % out.shape[2]
        rest = i // out.shape[2]
        row = rest % out.shape[1]
        batch = rest // out.shape[1]
        total = {type}(0)
        first = batch % a.shape[0]
        second = batch % b.shape[0]
        for k in range(a.shape[2]):
            total = {type}(total {plus} a[first, row, k] {times} b[second, k, column])
        out[batch, row, column] = total
        i += step
"""


def stacked_product(a, b, dtype):
    """a @ b of arrays of three dimensions, whose first one may be 1."""
    batch = max(a.shape[0], b.shape[0]) if a.shape[0] and b.shape[0] else 0
    out = empty((batch, a.shape[1], b.shape[2]), dtype)
    if not out.size:
        return out
    if not a.shape[2]:
        out.fill(0)
        return out
    if dtype.char in _LETTERS and simulated():
        return asarray(np.matmul(a.get(), b.get()))
    if dtype.char in _LETTERS:
        _gemm(a.astype(dtype, copy=False), b.astype(dtype, copy=False), out)
        return out
    inside = type_name(np.dtype("f4") if dtype == "f2" else dtype)
    plus, times = ("|", "&") if dtype.kind == "b" else ("+", "*")
    text = _PLAIN.format(type=inside, plus=plus, times=times)
    a, b = a.astype(dtype, copy=False), b.astype(dtype, copy=False)
    launch(cached(text), out.size, a._force(), b._force(), out._force())
    return out
