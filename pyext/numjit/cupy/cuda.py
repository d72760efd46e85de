"""cupy.cuda: devices, streams, memory."""

from __future__ import annotations

import importlib
import sys
import types

_PLACES = {
    "devices": (
        "Device Stream ExternalStream Event get_current_stream get_elapsed_time get_device_id"
    ),
    "pool": "MemoryPool set_allocator get_allocator using_allocator OutOfMemoryError",
    "pointers": "Memory BaseMemory MemoryPointer UnownedMemory alloc",
    "pinned": (
        "PinnedMemory PinnedMemoryPointer PooledPinnedMemory PinnedMemoryPool alloc_pinned_memory "
        "set_pinned_memory_allocator"
    ),
    "settings": "is_available",
    "graphs": "Graph",
    "async_pool": "MemoryAsync MemoryAsyncPool ManagedMemory malloc_async malloc_managed",
    "blas": "get_cublas_handle:handle",
    "cusolver": "get_cusolver_handle:_handle",
    "text_kernels": "Function:Kernel Module:RawModule",
    "text_compiler": "CompileException:CompileException",
}
_FROM = {}
for _place, _names in _PLACES.items():
    for _name in _names.split():
        _name, _, _inside = _name.partition(":")
        _FROM[_name] = _place, _inside or _name

#: Modules of CuPy's that are here under another name.
_MODULES = {each: each for each in ("runtime", "nvtx", "profiler", "texture")}
_MODULES |= dict.fromkeys(
    "memory stream device pinned_memory compiler function graph".split(), "cuda"
)


class _Path(types.ModuleType):
    """What `import cupy.cuda.memory` gives: the module that has its names."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        module = importlib.import_module(f"numjit.cupy.{_MODULES[self.__name__.split('.')[-1]]}")
        return getattr(module, name)


for _name in _MODULES:
    sys.modules.setdefault(f"{__name__}.{_name}", _Path(f"{__name__}.{_name}"))


def __getattr__(name):
    if name in _FROM:
        place, inside = _FROM[name]
        value = getattr(importlib.import_module(f"numjit.cupy.{place}"), inside)
    elif name in _MODULES:
        value = importlib.import_module(f"numjit.cupy.{_MODULES[name]}")
    else:
        raise AttributeError(f"module 'numjit.cupy.cuda' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__():
    return sorted({*_FROM, *_MODULES})
