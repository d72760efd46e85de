"""Addresses of device memory as objects: cupy.cuda.MemoryPointer, UnownedMemory, Memory."""

from __future__ import annotations

import contextlib
import ctypes

import numpy as np

from numjit.cuda.cudadrv import devices
from numjit.cuda.cudadrv.driver import Memory as DeviceMemory
from numjit.cuda.cudadrv.driver import get_driver

from . import current, memory_hooks
from .devices import Device
from .pending import Buffer
from .pool import Block, get_allocator

_OF_THE_DEVICE = (DeviceMemory, Block)


class BaseMemory:
    """Memory with an address `ptr` and a `size`."""

    ptr = size = device_id = 0

    @property
    def device(self):
        return Device(self.device_id)


class Memory(BaseMemory):
    """Memory of the driver, freed with the last reference."""

    def __init__(self, size):
        context = devices.get_context()
        driver = get_driver()
        self._memory = DeviceMemory(driver.alloc(size), size, context, driver.free)
        self.ptr, self.size = self._memory.device_pointer_value, size


class PooledMemory(BaseMemory):
    """Memory of a pool, to which the last reference gives it back."""

    def __init__(self, block, pool):
        self._block, self.pool = block, pool
        self.ptr, self.size = block.device_pointer_value, block.size
        self.device_id = block.context.device.id

    def free(self):
        """Gives it back; arrays must not use it any more."""
        block, self._block = self._block, None
        if block is None:
            return
        hooks = memory_hooks.current()
        what = {"device_id": self.device_id, "mem_size": self.size, "mem_ptr": self.ptr}
        what["pmem_id"] = id(self)
        memory_hooks.tell(hooks, "free_preprocess", **what)
        del block
        memory_hooks.tell(hooks, "free_postprocess", **what)

    def __del__(self):
        with contextlib.suppress(AttributeError, TypeError):
            self.free()


class UnownedMemory(BaseMemory):
    """Memory that somebody else owns."""

    def __init__(self, ptr, size, owner, device_id=-1):
        self.ptr, self.size, self._owner, self.device_id = ptr, size, owner, max(device_id, 0)


class MemoryPointer:
    """An address in memory."""

    def __init__(self, mem, offset, buffer=None):
        self.mem, self._shared = mem, buffer
        base = mem.device_pointer_value if isinstance(mem, _OF_THE_DEVICE) else mem.ptr
        self.ptr, self._offset = base + offset, offset

    @property
    def device(self):
        return Device(self.device_id)

    @property
    def device_id(self):
        if isinstance(self.mem, _OF_THE_DEVICE):
            return self.mem.context.device.id
        return self.mem.device_id

    def _root(self):
        if isinstance(self.mem, _OF_THE_DEVICE):
            return self.mem
        inner = getattr(self.mem, "_memory", None)
        if inner is None:
            inner = DeviceMemory(self.mem.ptr, self.mem.size, devices.get_context(), owner=self.mem)
            self.mem._memory = inner
        return inner

    def _memory_for_array(self):
        root = self._root()
        if not self._offset:
            return root
        size = root.size - self._offset
        return DeviceMemory(self.ptr, size, root.context, owner=root)

    def _buffer(self):
        """What arrays over this memory share. Its address is known outside, so nothing waits."""
        if self._shared is None:
            shared = getattr(self.mem, "_numjit_buffer", None)
            if shared is None:
                shared = Buffer(self._root(), exposed=True)
            self._shared = shared
        return self._shared

    def __int__(self):
        return self.ptr

    def __add__(self, bytes_):
        return MemoryPointer(self.mem, self._offset + bytes_, self._shared)

    __radd__ = __add__

    def __sub__(self, bytes_):
        return self + -bytes_

    def _copy(self, kind, to, from_, size, stream=None):
        handle = (stream.ptr if stream is not None else current.handle()) or None
        get_driver().copy(kind, to, from_, size, handle)

    def copy_from_device(self, src, size):
        self._copy("DtoD", self.ptr, src.ptr, size)

    def copy_from_device_async(self, src, size, stream=None):
        self._copy("DtoD", self.ptr, src.ptr, size, stream)

    def copy_from_host(self, mem, size):
        self._copy("HtoD", self.ptr, _host(mem), size)

    def copy_from_host_async(self, mem, size, stream=None):
        self._copy("HtoD", self.ptr, _host(mem), size, stream)

    def copy_to_host(self, mem, size):
        self._copy("DtoH", _host(mem), self.ptr, size)

    def copy_to_host_async(self, mem, size, stream=None):
        self._copy("DtoH", _host(mem), self.ptr, size, stream)

    def copy_from(self, mem, size):
        if isinstance(mem, MemoryPointer):
            self.copy_from_device(mem, size)
        else:
            self.copy_from_host(mem, size)

    def copy_from_async(self, mem, size, stream=None):
        if isinstance(mem, MemoryPointer):
            self.copy_from_device_async(mem, size, stream)
        else:
            self.copy_from_host_async(mem, size, stream)

    def memset(self, value, size):
        get_driver().fill(self.ptr, value, size, current.handle() or None)

    def memset_async(self, value, size, stream=None):
        get_driver().fill(
            self.ptr, value, size, (stream.ptr if stream else current.handle()) or None
        )


def _host(memory):
    """The address of memory of the host."""
    if isinstance(memory, np.ndarray):
        return memory.ctypes.data
    if isinstance(memory, ctypes.c_void_p):
        return memory.value
    return getattr(memory, "ptr", memory)


def malloc(size):
    """Memory of the driver, without a pool."""
    return MemoryPointer(Memory(size), 0)


def alloc(size):
    """Memory of the allocator in use."""
    return get_allocator()(size)
