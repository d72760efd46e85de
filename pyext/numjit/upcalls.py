"""Functions of higher modules that lower ones call: each row is imported at its first use.

Modules of the package depend in one direction (.ci/check_imports.py). A lower one that needs code
of a higher one, such as a type whose values are of a class that is compiled, calls a row of this
table.
"""

from __future__ import annotations

import importlib

_ROWS = {
    "row of a type with a model": "numjit.compat.native_types.make_row",
    "class of function pointers": "numjit.first_class.pointer_class",
    "proxy of a StructRef": "numjit.experimental.structref.proxy_of",
    "ufunc of kernels": "numjit.cuda.ufuncs.CUDAUFunc",
    "generalised ufunc of kernels": "numjit.cuda.ufuncs.CUDAGUFunc",
    "name for Dask": "numjit.pickling.dask_token",
    "context of a thread": "numjit.cuda.cudadrv.devices.get_context",
    "view of device memory": "numjit.cuda.cudadrv.memory.MemoryPointer",
    "memory manager of a context": "numjit.cuda.cudadrv.memory.manager_for",
    "handle of an array for other processes": "numjit.cuda.cudadrv.memory.IpcArrayHandle",
    "array of DLPack": "numjit.cupy.dlpack.from_dlpack",
    "row of a StructRef": "numjit.experimental.structref.row_of_fields",
}


def ask(what: str):
    """The function of a row."""
    module, _, name = _ROWS[what].rpartition(".")
    return getattr(importlib.import_module(module), name)
