"""A stable radix sort of keys of unsigned integers with the numbers of their elements: passes of
four bits, each a count of digits by block, a scan, and a scatter."""

from __future__ import annotations

import numpy as np

from . import current
from .creation import empty
from .kernel_text import cached
from .scans import accumulate

_THREADS, _EACH, _BITS = 256, 8, 4
_TILE, _DIGITS = _THREADS * _EACH, 1 << _BITS

_COUNT = f"""\
def kernel(keys, counts, shift, blocks):
    shared = cuda.shared.array({_DIGITS}, np.int32)
    thread = cuda.threadIdx.x
    block = cuda.blockIdx.x
    if thread < {_DIGITS}:
        shared[thread] = 0
    cuda.syncthreads()
    i = block * {_TILE} + thread
    end = min((block + 1) * {_TILE}, keys.size)
    while i < end:
        digit = np.int64(keys[i] >> shift) & {_DIGITS - 1}
        cuda.atomic.add(shared, digit, 1)
        i += {_THREADS}
    cuda.syncthreads()
    if thread < {_DIGITS}:
        counts[thread * blocks + block] = shared[thread]
"""

# Thread t has the elements t * 8, ..., so that ranks are in the order of the elements: how many a
# thread has of each digit is scanned, digit by digit.
_SCATTER = f"""\
def kernel(keys, order, ends, new_keys, new_order, shift, blocks, last):
    ranks = cuda.shared.array({_DIGITS * _THREADS}, np.int32)
    totals = cuda.shared.array({_THREADS}, np.int32)
    thread = cuda.threadIdx.x
    block = cuda.blockIdx.x
    for digit in range({_DIGITS}):
        ranks[digit * {_THREADS} + thread] = 0
    begin = block * {_TILE} + thread * {_EACH}
    end = min(begin + {_EACH}, keys.size)
    i = begin
    while i < end:
        digit = np.int64(keys[i] >> shift) & {_DIGITS - 1}
        ranks[digit * {_THREADS} + thread] += 1
        i += 1
    cuda.syncthreads()
    total = 0
    for j in range({_DIGITS}):
        count = ranks[thread * {_DIGITS} + j]
        ranks[thread * {_DIGITS} + j] = total
        total += count
    totals[thread] = total
    cuda.syncthreads()
    offset = 1
    while offset < {_THREADS}:
        other = 0
        if thread >= offset:
            other = totals[thread - offset]
        cuda.syncthreads()
        totals[thread] += other
        cuda.syncthreads()
        offset *= 2
    before = 0
    if thread > 0:
        before = totals[thread - 1]
    for j in range({_DIGITS}):
        ranks[thread * {_DIGITS} + j] += before
    cuda.syncthreads()
    if thread < {_DIGITS}:
        totals[thread] = ranks[thread * {_THREADS}]
    cuda.syncthreads()
    i = begin
    while i < end:
        digit = np.int64(keys[i] >> shift) & {_DIGITS - 1}
        place = digit * blocks + block
        base = np.int64(0)
        if place > 0:
            base = ends[place - 1]
        rank = ranks[digit * {_THREADS} + thread]
        ranks[digit * {_THREADS} + thread] = rank + 1
        at = base + rank - totals[digit]
        if not last:
            new_keys[at] = keys[i]
        new_order[at] = order[i]
        i += 1
"""


def sorted_order(keys, order, bits=None):
    """The numbers `order` of elements by their keys; both are device arrays of one dimension."""
    size, bits = keys.size, bits or 8 * keys.dtype.itemsize
    if size < 2:
        return order
    blocks = (size + _TILE - 1) // _TILE
    launch = blocks, _THREADS, current.handle()
    other_keys, other = empty((size,), keys.dtype), empty((size,), order.dtype)
    first = True
    for shift in range(0, bits, _BITS):
        number = keys.dtype.type(shift)
        counts = empty((_DIGITS * blocks,), np.int64)
        cached(_COUNT).launch_quietly(launch, keys._force(), counts._force(), number, blocks)
        ends = accumulate(np.add, counts)
        cached(_SCATTER).launch_quietly(
            launch, keys._force(), order._force(), ends._force(), other_keys._for_writing(),
            other._for_writing(), number, blocks, shift + _BITS >= bits,
        )  # fmt: skip
        if first:  # what was given stays as it is
            keys, other_keys = other_keys, empty((size,), keys.dtype)
            order, other = other, empty((size,), order.dtype)
            first = False
        else:
            keys, other_keys, order, other = other_keys, keys, other, order
    return order
