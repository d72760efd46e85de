"""Memory of the host that a device knows, memory of both, and holders of addresses."""

from __future__ import annotations

import math
import weakref

import numpy as np

from numjit.cuda.cudadrv import devices
from numjit.cuda.cudadrv.devicearray import strides_for
from numjit.cuda.cudadrv.driver import get_driver, pending
from numjit.cupy.ndarrays import ndarray
from numjit.cupy.pending import evaluate_all
from numjit.cupy.pinned import PinnedMemory as HostAllocation
from numjit.cupy.pointers import MemoryPointer, UnownedMemory

from . import memory

PooledHostAllocation = HostAllocation


class PointerHolderBase:
    """What programs derive classes from whose objects stand for an address on the device."""

    def get_pointer(self):
        raise NotImplementedError("get_pointer")

    def __int__(self):
        return int(self.get_pointer())

    __index__ = __int__

    def as_buffer(self, size, offset=0):
        raise TypeError("memory of the device is no buffer of the host")


class _OfHost:
    """The base of an array over memory that is not NumPy's."""

    def __init__(self, pointer, shape, dtype, strides):
        self._place = pointer
        self.__array_interface__ = {
            "shape": tuple(shape), "typestr": dtype.str, "data": (pointer, False), "version": 3,
            "strides": strides,
        }  # fmt: skip

    def get_device_pointer(self):
        return self._place


class ManagedAllocation(_OfHost):
    """Memory that the host and all devices read and write."""

    def attach(self, mem_flags, stream=None):
        """Nothing: the driver moves pages to where they are used."""


class RegisteredHostMemory(_OfHost):
    """Memory of the host that is not paged out until unregister(), or its end."""

    def __init__(self, array, flags):
        strides = array.strides
        super().__init__(array.ctypes.data, array.shape, array.dtype, strides)
        context = devices.get_context()
        get_driver().register_host(self._place, array.nbytes, flags)
        self._kept = array
        self._end = weakref.finalize(
            self, pending.add, context, get_driver().unregister_host, self._place
        )
        self._end.atexit = False

    def unregister(self):
        if self._end.detach():
            get_driver().unregister_host(self._place)

    def get_device_pointer(self):
        return get_driver().device_pointer_of_host(self._place)


def register_host_memory(ary, flags=0):
    """The array, over the same memory, which the driver keeps from being paged out; its base has
    unregister()."""
    if not (ary.flags.c_contiguous or ary.flags.f_contiguous):
        raise ValueError("ndarray is not contiguous")
    return np.asarray(RegisteredHostMemory(ary, int(flags)))


def aligned_empty(shape, dtype, order="C", alignment=4096):
    """An array of the host that begins at a multiple of bytes."""
    dtype, shape = np.dtype(dtype), (shape,) if isinstance(shape, int) else tuple(shape)
    size = math.prod(shape) * dtype.itemsize
    whole = np.empty(size + alignment, np.uint8)
    first = -whole.ctypes.data % alignment
    return whole[first : first + size].view(dtype).reshape(shape, order=order)


def managed_empty(shape, dtype, order="C", mem_flags=0):
    """An array in memory that the host and the device share; kernels take it as it is."""
    dtype, shape = np.dtype(dtype), (shape,) if isinstance(shape, int) else tuple(shape)
    context = devices.get_context()
    pointer = get_driver().alloc_managed(math.prod(shape) * dtype.itemsize, int(mem_flags) != 2)
    base = ManagedAllocation(pointer, shape, dtype, strides_for(shape, dtype, order))
    weakref.finalize(base, pending.add, context, get_driver().free, pointer).atexit = False
    return np.asarray(base)


def managed_zeros(shape, dtype, order="C", mem_flags=0):
    found = managed_empty(shape, dtype, order, mem_flags)
    found[...] = 0
    return found


def managed_empty_like(array, mem_flags=0):
    order = "C" if array.flags.c_contiguous else "F"
    return managed_empty(array.shape, array.dtype, order, mem_flags)


def managed_zeros_like(array, mem_flags=0):
    found = managed_empty_like(array, mem_flags)
    found[...] = 0
    return found


def address_in_both(value):
    """The address of an array that managed_empty made, or a part of it; None for others."""
    base = value
    while isinstance(base, np.ndarray):
        base = base.base
    return value.ctypes.data if isinstance(base, ManagedAllocation) else None


def mem_alloc_pitch(width, height, access_size):
    """Memory for rows of `width` bytes, and the distance of their begins."""
    if access_size not in (4, 8, 16):
        raise ValueError(f"access_size is 4, 8 or 16, not {access_size}")
    pitch = (int(width) + 511) & -512
    return memory.mem_alloc(pitch * int(height)), pitch


def _filled(dtype):
    size = np.dtype(dtype).itemsize

    def memset(dest, pitch, data, width, height):
        place = UnownedMemory(memory.address(dest), int(pitch) * int(height), dest)
        rows = ndarray((int(height), int(width)), dtype, MemoryPointer(place, 0),
                       strides=(int(pitch), size))  # fmt: skip
        rows.fill(dtype(data))

    return memset


memset_d2d8, memset_d2d16, memset_d2d32 = map(_filled, (np.uint8, np.uint16, np.uint32))


def memcpy_peer(dest, src, size, dest_context=None, src_context=None):
    """Copies between devices; addresses say which."""
    memcpy_peer_async(dest, src, size, dest_context, src_context)
    get_driver().synchronize()


def memcpy_peer_async(dest, src, size, dest_context=None, src_context=None, stream=None):
    evaluate_all()
    handle = (stream.handle if stream is not None else 0) or None
    get_driver().copy("DtoD", memory.address(dest), memory.address(src), int(size), handle)
