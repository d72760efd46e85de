"""Where elements are not 0: in two passes over a long vector, in one kernel for a short one."""

from __future__ import annotations

import numpy as np

from . import current, upcalls
from .creation import asarray, empty
from .evaluate import new_array, part_of
from .kernel_text import cached
from .ndarrays import ndarray

_INT64 = np.dtype(np.int64)
_THREADS = 256
_SEGMENT = 1024
_COUNTS = """\
def kernel(a, counts):
    segment = cuda.grid(1) // 32
    if segment < counts.size:
        i = segment * 1024 + cuda.laneid
        end = min(segment * 1024 + 1024, a.size)
        count = 0
        while i < end:
            if a[i] != 0:
                count += 1
            i += 32
        offset = 16
        while offset > 0:
            count += cuda.shfl_down_sync(0xFFFFFFFF, count, offset)
            offset //= 2
        if cuda.laneid == 0:
            counts[segment] = count
"""
_POSITIONS = """\
def kernel(a, ends, out):
    segment = cuda.grid(1) // 32
    if segment < ends.size:
        lane = cuda.laneid
        first = segment * 1024
        end = min(first + 1024, a.size)
        before = 0
        if segment > 0:
            before = ends[segment - 1]
        while first < end:
            i = first + lane
            chosen = False
            if i < end:
                chosen = a[i] != 0
            bits = cuda.ballot_sync(0xFFFFFFFF, chosen)
            if chosen:
                out[before + cuda.popc(bits & ((1 << lane) - 1))] = i
            before += cuda.popc(bits)
            first += 32
"""


# One block goes over all elements of a short vector.
_FEW_THREADS, _MOST_FEW = 512, 1 << 14
_FEW = """\
def kernel(a, out, count):
    sums = cuda.shared.array(32, np.int64)
    thread = cuda.threadIdx.x
    warp = thread // 32
    lane = thread % 32
    warps = cuda.blockDim.x // 32
    before = 0
    first = 0
    while first < a.size:
        i = first + thread
        chosen = False
        if i < a.size:
            chosen = a[i] != 0
        bits = cuda.ballot_sync(0xFFFFFFFF, chosen)
        if lane == 0:
            sums[warp] = cuda.popc(bits)
        cuda.syncthreads()
        total = 0
        for other in range(warps):
            if other == warp and chosen:
                out[before + total + cuda.popc(bits & ((1 << lane) - 1))] = i
            total += sums[other]
        before += total
        cuda.syncthreads()
        first += cuda.blockDim.x
    if thread == 0:
        count[0] = before
"""


def _launch(text, segments, *arguments):
    """A kernel with a warp for each segment."""
    blocks = (segments * 32 + _THREADS - 1) // _THREADS
    cached(text).launch_quietly((blocks, _THREADS, current.handle()), *arguments)


def _few_positions(a):
    """flatnonzero of a short vector, by one kernel."""
    out, count = new_array((a.size,), _INT64), empty((1,), np.int64)
    arguments = a._force(), out, count._for_writing()
    cached(_FEW).launch_quietly((1, _FEW_THREADS, current.handle()), *arguments)
    return ndarray._over(part_of(out, out._pointer, (count.item(),), (8,)))


def flatnonzero(a):
    """The flat indices of elements that are not 0."""
    a = asarray(a)
    a = a if a.ndim == 1 else a.ravel()
    if not a.size:
        return empty((0,), np.int64)
    if a.size <= _MOST_FEW:
        return _few_positions(a)
    segments = (a.size + _SEGMENT - 1) // _SEGMENT
    counts = empty((segments,), np.int64)
    _launch(_COUNTS, segments, a._force(), counts._force())
    ends = upcalls.accumulate(np.add, counts)
    count = int(ends[-1])
    out = empty((count,), np.int64)
    if count:
        _launch(_POSITIONS, segments, a._force(), ends._force(), out._force())
    return out
