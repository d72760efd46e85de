"""cupy.cuda.memory: names of it that have no other place."""

from __future__ import annotations

from numjit.cuda.cudadrv import devices

from .pointers import Memory, MemoryPointer
from .pointers import malloc as _malloc  # noqa: F401
from .pool import _STEP

_allocation_unit_size = _STEP


def _round_size(size):
    """What a pool asks the driver for."""
    return -(-size // _STEP) * _STEP


class PythonFunctionAllocator:
    """An allocator of two functions: malloc(size, device) gives an address, free(address, device)
    takes it back."""

    def __init__(self, malloc_func, free_func):
        self._malloc, self._free = malloc_func, free_func

    def malloc(self, size):
        return MemoryPointer(_OfFunctions(size, self._malloc, self._free), 0)


class _OfFunctions(Memory):
    """Memory of a program's functions."""

    def __init__(self, size, malloc, free):
        self.device_id = devices.get_context().device.id
        self.ptr, self.size, self._release = malloc(size, self.device_id), size, free

    def __del__(self):
        self._release(self.ptr, self.device_id)
