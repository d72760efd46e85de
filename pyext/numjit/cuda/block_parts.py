"""Memory that the blocks of one launch share: parts of results, and counters by which the block
that ends last knows it.

Counters are zeros between launches: who ends last sets them back. Kernels of a stream run one after
the other, so each stream has such memory once; a launch in a graph, which may run beside others,
has its own.
"""

from __future__ import annotations

import threading

import numpy as np

from numjit import config

from .cudadrv import devices, driver
from .cudadrv.devicearray import DeviceNDArray

COUNTERS = 1024
_BYTES_OF_COUNTERS = 4 * COUNTERS
_LEAST = 1 << 20
_INT32 = np.dtype(np.int32)


class _Shared:
    """Memory of a stream."""

    __slots__ = ("memory", "size")

    def __init__(self, context, size, handle):
        self.memory, self.size = context.memalloc(size), size
        driver.get_driver().fill(self.pointer, 0, _BYTES_OF_COUNTERS, handle or None)

    @property
    def pointer(self):
        return self.memory.device_pointer_value

    def array(self, offset, count, dtype):
        shape, strides = (count,), (dtype.itemsize,)
        made = DeviceNDArray(shape, strides, dtype, 0, self.memory)
        return made._at(self.pointer + offset, shape, strides, dtype)


class _OfThread(threading.local):
    def __init__(self):
        self.kept = {}


#: (context, handle of the stream) -> _Shared; with states and their number -> arrays in it.
_kept: dict = {}
_MOST_KEPT = 1024
_of_thread = _OfThread()  # the same for streams that each thread has
_captured: list = []


def _is_of_thread(handle):
    return handle == driver.PER_THREAD_STREAM or (
        not handle and bool(config.CUDA_PER_THREAD_DEFAULT_STREAM)
    )


def shared_arrays(states, count, handle, capturing):
    """Arrays for `count` parts of each state, given as dtypes, and the counters (int32)."""
    kept = _of_thread.kept if _is_of_thread(handle) else _kept
    context = devices.get_context()
    key = context, handle, states, count
    made = None if capturing else kept.get(key)
    if made is None:
        made = _arrays_in(_memory(context, states, count, handle, capturing, kept), states, count)
        if not capturing:
            if len(kept) > _MOST_KEPT:
                _forget_arrays(kept)
            kept[key] = made
    return made


def _memory(context, states, count, handle, capturing, kept):
    """Memory for arrays: that of the stream, if it is large enough."""
    size = _BYTES_OF_COUNTERS + sum((count * each.itemsize + 15) & -16 for each in states)
    found = None if capturing else kept.get((context, handle))
    if found is None or found.size < size:
        found = _Shared(context, max(size, _LEAST), handle)
        if capturing:
            _captured.append(found)
        else:
            _forget_arrays(kept)  # of smaller memory
            kept[context, handle] = found
    return found


def _forget_arrays(kept):
    for key in [key for key in list(kept) if len(key) > 2]:
        kept.pop(key, None)


def _arrays_in(found, states, count):
    arrays, at = [], _BYTES_OF_COUNTERS
    for each in states:
        arrays.append(found.array(at, count, each))
        at += (count * each.itemsize + 15) & -16
    return (*arrays, found.array(0, COUNTERS, _INT32))
