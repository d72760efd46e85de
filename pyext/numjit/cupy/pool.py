"""Device memory for arrays: a pool that keeps what is freed and hands it out again in the stream
where it was used, so that neither an allocation nor its end waits for the device."""

from __future__ import annotations

import contextlib
import threading

from numjit.cuda.cudadrv import devices
from numjit.cuda.cudadrv.driver import Memory, get_driver
from numjit.cuda.cudadrv.error import CudaAPIError

from . import current

_STEP = 512
_OUT_OF_MEMORY = 2


class OutOfMemoryError(MemoryError):
    """Device memory is used up."""


class _Block(Memory):
    """Memory of a pool, which gets it back with the last reference."""

    def __init__(self, pool, pointer, size, context, stream):
        super().__init__(pointer, size, context)
        self._pool, self._stream = pool, stream

    def free(self):
        pool, self._pool = self._pool, None
        if pool is not None:
            pool._give_back(self.context, self._stream, self.size, self.device_pointer_value)


class MemoryPool:
    """cupy.cuda.MemoryPool."""

    def __init__(self, allocator=None):
        self._free = {}  # (context, stream, size) -> addresses
        self._lock = threading.RLock()
        self._used = self._total = 0
        self._limit = 0

    def memory(self, size) -> Memory:
        """Memory of at least `size` bytes."""
        size = max(size + _STEP - 1, _STEP) // _STEP * _STEP
        context, stream = devices.get_context(), current.handle()
        with self._lock:
            found = self._free.get((context, stream, size))
            pointer = found.pop() if found else None
        if pointer is None:
            pointer = self._more(size)
        with self._lock:
            self._used += size
        return _Block(self, pointer, size, context, stream)

    def malloc(self, size):
        from .pointers import MemoryPointer

        return MemoryPointer(self.memory(size), 0)

    def _more(self, size):
        if self._limit and self._total + size > self._limit:
            self.free_all_blocks()
            if self._total + size > self._limit:
                raise self._exhausted(size, f"the limit is {self._limit:,} bytes")
        for attempt in range(2):
            try:
                pointer = get_driver().alloc(size)
                with self._lock:
                    self._total += size
                return pointer
            except CudaAPIError as error:
                if error.code != _OUT_OF_MEMORY:
                    raise
                if not attempt:
                    from .pending import evaluate_all

                    evaluate_all()
                    self.free_all_blocks()
        free, total = get_driver().memory_info()
        raise self._exhausted(size, f"{free:,} of {total:,} bytes are free")

    def _exhausted(self, size, why):
        return OutOfMemoryError(
            f"Out of memory allocating {size:,} bytes (allocated so far: {self._total:,} bytes; "
            f"{why})"
        )

    def _give_back(self, context, stream, size, pointer):
        with self._lock:
            self._used -= size
            if context.alive:
                self._free.setdefault((context, stream, size), []).append(pointer)

    def free_all_blocks(self, stream=None):
        """Gives memory that is not in use back to the driver."""
        with self._lock:
            chosen, self._free = self._free, {}
        for (context, _, size), pointers in chosen.items():
            if not context.alive:
                continue
            with context.entered():
                for pointer in pointers:
                    with contextlib.suppress(CudaAPIError):
                        get_driver().free(pointer)
                    self._total -= size

    free_all_free = free_all_blocks

    def used_bytes(self):
        return self._used

    def free_bytes(self):
        with self._lock:
            return sum(size * len(found) for (_, _, size), found in self._free.items())

    def total_bytes(self):
        return self._used + self.free_bytes()

    def n_free_blocks(self):
        with self._lock:
            return sum(map(len, self._free.values()))

    def set_limit(self, size=None, fraction=None):
        """The most bytes that the pool takes of the driver; 0: no limit."""
        if fraction is not None:
            size = int(get_driver().memory_info()[1] * fraction)
        self._limit = size or 0

    def get_limit(self):
        return self._limit


default_pool = MemoryPool()
_allocator = None


def get_default_memory_pool():
    return default_pool


def set_allocator(allocator=None):
    """Chooses what gives memory for arrays: a function of bytes that returns a MemoryPointer."""
    global _allocator
    owner = getattr(allocator, "__self__", None)
    _allocator = None if owner is default_pool else allocator


def get_allocator():
    return _allocator or default_pool.malloc


def using_allocator(allocator=None):
    @contextlib.contextmanager
    def using():
        before = _allocator
        set_allocator(allocator)
        try:
            yield
        finally:
            set_allocator(before)

    return using()


def allocate(size) -> Memory:
    """Memory for an array, from the allocator in use."""
    if _allocator is None:
        return default_pool.memory(size)
    given = _allocator(size)
    return Memory(given.ptr, size, devices.get_context(), owner=given)
