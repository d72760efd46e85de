"""Memory for the arrays that threads of a kernel make, on a GPU.

Each thread has a part of one buffer and manages it by itself (codegen/passes/device_memory.cpp). A
launch waits for its end, to hear whether that was enough: if not, its results are worthless, which
is an exception, and the next launch has more.
"""

from __future__ import annotations

import contextlib

import numpy as np

from .cudadrv import driver

#: Without `scratch=`: for each thread at most, and for all together.
_MOST, _MOST_TOGETHER = 1 << 20, 2 << 30


class Scratch:
    """The memory of one kernel, whose launches run one by one."""

    def __init__(self, context, module, asked):
        self._context = context
        self._asked = None if asked is None else max(32, (int(asked) + 15) // 16 * 16)
        self._state = driver.get_driver().module_global(module, "numjit_scratch")[0]
        self._bytes, self._threads, self._buffer = self._asked or 0, 0, None

    def provide(self, threads):
        """Makes sure that there is memory for so many threads."""
        if threads <= self._threads:
            return
        cuda = driver.get_driver()
        self._free()
        if not self._bytes:
            together = min(cuda.memory_info()[0] // 4, _MOST_TOGETHER)
            self._bytes = max(1024, min(_MOST, together // threads) // 16 * 16)
        try:
            self._buffer = cuda.alloc(self._bytes * threads)
        except driver.CudaAPIError as error:
            raise MemoryError(
                f"{threads} threads need {self._bytes} bytes of scratch memory each for their "
                f"arrays, {self._bytes * threads} together, which the GPU does not have ({error}): "
                "launch fewer threads, or pass @cuda.jit(scratch=...)"
            ) from None
        self._threads = threads
        self._write(np.array([self._buffer, self._bytes, 0], np.int64))

    def _free(self):
        if self._buffer is not None:
            driver.pending.add(self._context, driver.get_driver().free, self._buffer)
        self._buffer, self._threads = None, 0

    def _write(self, words):
        driver.get_driver().copy("HtoD", self._state, words.ctypes.data, words.nbytes, None)

    def overflow(self):
        """What to say if the launch that has ended needed more; else None."""
        words = np.zeros(3, np.int64)
        driver.get_driver().copy("DtoH", words.ctypes.data, self._state, words.nbytes, None)
        needed = int(words[2])
        if not needed:
            return None
        had = self._bytes
        if self._asked is None:
            self._bytes = max(2 * had, 2 * needed) // 16 * 16
            self._free()
            more = f"the next launch has {self._bytes}; or pass @cuda.jit(scratch=...)"
        else:
            words[2] = 0
            self._write(words)
            more = "pass @cuda.jit(scratch=...) with more"
        return (
            f"the arrays of a thread need more than its {had} bytes of scratch memory, at least "
            f"{needed}: the results of this launch are not to be used; {more}"
        )

    def __del__(self):
        with contextlib.suppress(Exception):
            self._free()
