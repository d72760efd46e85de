"""Functions of higher modules that lower ones of this package call, such as those behind methods.

Modules depend in one direction (.ci/check_imports.py). A lower one reads what it needs of a higher
one as an attribute of this module, which imports it when it is first read: `upcalls.stack(parts)`.
"""

from __future__ import annotations

import importlib

#: The modules with their names, "name:name here" where these differ.
_PLACES = {
    "ndarrays": "ndarray",
    "creation": "array asarray empty full zeros",
    "indexing": "take nonzero scatter get:get_items set_:set_items",
    "manipulation": "broadcast_to",
    "picking": "store_flat",
    "joining": "stack",
    "reductions": "reduce",
    "scans": "accumulate reduceat",
    "products": "matmul",
    "einstein": "einsum",
    "numpy_code": "device_function",
    "dlpack": "export export_to device_kind",
    "pointers": "MemoryPointer PooledMemory malloc:raw_malloc",
    "pool": "choose_quick",
    "text_kernels": "RawModule",
    "devices": "Device",
    "functional": "memoize clear_memo",
    "pending": "asked_bytes compute_waiting evaluate_all evaluate_at_end",
    "blas": "handle:blas_handle",
    "cusolver": "_handle:cusolver_handle",
}
_MODULES = frozenset("fft_functions linalg_functions runtime_names".split())
_ROWS = {
    here or name: (place, name)
    for place, names in _PLACES.items()
    for name, _, here in (each.partition(":") for each in names.split())
}


def __getattr__(name):
    if name in _MODULES:
        value = importlib.import_module(f"numjit.cupy.{name}")
    elif name in _ROWS:
        place, inside = _ROWS[name]
        value = getattr(importlib.import_module(f"numjit.cupy.{place}"), inside)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value
