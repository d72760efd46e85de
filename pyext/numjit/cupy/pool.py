"""Device memory for arrays: a pool that keeps what is freed and hands it out again in the stream
where it was used, so that neither an allocation nor its end waits for the device."""

from __future__ import annotations

import contextlib
import os
import threading
import warnings

from numjit import _core
from numjit.cuda.cudadrv import devices
from numjit.cuda.cudadrv.devices import _local
from numjit.cuda.cudadrv.driver import Memory, get_driver
from numjit.cuda.cudadrv.error import CudaAPIError

from . import memory_hooks, upcalls
from .current import _current

_STEP = 512
_OUT_OF_MEMORY = 2
_LARGE = 1 << 30
#: Arrays from so many bytes on are asked about when they are made, though they get memory later.
checked_from = 0 if os.environ.get("CUPY_GPU_MEMORY_LIMIT") else _LARGE


class OutOfMemoryError(MemoryError):
    """Device memory is used up."""


class Block(_core.Block):
    """Memory of a pool: with its last reference the address is put back into a list of the pool."""

    __slots__ = ()
    owner = None
    device_pointer, handle = Memory.device_pointer, Memory.handle


def _evaluate_for_memory():
    """Computes what waits, after which its operands may be free. What is computed may ask for
    memory itself and get none: then it goes on waiting."""
    if getattr(_local, "evaluating", False):
        return
    _local.evaluating = True
    try:
        upcalls.compute_waiting()
    except OutOfMemoryError:
        pass
    finally:
        _local.evaluating = False


class MemoryPool:
    """cupy.cuda.MemoryPool."""

    def __init__(self, allocator=None):
        self._allocator, self._owners = allocator, {}  # address -> what the allocator returned
        # (context, stream, size) -> addresses. Lists stay, since blocks know them; what is done
        # with them is one operation of the interpreter and needs no lock.
        self._free = {}
        self._quick = _core.Pool(Block)
        self._lock = threading.RLock()
        self._totals = {}  # context -> bytes taken of the driver
        self._limit = None  # what CUPY_GPU_MEMORY_LIMIT says, which may need a device

    def memory(self, size) -> Memory:
        """Memory of at least `size` bytes."""
        found = self._quick.take(size)
        if found is not None:
            return found
        size = (size + _STEP - 1) & -_STEP or _STEP
        context = getattr(_local, "context", None)
        if context is None or not context.for_launches.alive:
            context = devices.get_context()
        key = context, _current.handle, size
        place = self._free.get(key)
        if place is None:
            place = self._free.setdefault(key, [])
            self._quick.keep(size, context, place)
        try:
            pointer = place.pop()
        except IndexError:
            pointer = self._more(size, context)
        return Block(pointer, size, context, place)

    def malloc(self, size):
        if size <= 0:
            return upcalls.raw_malloc(0)
        hooks = memory_hooks.current()
        what = {"device_id": devices.get_context().device.id, "size": size}
        what["mem_size"] = (size + _STEP - 1) & -_STEP
        memory_hooks.tell(hooks, "malloc_preprocess", **what)
        made = upcalls.PooledMemory(self.memory(size), self)
        memory_hooks.tell(hooks, "malloc_postprocess", **what, mem_ptr=made.ptr, pmem_id=id(made))
        return upcalls.MemoryPointer(made, 0)

    @property
    def _total(self):
        """Bytes taken of the driver on this thread's device."""
        return self._totals.get(devices.get_context(), 0)

    def _count(self, context, size):
        with self._lock:
            self._totals[context] = self._totals.get(context, 0) + size

    def _more(self, size, context):
        limit = self.get_limit()
        if limit and self._total + size > limit:
            self.free_all_blocks()
            if self._total + size > limit:
                raise self._exhausted(size, f"the limit is {limit:,} bytes")
        for attempt in range(2):
            try:
                pointer = self._acquired(size, context)
                self._count(context, size)
                return pointer
            except CudaAPIError as error:
                if error.code != _OUT_OF_MEMORY:
                    raise
                if attempt:
                    break
                _evaluate_for_memory()
                self.free_all_blocks()
        free, total = get_driver().memory_info()
        raise self._exhausted(size, f"{free:,} of {total:,} bytes are free")

    def _acquired(self, size, context):
        """Memory of the driver, or of the allocator that the pool was given."""
        hooks = memory_hooks.current()
        what = {"device_id": context.device.id, "mem_size": size} if hooks else {}
        memory_hooks.tell(hooks, "alloc_preprocess", **what)
        if self._allocator is None:
            pointer = get_driver().alloc(size)
        else:
            given = self._allocator(size)
            pointer = given.ptr
            self._owners[pointer] = given
        memory_hooks.tell(hooks, "alloc_postprocess", **what, mem_ptr=pointer)
        return pointer

    def _release(self, pointer):
        if self._allocator is None:
            get_driver().free(pointer)
        else:
            self._owners.pop(pointer, None)

    def check_room(self, size):
        """Raises if an array of `size` bytes that is made now cannot get memory later, beside what
        is in use and what else was asked for."""
        free, total = get_driver().memory_info()
        room, why = free + self.free_bytes(), f"{free:,} of {total:,} bytes are free"
        limit = self.get_limit()
        if limit and limit - self.used_bytes() < room:
            room, why = limit - self.used_bytes(), f"the limit is {limit:,} bytes"
        if size + upcalls.asked_bytes() > room:
            raise self._exhausted(size, why)

    def _exhausted(self, size, why):
        return OutOfMemoryError(
            f"Out of memory allocating {size:,} bytes (allocated so far: {self._total:,} bytes; "
            f"{why})"
        )

    def free_all_blocks(self, stream=None):
        """Gives memory of this thread's device that is not in use back to the driver."""
        current = devices.get_context()
        for (context, handle, size), place in list(self._free.items()):
            if stream is not None and handle != stream.ptr:
                continue
            if not context.alive:  # its memory is gone with it
                self._free.pop((context, handle, size), None)
                self._totals.pop(context, None)
            elif place and context is current:
                self._free_all_of(place, size, context)

    def _free_all_of(self, place, size, context):
        while True:
            try:
                pointer = place.pop()
            except IndexError:
                return
            with contextlib.suppress(CudaAPIError):
                self._release(pointer)
            self._count(context, -size)

    def free_all_free(self):
        """The older name of free_all_blocks."""
        warnings.warn(
            "free_all_free is deprecated. Use free_all_blocks instead.",
            DeprecationWarning,
            stacklevel=2,
        )
        self.free_all_blocks()

    def used_bytes(self):
        return self._total - self.free_bytes()

    def free_bytes(self):
        return sum(size * len(place) for size, place in self._places())

    def total_bytes(self):
        return self._total

    def n_free_blocks(self):
        return sum(len(place) for _, place in self._places())

    def _places(self):
        """Sizes and lists of addresses of this thread's device."""
        current = devices.get_context()
        return [
            (size, place)
            for (context, _, size), place in list(self._free.items())
            if context is current
        ]

    def set_limit(self, size=None, fraction=None):
        """The most bytes that the pool takes of the driver; 0: no limit."""
        global checked_from
        self._limit = limit_in_bytes(size, fraction)
        if self._limit:
            checked_from = 0

    def get_limit(self):
        if self._limit is None:
            self.set_limit(**_parse_limit_string(os.environ.get("CUPY_GPU_MEMORY_LIMIT")))
        return self._limit


def _parse_limit_string(limit=None):
    """Bytes, or a percentage of the device's memory: "1073741824", "40%"."""
    if not limit:
        return {"size": None, "fraction": None}
    if limit.endswith("%"):
        return {"size": None, "fraction": float(limit[:-1]) / 100}
    return {"size": int(limit), "fraction": None}


def limit_in_bytes(size=None, fraction=None):
    """The limit of a pool, given as bytes or as a part of the device's memory; 0: none."""
    if size is not None and fraction is not None:
        raise ValueError("size and fraction cannot be specified at one time")
    if fraction is not None:
        if not 0 <= fraction <= 1:
            raise ValueError(f"fraction must be between 0 and 1, not {fraction}")
        return int(get_driver().memory_info()[1] * fraction)
    if size is not None and size < 0:
        raise ValueError(f"the limit must not be negative: {size}")
    return size or 0


default_pool = MemoryPool()
_allocator = None
_core.use_pool(default_pool._quick)


def get_default_memory_pool():
    return default_pool


def set_allocator(allocator=None):
    """Sets the allocator of memory for arrays: a function of bytes that returns a MemoryPointer.
    None: each array asks the driver, without a pool."""
    global _allocator
    if _inside.allocators:
        raise ValueError("the allocator cannot be set inside of using_allocator()")
    with _changing:
        _allocator = _as_allocator(allocator)
        choose_quick()


class _Inside(threading.local):
    """The allocators of the using_allocator() that a thread is inside of."""

    allocators: tuple = ()


_inside = _Inside()
_changing = threading.Lock()
_entered = 0  #: how many using_allocator() all threads are inside of


def _as_allocator(allocator):
    """What is called for memory; None for the pool."""
    if allocator is None:
        return upcalls.raw_malloc
    return None if getattr(allocator, "__self__", None) is default_pool else allocator


def choose_quick():
    """Memory comes from the pool without a call of Python unless a thread has another allocator,
    or a hook."""
    is_quick = _allocator is None and not _entered and not memory_hooks.entered
    _core.use_pool(default_pool._quick if is_quick else None)


def _in_use():
    """The allocator of this thread; None is the pool."""
    return _inside.allocators[-1] if _inside.allocators else _allocator


def get_allocator():
    return _in_use() or default_pool.malloc


@contextlib.contextmanager
def using_allocator(allocator=None):
    """A context in which this thread has another allocator for what it asks for."""
    upcalls.evaluate_all()
    before = _inside.allocators
    _inside.allocators = *before, _as_allocator(allocator)
    _count_entered(1)
    try:
        with contextlib.ExitStack() as block:
            block.push(upcalls.evaluate_at_end)
            yield
    finally:
        _inside.allocators = before
        _count_entered(-1)


def _count_entered(change):
    global _entered
    with _changing:
        _entered += change
        choose_quick()


def check_room(size):
    """As MemoryPool.check_room, of the pool in use; other allocators cannot be asked."""
    allocator = _in_use()
    pool = default_pool if allocator is None else getattr(allocator, "__self__", None)
    if isinstance(pool, MemoryPool) and (pool.get_limit() or size >= _LARGE):
        pool.check_room(size)


def allocate(size) -> Memory:
    """Memory for an array, from the allocator in use."""
    allocator = _in_use()
    if allocator is None:
        if size <= 0 or not memory_hooks.current():
            return default_pool.memory(size)
        allocator = default_pool.malloc
    given = allocator(size)
    return Memory(given.ptr, size, devices.get_context(), owner=given)
