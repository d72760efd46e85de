"""pycuda.tools: memory pools and small helpers."""

from __future__ import annotations

import functools
import sys

import numpy as np

from numjit.cuda.cudadrv import devices
from numjit.cupy.pool import MemoryPool

from . import memory
from .cparse import TYPES, c_type
from .driver import Device, init

_caches = []


def context_dependent_memoize(func):
    """Keeps results for each context."""
    kept = {}
    _caches.append(kept)

    @functools.wraps(func)
    def memoized(*args, **keywords):
        key = devices.get_context(), args, tuple(sorted(keywords.items()))
        if key not in kept:
            kept[key] = func(*args, **keywords)
        return kept[key]

    return memoized


def clear_context_caches():
    for kept in _caches:
        kept.clear()


def make_default_context(ctx_maker=None):
    """The context of the first device."""
    return ctx_maker(Device(0)) if ctx_maker else Device(0).make_context()


def init_cuda_context_fixture():
    """What a fixture of pytest yields from: the context of the first device, current for a test."""
    init()
    context = make_default_context()
    try:
        yield context
    finally:
        context.synchronize()
        clear_context_caches()


def mark_cuda_test(function):
    """Marks a test that needs a device, where pytest is in use."""
    pytest = sys.modules.get("pytest")
    return function if pytest is None else pytest.mark.cuda(function)


def get_default_device(default=0):
    return Device(default)


def dtype_to_ctype(dtype, with_fp_tex_hack=False):
    """The C name of a dtype."""
    if dtype is None:
        raise ValueError("dtype may not be None")
    return c_type(dtype)


def register_dtype(dtype, c_names):
    """Makes a dtype, of a struct say, known by its names in C."""
    for name in [c_names] if isinstance(c_names, str) else c_names:
        TYPES[name] = np.dtype(dtype)


get_or_register_dtype = register_dtype


class DeviceMemoryPool:
    """A pool of device memory."""

    def __init__(self):
        self._pool = MemoryPool()

    def allocate(self, size):
        return memory.DeviceAllocation(self._pool.memory(size))

    def free_held(self):
        self._pool.free_all_blocks()

    stop_holding = free_held

    @staticmethod
    def bin_number(size):
        """The number of a class of sizes: four classes between powers of 2."""
        size = max(size, 1)
        exponent = bitlog2(size)
        return exponent * 4 + (((size << 2) >> exponent) & 3)

    @staticmethod
    def alloc_size(bin):
        """The largest size of a class."""
        exponent, quarter = divmod(bin, 4)
        return (((5 + quarter) << exponent) - 1) >> 2

    @property
    def held_blocks(self):
        return self._pool.n_free_blocks()

    @property
    def active_bytes(self):
        return self._pool.used_bytes()

    @property
    def managed_bytes(self):
        return self._pool.total_bytes()


class PageLockedMemoryPool:
    """A source of memory of the host that is never paged out."""

    def allocate(self, shape, dtype, order="C"):
        return memory.pagelocked_empty(shape, dtype, order)

    def free_held(self):
        """Nothing is held."""


class DeviceData:
    """Numbers of a device that kernels are tuned by."""

    def __init__(self, dev=None):
        device = devices.get_context().device if dev is None else dev._device
        self.max_threads = device.MAX_THREADS_PER_BLOCK
        self.warp_size = device.WARP_SIZE
        self.thread_blocks_per_mp = 16
        self.warps_per_mp = device.MAX_THREADS_PER_MULTI_PROCESSOR // device.WARP_SIZE
        self.registers = device.MAX_REGISTERS_PER_BLOCK
        self.shared_memory = device.MAX_SHARED_MEMORY_PER_BLOCK
        self.smem_alloc_granularity = self.smem_granularity = 256

    def align(self, bytes, word_size=4):
        return -(-bytes // self.align_bytes(word_size)) * self.align_bytes(word_size)

    def align_bytes(self, word_size=4):
        return {4: 64, 8: 128, 16: 128}[word_size]


def bitlog2(n):
    """The largest exponent of 2 that a number is not below."""
    if n < 1:
        raise ValueError("the logarithm of a number below 1")
    return int(n).bit_length() - 1


class OccupancyRecord:
    """How many blocks of a size a multiprocessor holds, and what bounds them."""

    def __init__(self, devdata, threads, shared_mem=0, registers=0):
        if threads > devdata.max_threads:
            raise ValueError("too many threads")
        warps = -(-threads // devdata.warp_size)
        bounds = [
            (devdata.thread_blocks_per_mp, "device"),
            (devdata.warps_per_mp // warps, "warps"),
        ]
        if registers:
            each = -(-registers * devdata.warp_size // 256) * 256 * warps
            bounds.append((devdata.registers // each, "regs"))
        if shared_mem:
            size = -(-shared_mem // devdata.smem_granularity) * devdata.smem_granularity
            bounds.append((devdata.shared_memory // size, "smem"))
        self.tb_per_mp, self.limited_by = min(bounds)
        self.warps_per_mp = self.tb_per_mp * warps
        self.occupancy = self.warps_per_mp / devdata.warps_per_mp


class VectorArg:
    """A pointer among the arguments of a kernel."""

    def __init__(self, dtype, name):
        self.dtype, self.name = np.dtype(dtype), name

    def __str__(self):
        return f"{c_type(self.dtype)} *{self.name}"


class ScalarArg(VectorArg):
    """A number among the arguments of a kernel."""

    def __str__(self):
        return f"{c_type(self.dtype)} {self.name}"
