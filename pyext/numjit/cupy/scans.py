"""Running sums and products along an axis: blocks scan chunks, the ends of the chunks are scanned,
and what comes before is combined with each chunk."""

from __future__ import annotations

import functools
import operator

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from . import current
from .creation import asarray, ascontiguousarray, empty
from .evaluate import new_array
from .indexing import launch
from .joining import stack
from .kernel_text import cached, is_bfloat16, type_name
from .ndarrays import ndarray
from .reductions import reduce, result_dtype
from .ufuncs import assign

_THREADS, _EACH = 256, 8
_CHUNK = _THREADS * _EACH

# Each thread scans 8 elements that lie beside each other; the totals of the threads are scanned in
# shared memory.
_SCAN = """\
def kernel(a, out, ends, chunks):
    shared = cuda.shared.array({threads}, {type})
    row = cuda.blockIdx.x // chunks
    chunk = cuda.blockIdx.x % chunks
    thread = cuda.threadIdx.x
    begin = chunk * {chunk} + thread * {each}
    end = min(begin + {each}, a.shape[1])
    total = {type}({identity})
    i = begin
    while i < end:
        total = {type}(np.{name}(total, a[row, i]))
        out[row, i] = total
        i += 1
    shared[thread] = total
    cuda.syncthreads()
    offset = 1
    while offset < {threads}:
        other = total
        if thread >= offset:
            other = shared[thread - offset]
        cuda.syncthreads()
        if thread >= offset:
            total = {type}(np.{name}(other, total))
            shared[thread] = total
        cuda.syncthreads()
        offset *= 2
    if thread > 0:
        before = shared[thread - 1]
        i = begin
        while i < end:
            out[row, i] = {type}(np.{name}(before, out[row, i]))
            i += 1
    if thread == {threads} - 1:
        ends[row, chunk] = total
"""

_COMBINE = """\
def kernel(out, ends):
    i = cuda.grid(1)
    step = cuda.gridsize(1)
    while i < out.size:
        row = i // out.shape[1]
        column = i % out.shape[1]
        chunk = column // {chunk}
        if chunk > 0:
            out[row, column] = {type}(np.{name}(ends[row, chunk - 1], out[row, column]))
        i += step
"""

# Types that warps shuffle: a warp takes a segment, whose elements it reads 32 at once. The totals
# of the segments are scanned before, so that each element is read twice and written once.
_SEGMENT = 1024
_TOTALS = """\
def kernel(a, ends, segments):
    number = cuda.grid(1) // 32
    row = number // segments
    lane = cuda.laneid
    if row < a.shape[0]:
        first = number % segments * {segment}
        end = min(first + {segment}, a.shape[1])
        total = {type}({identity})
        i = first + lane
        while i < end:
            total = {type}(np.{name}(total, a[row, i]))
            i += 32
        offset = 16
        while offset > 0:
            total = {type}(np.{name}(total, cuda.shfl_down_sync(0xFFFFFFFF, total, offset)))
            offset //= 2
        if lane == 0:
            ends[row, number % segments] = total
"""
_SEGMENTS = """\
def kernel(a, before, out, segments):
    number = cuda.grid(1) // 32
    row = number // segments
    segment = number % segments
    lane = cuda.laneid
    if row < a.shape[0]:
        first = segment * {segment}
        carry = {type}({identity})
        if segment > 0:
            carry = before[row, segment - 1]
        end = min(first + {segment}, a.shape[1])
        while first < end:
            i = first + lane
            value = {type}({identity})
            if i < end:
                value = {type}(a[row, i])
            offset = 1
            while offset < 32:
                other = cuda.shfl_up_sync(0xFFFFFFFF, value, offset)
                if lane >= offset:
                    value = {type}(np.{name}(other, value))
                offset *= 2
            value = {type}(np.{name}(carry, value))
            if i < end:
                out[row, i] = value
            carry = cuda.shfl_sync(0xFFFFFFFF, value, 31)
            first += 32
"""

# Many short lines: a thread for each.
_LINES = """\
def kernel(a, out):
    row = cuda.grid(1)
    step = cuda.gridsize(1)
    while row < a.shape[0]:
        total = {type}({identity})
        for i in range(a.shape[1]):
            total = {type}(np.{name}(total, a[row, i]))
            out[row, i] = total
        row += step
"""


@functools.cache
def _texts(name, dtype, identity):
    fields = {"name": name, "type": type_name(dtype), "identity": identity, "threads": _THREADS,
              "each": _EACH, "chunk": _CHUNK, "segment": _SEGMENT}  # fmt: skip
    return [text.format(**fields) for text in (_SCAN, _COMBINE, _LINES, _TOTALS, _SEGMENTS)]


def _identity(function, dtype):
    if function.identity is not None:
        return repr(function.identity).replace("inf", "np.inf")
    least = function is np.maximum or function is np.fmax
    if dtype.kind == "f" or is_bfloat16(dtype):
        return "-np.inf" if least else "np.inf"
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return str(info.min if least else info.max)
    raise TypeError(f"{function.__name__}.accumulate is not there for {dtype}")


def _scan(function, a, out):
    """Scans the rows of a matrix into another one."""
    dtype = out.dtype
    scan, combine, lines, *by_warps = _texts(function.__name__, dtype, _identity(function, dtype))
    rows, length = a.shape
    if length <= 64 or rows >= 1 << 14:
        launch(cached(lines), rows, a, out)
        return
    if dtype.char in "ilqILQfd":
        _scan_by_warps(function, by_warps, a, out)
        return
    chunks = (length + _CHUNK - 1) // _CHUNK
    ends = new_array((rows, chunks), dtype)
    cached(scan).launch_quietly((rows * chunks, _THREADS, current.handle()), a, out, ends, chunks)
    if chunks > 1:
        before = new_array((rows, chunks), dtype)
        _scan(function, ends, before)
        launch(cached(combine), out.size, out, before)


def _scan_by_warps(function, texts, a, out):
    rows, length = a.shape
    segments = (length + _SEGMENT - 1) // _SEGMENT
    before = out
    if segments > 1:
        totals = new_array((rows, segments), out.dtype)
        launch(cached(texts[0]), rows * segments * 32, a, totals, segments, most=1 << 30)
        before = new_array((rows, segments), out.dtype)
        _scan(function, totals, before)
    launch(cached(texts[1]), rows * segments * 32, a, before, out, segments, most=1 << 30)


@functools.lru_cache(512)
def _dtype_of_result(function, dtype, wanted):
    return function.accumulate(np.ones(1, dtype), dtype=wanted).dtype


@functools.lru_cache(512)
def _dtype_of_sum(function, dtype):
    return function.reduce(np.ones(1, dtype)).dtype


def accumulate(function, array, axis=0, dtype=None, out=None):
    """function.accumulate along an axis."""
    a = asarray(array)
    if not a.ndim:
        raise TypeError("cannot accumulate on a scalar")
    if isinstance(axis, tuple) and len(axis) != 1:
        for each in axis:
            normalize_axis_index(each, a.ndim)
        raise ValueError("accumulate does not allow multiple axes")
    axis = axis[0] if isinstance(axis, tuple) else axis
    axis = normalize_axis_index(axis, a.ndim)
    result = _dtype_of_result(function, a.dtype, dtype)
    inside = np.dtype("f4") if result == "f2" else result
    a = a if a.dtype == inside else a.astype(inside)
    last = axis == a.ndim - 1
    lines = a if last else a.swapaxes(axis, -1)
    found = empty(lines.shape, inside)
    if found.size:
        rows = lines.reshape(-1, lines.shape[-1])
        _scan(function, rows._force(), found.reshape(rows.shape)._force())
    found = found if last else found.swapaxes(axis, -1)
    if out is not None:
        assign(out, found._operand())
        return out
    if inside != result:
        return found.astype(result)
    return found if found._c_contiguous else _ordered(found)


def _ordered(found):
    return ascontiguousarray(found)


def _running(function):
    def running(a, axis=None, dtype=None, out=None):
        a = asarray(a)
        axis = None if axis is None else operator.index(axis)
        if axis is None or not a.ndim:
            a, axis = a if a.ndim == 1 else a.ravel(), 0 if axis is None else axis
        if dtype is None and out is None and a.dtype.kind in "biu":
            dtype = _dtype_of_sum(function, a.dtype)
        return accumulate(function, a, axis, dtype, out)

    return running


cumsum, cumprod = _running(np.add), _running(np.multiply)


def reduceat(function, array, indices, axis=0, dtype=None, out=None):
    """function.reduceat: reductions of slices along an axis, one after the other."""
    a = asarray(array)
    axis = normalize_axis_index(axis, a.ndim)
    at = (indices.get() if isinstance(indices, ndarray) else np.asarray(indices)).tolist()
    for index in at:
        if not 0 <= index < a.shape[axis]:
            raise IndexError(
                f"index {index} out-of-bounds in {function.__name__}.reduceat [0, {a.shape[axis]})"
            )
    before, parts = (slice(None),) * axis, []
    for begin, end in zip(at, [*at[1:], a.shape[axis]]):
        piece = slice(begin, end if end > begin else begin + 1)
        parts.append(reduce(function, a[(*before, piece)], axis, dtype))
    if parts:
        found = stack(parts, axis)
    else:
        shape = (*a.shape[:axis], 0, *a.shape[axis + 1 :])
        found = empty(shape, result_dtype(function, a.dtype, dtype and np.dtype(dtype)))
    if out is None:
        return found
    out[...] = found
    return out
