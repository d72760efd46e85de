"""cupy.cuda: devices, streams, memory."""

from __future__ import annotations

import importlib

from numjit.compat.numba_paths import inner, inner_names

__path__: list = []  # a package of CuPy, see compat/cupy_paths.py
_PLACES = {
    "devices": (
        "Device Stream ExternalStream Event get_current_stream get_elapsed_time get_device_id"
    ),
    "pool": "MemoryPool set_allocator get_allocator using_allocator OutOfMemoryError",
    "pointers": "Memory BaseMemory PooledMemory MemoryPointer UnownedMemory alloc",
    "pinned": (
        "PinnedMemory PinnedMemoryPointer PooledPinnedMemory PinnedMemoryPool alloc_pinned_memory "
        "set_pinned_memory_allocator"
    ),
    "memory_hooks": "MemoryHook",
    "settings": "is_available",
    "profiler": "profile",
    "graphs": "Graph",
    "async_pool": "MemoryAsync MemoryAsyncPool ManagedMemory malloc_async malloc_managed",
    "blas": "get_cublas_handle:handle",
    "cusolver": "get_cusolver_handle:_handle",
    "text_kernels": "Function:Kernel Module:RawModule",
    "text_compiler": "CompileException:CompileException",
    "driver_names": "get_local_runtime_version:get_build_version",
    "environment": "get_cuda_path get_nvcc_path get_rocm_path get_hipcc_path",
}
_FROM = {}
for _place, _names in _PLACES.items():
    for _name in _names.split():
        _name, _, _inside = _name.partition(":")
        _FROM[_name] = _place, _inside or _name


def __getattr__(name):
    if name in _FROM:
        place, inside = _FROM[name]
        value = getattr(importlib.import_module(f"numjit.cupy.{place}"), inside)
    elif (value := inner(__name__, name)) is None:
        raise AttributeError(f"module 'numjit.cupy.cuda' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__():
    return sorted({*_FROM, *inner_names(__name__)})
