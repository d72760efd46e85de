"""Memory that the driver allocates in the order of a stream, and memory that moves by itself."""

from __future__ import annotations

import ctypes
import weakref

from numjit.cuda.cudadrv import devices
from numjit.cuda.cudadrv.calls import in_words
from numjit.cuda.cudadrv.driver import Memory as DeviceMemory
from numjit.cuda.cudadrv.driver import get_driver

from .devices import get_current_stream
from .driver_calls import on_a_gpu
from .pointers import BaseMemory, MemoryPointer
from .pool import limit_in_bytes

_RELEASE_THRESHOLD, _RESERVED, _USED = 4, 5, 7
_ALL = (1 << 64) - 1


class MemoryAsync(BaseMemory):
    """Memory of the driver's pool, given back in the order of its stream."""

    def __init__(self, size, stream=None):
        stream = get_current_stream() if stream is None else stream
        handle = stream.ptr or None
        context, calls = devices.get_context(), on_a_gpu("stream-ordered allocations")
        self.ptr, self.size = 0, size
        self.stream_ref = weakref.ref(stream)
        if size:
            self.ptr = calls.get("cuMemAllocAsync", ctypes.c_uint64, in_words(size), handle)

        def release(pointer, stream=stream):  # which must not end before
            calls("cuMemFreeAsync", pointer, handle)

        self._memory = DeviceMemory(self.ptr, size, context, release if size else None)


class ManagedMemory(BaseMemory):
    """Memory that the host and devices share."""

    def __init__(self, size):
        context, calls = devices.get_context(), get_driver()
        pointer = calls.alloc_managed(size, True)
        self._memory = DeviceMemory(pointer, size, context, calls.free)
        self.ptr, self.size = pointer, size

    def prefetch(self, stream, *, device_id=None):
        """Moves it to a device."""
        device = devices.get_context().device.id if device_id is None else device_id
        on_a_gpu("transfers of managed memory")(
            "cuMemPrefetchAsync", self.ptr, self.size, device, stream.ptr or None
        )

    def advise(self, advise, device):
        """Says how it will be used: a number of cudaMemAdvise."""
        on_a_gpu("advice on managed memory")(
            "cuMemAdvise", self.ptr, self.size, int(advise), int(device)
        )


def malloc_async(size):
    """Memory in the order of the current stream."""
    return MemoryPointer(MemoryAsync(size), 0)


def malloc_managed(size):
    return MemoryPointer(ManagedMemory(size), 0)


class MemoryAsyncPool:
    """The driver's pool of a device, as an allocator: set_allocator(MemoryAsyncPool().malloc)."""

    def __init__(self, pool_handles="current"):
        calls = on_a_gpu("stream-ordered allocations")
        device = devices.get_context().device._handle
        self._pool = calls.get("cuDeviceGetDefaultMemPool", ctypes.c_void_p, device)
        self._set(_RELEASE_THRESHOLD, _ALL)  # keep what is freed

    def _get(self, attribute):
        value = ctypes.c_uint64()
        on_a_gpu("pools")("cuMemPoolGetAttribute", self._pool, attribute, ctypes.byref(value))
        return value.value

    def _set(self, attribute, value):
        number = ctypes.c_uint64(value)
        on_a_gpu("pools")("cuMemPoolSetAttribute", self._pool, attribute, ctypes.byref(number))

    def malloc(self, size):
        return malloc_async(size)

    def free_all_blocks(self, stream=None):
        """Gives memory that is not in use back to the device."""
        get_driver().synchronize()
        on_a_gpu("pools")("cuMemPoolTrimTo", self._pool, 0)

    def used_bytes(self):
        return self._get(_USED)

    def total_bytes(self):
        return self._get(_RESERVED)

    def free_bytes(self):
        return self.total_bytes() - self.used_bytes()

    def n_free_blocks(self):
        raise NotImplementedError("the driver does not say how many blocks are free")

    def set_limit(self, size=None, fraction=None):
        """How many bytes the pool may keep while nobody uses them; 0: all."""
        self._set(_RELEASE_THRESHOLD, limit_in_bytes(size, fraction) or _ALL)

    def get_limit(self):
        return self._get(_RELEASE_THRESHOLD)
