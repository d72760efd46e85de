"""cuda.reduce: the sum, or another reduction, of an array on the device.

Each thread combines elements a grid apart, the lanes of a warp exchange what they have, and so do
the warps of a block; a second launch combines what the blocks found.
"""

from __future__ import annotations

import numpy as np

from numjit.cuda import kernel_names as cuda

from .api import device_array, to_device
from .cudadrv.devicearray import is_cuda_array
from .cudadrv.devices import get_current_device
from .decorators import for_kernels, jit

_THREADS, _WARP, _WARPS = 256, 32, 8


def _kernels(functor):
    """The kernel for a function of two values."""
    combine = for_kernels(functor)

    @jit
    def partial_results(values, results, start, use_start):
        shared = cuda.shared.array(_WARPS, values.dtype)
        thread = cuda.threadIdx.x
        count = values.size
        first = cuda.blockIdx.x * _THREADS + thread
        step = cuda.gridDim.x * _THREADS
        # Threads without an element have a value that is not read.
        mine = values[min(first, count - 1)]
        i = first + step
        # Eight elements are on their way at once.
        while i + 7 * step < count:
            a, b = values[i], values[i + step]
            c, d = values[i + 2 * step], values[i + 3 * step]
            e, f = values[i + 4 * step], values[i + 5 * step]
            g, h = values[i + 6 * step], values[i + 7 * step]
            low, high = combine(combine(a, b), combine(c, d)), combine(combine(e, f), combine(g, h))
            mine = combine(mine, combine(low, high))
            i += 8 * step
        while i < count:
            mine = combine(mine, values[i])
            i += step
        present = min(count - cuda.blockIdx.x * _THREADS, _THREADS)
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
            if use_start:
                mine = combine(start, mine)
            results[cuda.blockIdx.x] = mine

    return partial_results


class Reduce:
    """A reduction: `Reduce(lambda a, b: a + b)(array, init=0)`."""

    def __init__(self, functor):
        self._functor, self._kernel = functor, None

    def __call__(self, arr, size=None, res=None, init=0, stream=0):
        """The reduced elements and `init`: as a scalar of the host, or in res[0] on the device."""
        if arr.ndim != 1:
            raise TypeError("only support 1D array")
        if self._kernel is None:
            self._kernel = _kernels(self._functor)
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
        result = device_array(1, arr.dtype, stream=stream) if res is None else res
        start = np.asarray(init, arr.dtype)[()]
        most = 4 * get_current_device().MULTIPROCESSOR_COUNT
        blocks = min((size + _THREADS - 1) // _THREADS, most)
        if blocks > 1:
            parts = device_array(blocks, arr.dtype, stream=stream)
            self._launch(blocks, stream, arr, parts, start, False)
            arr = parts
            # Each launch leaves one result for a block.
            while arr.size > _THREADS:
                blocks = min((arr.size + _THREADS - 1) // _THREADS, most)
                parts = device_array(blocks, arr.dtype, stream=stream)
                self._launch(blocks, stream, arr, parts, start, False)
                arr = parts
        self._launch(1, stream, arr, result, start, True)
        if res is None:
            return result.copy_to_host(stream=stream)[0]
        return None

    def _launch(self, blocks, stream, *args):
        self._kernel.launch_quietly((blocks, _THREADS, stream), *args)
