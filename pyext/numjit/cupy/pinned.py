"""Memory of the host that is never paged out."""

from __future__ import annotations

import collections
import threading

import numpy as np
from numpy.lib.stride_tricks import as_strided

from numjit.cuda.api import pinned_array


class PinnedMemory:
    """Pinned memory with an address `ptr` and a `size`."""

    def __init__(self, size, flags=0):
        self._array = pinned_array(max(size, 1), np.uint8)
        self.ptr, self.size = self._array.ctypes.data, size


class PinnedMemoryPointer:
    """An address in pinned memory, which is a buffer, too."""

    def __init__(self, mem, offset=0):
        self.mem, self._offset, self.ptr = mem, offset, mem.ptr + offset

    def __int__(self):
        return self.ptr

    def size(self):
        return self.mem.size - self._offset

    def __add__(self, offset):
        return PinnedMemoryPointer(self.mem, self._offset + offset)

    __radd__ = __add__

    def __sub__(self, offset):
        return self + -offset

    @property
    def __array_interface__(self):
        return {"shape": (self.size(),), "typestr": "|u1", "data": (self.ptr, False), "version": 3}

    def __buffer__(self, flags):
        return memoryview(self.mem._array[self._offset :])


class PooledPinnedMemory(PinnedMemory):
    """Memory of a pool, to which it goes back with the last reference."""

    def __init__(self, memory, pool):
        self._memory, self._pool = memory, pool
        self.ptr, self.size = memory.ptr, memory.size

    @property
    def _array(self):
        return self._memory._array

    def free(self):
        """Gives it back; later calls have no effect."""
        memory, self._memory = self._memory, None
        if memory is not None:
            self._pool.free(memory, memory.size)
            self.ptr = self.size = 0

    def __del__(self):
        self.free()


class PinnedMemoryPool:
    """Pinned memory that is used again: to ask the driver for it takes long."""

    _UNIT = 512

    def __init__(self, allocator=None):
        self._allocator = allocator
        self._free = collections.defaultdict(list)  # size -> memory
        self._lock = threading.RLock()  # memory may be given back at any line

    def malloc(self, size):
        """A pointer to at least `size` bytes."""
        if not size:
            return PinnedMemoryPointer(PinnedMemory(0))
        size = -(-size // self._UNIT) * self._UNIT
        with self._lock:
            memory = self._free[size].pop() if self._free[size] else None
        if memory is None:
            memory = self._allocator(size).mem if self._allocator else PinnedMemory(size)
        return PinnedMemoryPointer(PooledPinnedMemory(memory, self))

    def free(self, mem, size):
        """Takes memory of `size` bytes back."""
        with self._lock:
            self._free[size].append(mem)

    def n_free_blocks(self):
        """How many blocks wait to be used again."""
        with self._lock:
            return sum(map(len, self._free.values()))

    def free_all_blocks(self):
        """Frees the unused blocks."""
        with self._lock:
            self._free.clear()


_pool = PinnedMemoryPool()
_allocator = None


def get_default_pinned_memory_pool():
    return _pool


def set_pinned_memory_allocator(allocator=None):
    global _allocator
    _allocator = allocator


def alloc_pinned_memory(size):
    """Pinned memory of the allocator in use."""
    return (_allocator or _pool.malloc)(size)


class _Described(PinnedMemoryPointer):
    """Memory that NumPy takes for an array like a prototype."""

    __buffer__ = None

    def __init__(self, memory, prototype):
        super().__init__(memory.mem, memory.ptr - memory.mem.ptr)
        self.__array_interface__ = {
            **prototype.__array_interface__,
            "data": (self.ptr, False),
            "strides": prototype.strides,
        }

    __array_interface__ = None  # that of each object


def _like(prototype):
    """An array of the host in pinned memory, of the shape, dtype and strides of another one."""
    return np.asarray(_Described(alloc_pinned_memory(prototype.nbytes), prototype))


def empty_pinned(shape, dtype=float, order="C"):
    """An array of the host in pinned memory."""
    return _like(np.empty(shape, dtype, order))


def empty_like_pinned(a, dtype=None, order="K", subok=None, shape=None):
    if subok:
        raise TypeError("subok is not supported")
    if not isinstance(a, np.ndarray):  # its elements are not read
        a = as_strided(np.empty(0, a.dtype), a.shape, a.strides)
    return _like(np.empty_like(a, dtype, order or "K", shape=shape))


def zeros_pinned(shape, dtype=float, order="C"):
    """An array of zeros of the host in pinned memory."""
    made = empty_pinned(shape, dtype, order)
    made[...] = 0
    return made


def zeros_like_pinned(a, dtype=None, order="K", subok=None, shape=None):
    made = empty_like_pinned(a, dtype, order, subok, shape)
    made[...] = 0
    return made
