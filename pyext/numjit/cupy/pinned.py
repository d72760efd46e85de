"""Memory of the host that is never paged out."""

from __future__ import annotations

import numpy as np

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

    @property
    def __array_interface__(self):
        return {"shape": (self.size(),), "typestr": "|u1", "data": (self.ptr, False), "version": 3}

    def __buffer__(self, flags):
        return memoryview(self.mem._array[self._offset :])


class PinnedMemoryPool:
    """Pinned memory that is used again; the driver frees it with the last reference."""

    def malloc(self, size):
        return PinnedMemoryPointer(PinnedMemory(size))

    def n_free_blocks(self):
        return 0

    def free_all_blocks(self):
        """There are no unused blocks."""

    free = free_all_blocks


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


def empty_pinned(shape, dtype=float, order="C"):
    """An array of the host in pinned memory."""
    return pinned_array(shape, dtype, order=order)


def empty_like_pinned(a, dtype=None, order="K", subok=None, shape=None):
    order = "F" if order in ("K", "A", "F") and a.flags["F_CONTIGUOUS"] and not (
        a.flags["C_CONTIGUOUS"]) else "C"  # fmt: skip
    return empty_pinned(a.shape if shape is None else shape, dtype or a.dtype, order)


def zeros_pinned(shape, dtype=float, order="C"):
    """An array of zeros of the host in pinned memory."""
    made = empty_pinned(shape, dtype, order)
    made[...] = 0
    return made


def zeros_like_pinned(a, dtype=None, order="K", subok=None, shape=None):
    made = empty_like_pinned(a, dtype, order, subok, shape)
    made[...] = 0
    return made
