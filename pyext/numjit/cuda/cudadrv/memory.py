"""Memory managers of other libraries (RMM, CuPy): what they derive from, and how one is chosen.

A manager is made for each context. numjit asks it for device memory, for pinned and mapped memory
of the host, and for handles that other processes open.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib
from abc import ABC, abstractmethod
from collections import namedtuple

from numjit import config

from . import driver
from .calls import IpcBits
from .devicearray import DeviceNDArray
from .devices import get_context
from .driver import Memory, get_driver, pending

MemoryInfo = namedtuple("MemoryInfo", "free,total")


def _address(pointer):
    return getattr(pointer, "value", pointer) or 0


class MemoryPointer(Memory):
    """Memory that a manager gives: `finalizer` is called with its last reference."""

    def __init__(self, context, pointer, size, owner=None, finalizer=None):
        super().__init__(_address(pointer), size, context, owner=owner)
        self._finalizer = finalizer

    def free(self):
        finalizer, self._finalizer = self._finalizer, None
        if finalizer is not None:
            finalizer()

    def own(self):
        return self


class AutoFreePointer(MemoryPointer):
    """Memory whose finalizer is called with its last reference, as that of all pointers here."""


class _OfHost(AutoFreePointer):
    """Memory of the host, as a buffer too."""

    def __init__(self, context, pointer, size, owner=None, finalizer=None):
        self.pointer = _address(pointer)
        super().__init__(context, self._on_device(self.pointer), size, owner, finalizer)
        self.__array_interface__ = {
            "shape": (size,),
            "typestr": "|u1",
            "data": (self.pointer, False),
            "version": 3,
        }

    def _on_device(self, pointer):
        return pointer

    def __buffer__(self, flags):
        return memoryview((ctypes.c_char * self.size).from_address(self.pointer)).cast("B")

    @property
    def host_pointer(self):
        return self.pointer


class PinnedMemory(_OfHost):
    """Memory of the host that is never paged out."""


class MappedMemory(_OfHost):
    """Memory of the host that the device uses in place."""

    def _on_device(self, pointer):
        return get_driver().device_pointer_of_host(pointer)


class ManagedMemory(_OfHost):
    """Memory that moves between the host and the device."""


class IpcHandle:
    """Device memory of another process; may be pickled."""

    def __init__(self, base, handle, size, source_info=None, offset=0):
        self.base, self.handle, self.size = base, IpcBits(handle), size
        self.source_info, self.offset = source_info, offset
        self._opened = None

    def open(self, context):
        """The memory, until close()."""
        if self.base is not None:
            raise ValueError("opening IpcHandle from original process")
        if self._opened is not None:
            raise ValueError("IpcHandle is already opened")
        self._opened = get_driver().open_ipc(self.handle)
        return MemoryPointer(context, self._opened + self.offset, self.size, owner=self)

    def open_array(self, context, shape, dtype, strides=None):
        """The memory as an array, until close()."""
        return DeviceNDArray(shape, strides, dtype, gpu_data=self.open(context))

    def close(self):
        opened, self._opened = self._opened, None
        if opened is None:
            raise ValueError("IpcHandle not opened")
        get_driver().close_ipc(opened)

    def __reduce__(self):
        return IpcHandle, (None, self.handle, self.size, self.source_info, self.offset)

    def __enter__(self):
        return self.open(get_context())

    def __exit__(self, *exception):
        self.close()


class IpcArrayHandle:
    """An array of another process: `with handle as array:`, or open() and close()."""

    def __init__(self, ipc_handle, array_desc):
        self._ipc_handle, self._array_desc = ipc_handle, array_desc

    def open(self):
        """The array, until close()."""
        return self._ipc_handle.open_array(get_context(), **self._array_desc)

    def close(self):
        self._ipc_handle.close()

    def __enter__(self):
        return self.open()

    def __exit__(self, *exception):
        self.close()


class BaseCUDAMemoryManager(ABC):
    """What a memory manager provides."""

    def __init__(self, *args, **kwargs):
        if "context" not in kwargs:
            raise RuntimeError("Memory manager requires a context")
        self.context = kwargs.pop("context")

    @abstractmethod
    def memalloc(self, size):
        """Device memory, a MemoryPointer."""

    @abstractmethod
    def memhostalloc(self, size, mapped, portable, wc):
        """Memory of the host, a PinnedMemory or a MappedMemory."""

    @abstractmethod
    def mempin(self, owner, pointer, size, mapped):
        """Memory of the host that exists, pinned."""

    @abstractmethod
    def initialize(self):
        """Called when the context is made, and again at will."""

    @abstractmethod
    def get_ipc_handle(self, memory):
        """An IpcHandle of device memory."""

    @abstractmethod
    def get_memory_info(self):
        """Free and total bytes, a MemoryInfo."""

    @abstractmethod
    def reset(self):
        """Frees all memory of the context."""

    @abstractmethod
    def defer_cleanup(self):
        """A context in which nothing is freed."""

    @property
    @abstractmethod
    def interface_version(self):
        """1."""


class HostOnlyCUDAMemoryManager(BaseCUDAMemoryManager):
    """A manager whose memory of the host comes from the driver; device memory is for the class that
    derives from it."""

    def initialize(self):
        pass

    def reset(self):
        pass

    @contextlib.contextmanager
    def defer_cleanup(self):
        with driver.pending.deferred():
            yield

    def memhostalloc(self, size, mapped=False, portable=False, wc=False):
        driver_ = get_driver()
        flags = (1 if portable else 0) | (2 if mapped else 0) | (4 if wc else 0)
        pointer = driver_.alloc_host(size, flags)
        cls = MappedMemory if mapped else PinnedMemory
        return cls(self.context, pointer, size, finalizer=self._later(driver_.free_host, pointer))

    def mempin(self, owner, pointer, size, mapped=False):
        driver_, address = get_driver(), _address(pointer)
        driver_.register_host(address, size, 2 if mapped else 0)
        cls = MappedMemory if mapped else PinnedMemory
        return cls(
            self.context,
            address,
            size,
            owner=owner,
            finalizer=self._later(driver_.unregister_host, address),
        )

    def memallocmanaged(self, size, attach_global):
        driver_ = get_driver()
        pointer = driver_.alloc_managed(size, attach_global)
        finalizer = self._later(driver_.free, pointer)
        return ManagedMemory(self.context, pointer, size, finalizer=finalizer)

    def _later(self, release, pointer):
        """The function that frees memory, from any thread."""
        return functools.partial(driver.pending.add, self.context, release, pointer)


class GetIpcHandleMixin:
    """get_ipc_handle of managers whose memory is the driver's."""

    def get_ipc_handle(self, memory):
        driver_ = get_driver()
        pointer = memory.device_pointer_value
        base = driver_.allocation_base(pointer)
        return IpcHandle(memory, driver_.ipc_handle(base), memory.size, offset=pointer - base)


class NumbaCUDAMemoryManager(GetIpcHandleMixin, HostOnlyCUDAMemoryManager):
    """The driver's own memory."""

    @property
    def deallocations(self):
        """Memory that waits to be freed."""
        return pending

    def memalloc(self, size):
        return Memory(get_driver().alloc(size), size, self.context, get_driver().free)

    def get_memory_info(self):
        return MemoryInfo(*get_driver().memory_info())

    @property
    def interface_version(self):
        return 1


_manager = NumbaCUDAMemoryManager


def set_memory_manager(mm_plugin):
    """Chooses the class of memory managers, before there is a context."""
    global _manager
    probe = mm_plugin(context=None)
    if probe.interface_version != 1:
        raise RuntimeError(
            f"EMM Plugin interface has version {probe.interface_version} - version 1 required"
        )
    _manager = mm_plugin


def manager_for(context):
    if _manager is NumbaCUDAMemoryManager and config.CUDA_MEMORY_MANAGER != "default":
        module = importlib.import_module(config.CUDA_MEMORY_MANAGER)
        set_memory_manager(module._numba_memory_manager)
    return _manager(context=context)
