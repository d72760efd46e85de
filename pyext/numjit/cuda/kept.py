"""Kernels with cache=True: PTX and cubin on disk, with the guarantees of @njit(cache=True).

pyext/cache/cache.cpp writes and reads the files, and checks whether they are still valid.
"""

from __future__ import annotations

from numjit import _core, caching


def entry_of(dispatcher, rows, options):
    """The entry of a kernel for types; None if it is not to be kept. What a kernel with debug=True
    raises are objects of one process."""
    if not dispatcher.targetoptions.get("cache") or options["debug"]:
        return None
    return _core.KernelEntry(dispatcher, rows, options, *caching.home(dispatcher.py_func))


def store(dispatcher, entry, kernel, cubin):
    """Keeps a kernel, or warns that it cannot be kept."""
    problem = entry.store(kernel, cubin)
    if problem:
        caching.warn(dispatcher.py_func, problem)
