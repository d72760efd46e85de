"""Memory for the arrays that threads of a kernel make, on a GPU (codegen/passes/device_memory.cpp).

It is local memory, which the driver provides for the threads that run at the same time; what does
not fit in comes from the heap of the device. Launches do not wait for each other, nor for their
end: a kernel writes into two words of the host what was missing, and they are looked at after each
synchronisation (driver.py). A kernel that needed the heap is compiled again with more memory of its
own.
"""

from __future__ import annotations

import contextlib
import ctypes
import threading
import weakref

import numpy as np

from .cudadrv import driver

#: Without `scratch=`: bytes of a thread, at first and at most.
_FIRST, _MOST = 4096, 1 << 18
#: The part of the free memory, and the bytes, that scratch memory or the heap may take.
_PART, _MOST_TOGETHER = 4, 2 << 30

_MALLOC_HEAP_SIZE = 2  # CU_LIMIT_MALLOC_HEAP_SIZE
_DEVICE_MAPPED = 2  # CU_MEMHOSTALLOC_DEVICEMAP

_lock = threading.Lock()
_with_heap = weakref.WeakSet()  # contexts whose heap is made


def options(asked) -> dict:
    """Options of numjit._core.compile_kernel, for `scratch=`."""
    if asked is None:
        return {"scratch": _FIRST, "heap": True}
    return {"scratch": max(16, int(asked)), "heap": False}


def make_heap(context):
    """Before the first kernel that may need it is loaded: afterwards its size is fixed."""
    with _lock:
        if context in _with_heap:
            return
        _with_heap.add(context)
    cuda = driver.get_driver()
    free = cuda.memory_info()[0]
    with contextlib.suppress(driver.CudaAPIError):  # kernels of another library may have used it
        cuda.set_limit(_MALLOC_HEAP_SIZE, min(free // _PART, _MOST_TOGETHER))


class Scratch:
    """What the host knows of the arrays of one kernel's threads."""

    def __init__(self, compiled, module, given):
        self._compiled, self._given = weakref.ref(compiled), given
        cuda = driver.get_driver()
        address = cuda.alloc_host(16, _DEVICE_MAPPED)
        # A kernel that still runs may write there: it lives as long as the module.
        weakref.finalize(
            compiled, driver.pending.add, compiled.context, cuda.free_host, address
        ).atexit = False
        self._words = (ctypes.c_int64 * 2).from_address(address)
        self._words[:] = 0, 0
        state = cuda.module_global(module, "numjit_scratch")[0]
        there = np.array([cuda.device_pointer_of_host(address), 0], np.int64)
        cuda.copy("HtoD", state, there.ctypes.data, there.nbytes, None)
        driver.watched.add(self)

    def look(self):
        """After a synchronisation: raises that arrays did not fit anywhere, gives more memory to
        a kernel that needed the heap."""
        compiled = self._compiled()
        if compiled is None:  # what is read here went with it
            return
        needed, missing = self._words
        if missing:
            self._words[1] = 0
            raise MemoryError(self._complaint(missing))
        if needed > self._given["scratch"] and self._given["heap"]:
            self._words[0] = 0
            if (more := self._next_size(needed)) is not None:
                compiled.load_again({**self._given, "scratch": more})

    def _complaint(self, missing):
        had = self._given["scratch"]
        if self._given["heap"]:
            return (
                f"an array of a thread needs {missing} bytes, which neither its {had} bytes of "
                "scratch memory nor the heap of the GPU have: launch fewer threads, or pass "
                "@cuda.jit(scratch=...); results of the launch are not to be used"
            )
        return (
            f"the arrays of a thread need more than its {had} bytes of scratch memory: pass "
            "@cuda.jit(scratch=...) with more; results of the launch are not to be used"
        )

    def _next_size(self, needed):
        """Bytes with some room, if all threads that can run together may have them."""
        device = self._compiled().device
        threads = device.MULTIPROCESSOR_COUNT * device.MAX_THREADS_PER_MULTI_PROCESSOR
        wanted = -(-needed * 5 // 4 // 256) * 256
        free = driver.get_driver().memory_info()[0]
        return wanted if wanted <= _MOST and wanted * threads <= free // _PART else None
