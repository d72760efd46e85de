"""cuda.reduce: the sum, or another reduction, of an array on the device.

Each thread combines elements a grid apart, the lanes of a warp exchange what they have, and so do
the warps of a block; the block that ends last combines what the blocks found.
"""

from __future__ import annotations

import threading

import numpy as np

from numjit.cuda import kernel_names as cuda

from .api import device_array, to_device
from .block_parts import shared_arrays
from .cudadrv.devicearray import is_cuda_array
from .cudadrv.devices import get_context
from .cudadrv.driver import get_driver, stream_handle
from .decorators import for_kernels, jit

_THREADS, _WARP, _WARPS = 256, 32, 8
_TILE = 8 * _THREADS  # of a block at once
_BLOCKS = 4096


def _of_block(combine):
    """The device function that combines what the threads of a block have."""

    def of_block(mine, shared, present):
        """In the first thread: what the first `present` threads of a block have, combined."""
        thread = cuda.threadIdx.x
        lane = thread % _WARP
        offset = 16
        while offset > 0:
            other = cuda.shfl_down_sync(0xFFFFFFFF, mine, offset)
            if lane + offset < _WARP and thread + offset < present:
                mine = combine(mine, other)
            offset //= 2
        if lane == 0:
            shared[thread // _WARP] = mine
        cuda.syncthreads()
        if thread == 0:
            for warp in range(1, (present + _WARP - 1) // _WARP):
                mine = combine(mine, shared[warp])
        return mine

    return for_kernels(of_block)


def _kernel(functor):
    """The kernel for a function of two values."""
    combine = for_kernels(functor)

    of_block = _of_block(combine)

    @jit
    def reduced(values, result, parts, counters, start):
        shared = cuda.shared.array(_WARPS, values.dtype)
        ended = cuda.shared.array(1, np.int32)
        thread, blocks = cuda.threadIdx.x, cuda.gridDim.x
        count = values.size
        # Threads without an element have a value that is not read.
        i = cuda.blockIdx.x * _TILE + thread
        mine = values[min(i, count - 1)]
        present = min(count - cuda.blockIdx.x * _TILE, _THREADS)
        begin = _THREADS
        # Eight elements are on their way at once; blocks take neighbouring tiles, in turns.
        while i + 7 * _THREADS < count:
            a, b = values[i], values[i + _THREADS]
            c, d = values[i + 2 * _THREADS], values[i + 3 * _THREADS]
            e, f = values[i + 4 * _THREADS], values[i + 5 * _THREADS]
            g, h = values[i + 6 * _THREADS], values[i + 7 * _THREADS]
            low, high = combine(combine(a, b), combine(c, d)), combine(combine(e, f), combine(g, h))
            both = combine(low, high)
            mine = combine(mine, both) if begin == 0 else both
            begin = 0
            i += blocks * _TILE
        end = min(i - thread + _TILE, count)
        i += begin  # a block of which no tile is whole has its first elements already
        while i < end:
            mine = combine(mine, values[i])
            i += _THREADS
        mine = of_block(mine, shared, present)
        if blocks == 1:
            if thread == 0:
                result[0] = combine(start, mine)
        else:
            if thread == 0:
                parts[cuda.blockIdx.x] = mine
                cuda.threadfence()
                ended[0] = cuda.atomic.add(counters, 0, 1)
            cuda.syncthreads()
            if ended[0] == blocks - 1:
                cuda.threadfence()
                mine = parts[min(thread, blocks - 1)]
                i = thread + _THREADS
                while i < blocks:
                    mine = combine(mine, parts[i])
                    i += _THREADS
                mine = of_block(mine, shared, min(blocks, _THREADS))
                if thread == 0:
                    result[0] = combine(start, mine)
                    counters[0] = 0

    return reduced


_of_thread = threading.local()


def _place_of(dtype):
    """Memory for a result that this thread is about to read."""
    places = _of_thread.__dict__.setdefault("places", {})
    key = get_context(), dtype
    found = places.get(key)
    if found is None:
        found = places[key] = device_array(1, dtype)
    return found


class Reduce:
    """A reduction: `Reduce(lambda a, b: a + b)(array, init=0)`."""

    def __init__(self, functor):
        self._functor, self._kernel = functor, None

    def __call__(self, arr, size=None, res=None, init=0, stream=0):
        """The reduced elements and `init`: as a scalar of the host, or in res[0] on the device."""
        if arr.ndim != 1:
            raise TypeError("only support 1D array")
        if self._kernel is None:
            self._kernel = _kernel(self._functor)
        if not is_cuda_array(arr):
            arr = to_device(arr, stream=stream)
        size = arr.size if size is None else size
        if size < arr.size:
            arr = arr[:size]
        if res is not None and (not is_cuda_array(res) or res.size < 1):
            raise TypeError("res must be a device array")
        if size == 0:
            if res is None:
                return init
            res[0:1] = np.asarray([init], res.dtype)
            return None
        blocks = min((size + _TILE - 1) // _TILE, _BLOCKS)
        handle = stream_handle(stream)
        capturing = bool(handle) and get_driver().is_capturing(handle)
        parts, counters = shared_arrays((arr.dtype,), blocks, handle, capturing)
        result = _place_of(arr.dtype) if res is None else res
        start = np.asarray(init, arr.dtype)[()]
        self._kernel.launch_quietly((blocks, _THREADS, stream), arr, result, parts, counters, start)
        return None if res is not None else result.copy_to_host(stream=stream)[0]
