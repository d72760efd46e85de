"""cupyx.jit: kernels in Python. The compiler is numjit.cuda's, so a kernel may do all that one of
numjit.cuda.jit can."""

from __future__ import annotations

import builtins
import functools

from numjit.cuda import kernel_names as _names
from numjit.cuda.decorators import jit
from numjit.cupy import current
from numjit.cupy.ndarrays import ndarray
from numjit.extending import overload

from . import cub, thrust  # noqa: F401
from . import groups as cg  # noqa: F401

threadIdx, blockIdx = _names.threadIdx, _names.blockIdx
blockDim, gridDim = _names.blockDim, _names.gridDim
warpsize = _names.warpsize
grid, gridsize = _names.grid, _names.gridsize
syncthreads, syncwarp = _names.syncthreads, _names.syncwarp
atomic_add, atomic_sub = _names.atomic.add, _names.atomic.sub
atomic_exch, atomic_max, atomic_min = _names.atomic.exch, _names.atomic.max, _names.atomic.min
atomic_inc, atomic_dec, atomic_cas = _names.atomic.inc, _names.atomic.dec, _names.atomic.cas
atomic_and, atomic_or, atomic_xor = _names.atomic.and_, _names.atomic.or_, _names.atomic.xor


def range(start, stop=None, step=1, unroll=None):
    """Python's; LLVM decides what is unrolled."""
    if stop is None:
        return builtins.range(0, start, step)
    return builtins.range(start, stop, step)


def laneid():
    """The lane of a thread in its warp."""
    return _names.laneid


def shared_memory(dtype, size, alignment=None):
    """An array that the threads of a block share; size None: that of the launch."""
    if size is None:
        return _names.shared.array(0, dtype)
    return _names.shared.array(size, dtype)


# With a width below 32 the lanes of a warp form groups, which exchange values among themselves.


def shfl_sync(mask, var, val_id, width=32):
    """The value of lane `val_id` of the group."""
    first = _names.laneid & -width
    return _names.shfl_sync(mask, var, first + val_id % width)


def shfl_up_sync(mask, var, delta, width=32):
    """The value of the lane `delta` below; the own one where there is none in the group."""
    found = _names.shfl_up_sync(mask, var, delta)
    return found if _names.laneid % width >= delta else var


def shfl_down_sync(mask, var, delta, width=32):
    """The value of the lane `delta` above; the own one where there is none in the group."""
    found = _names.shfl_down_sync(mask, var, delta)
    return found if _names.laneid % width + delta < width else var


def shfl_xor_sync(mask, var, lane_mask, width=32):
    """The value of the lane whose number differs in the bits of lane_mask."""
    found = _names.shfl_xor_sync(mask, var, lane_mask)
    end = (_names.laneid & -width) + width
    return found if (_names.laneid ^ lane_mask) < end else var


class _Kernel:
    """A kernel: kernel[grid, block](*args), or kernel(grid, block, args)."""

    def __init__(self, function):
        functools.update_wrapper(self, function)
        self._kernel = jit(function)

    def __call__(self, grid, block, args, shared_mem=0, stream=None):
        handle = current.handle() if stream is None else stream.ptr
        given = [each._for_writing() if isinstance(each, ndarray) else each for each in args]
        self._kernel.launch_quietly((grid, block, handle, shared_mem), *given)

    def __getitem__(self, grid_and_block):
        grid, block = grid_and_block[:2]
        return lambda *args, **keywords: self(grid, block, args, **keywords)

    @property
    def cached_codes(self):
        """The code of each signature that was compiled."""
        return self._kernel.inspect_llvm()

    @property
    def cached_code(self):
        """The code of the signature that was compiled first."""
        return next(iter(self.cached_codes.values()), None)


def _device_function(function):
    return jit(function, device=True)


def rawkernel(*, mode="cuda", device=False):
    """A decorator that makes a function a kernel, or with device=True one that kernels call."""
    if mode not in ("numpy", "cuda"):
        raise ValueError(f"mode must be 'numpy' or 'cuda', not {mode!r}")
    return _device_function if device else _Kernel


def _itself(function):
    return function


@overload(rawkernel, target="cuda", strict=False)
def _rawkernel_in_kernels(mode="cuda", device=False):
    return lambda mode="cuda", device=False: _itself
