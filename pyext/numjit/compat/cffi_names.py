"""The types of cffi: how they are found for compiled code, as records too."""

from __future__ import annotations

import importlib.util

import numpy as np

from numjit import types
from numjit.compat.ctypes_names import FunctionPointer
from numjit.library.core import foreign
from numjit.np.numpy_support import as_dtype, from_dtype
from numjit.signatures import signature

SUPPORTED = importlib.util.find_spec("cffi") is not None


def is_cffi_func(obj) -> bool:
    """Whether an object is a C function that cffi knows."""
    try:
        return foreign.typed_cffi(obj)[0].kind == "function"
    except (AttributeError, ImportError, KeyError, TypeError):
        return False


def get_pointer(cffi_func) -> int:
    """The address of a function."""
    return foreign.typed_cffi(cffi_func)[1]


def register_module(mod) -> None:
    """Functions of compiled modules are known without it. AttributeError for other objects."""
    if not (hasattr(mod, "ffi") and hasattr(mod, "lib")):
        raise AttributeError(f"{mod!r} is no module that cffi compiled")


def register_type(cffi_type, numba_type) -> None:
    """Says which type values of a type of cffi have in compiled code."""
    foreign.registered[cffi_type] = numba_type


def map_type(cffi_type, use_record_dtype=False):
    """The type of values of a type of cffi; of a function its signature.

    With `use_record_dtype` a struct is a record, else TypeError is raised unless it is registered.
    """
    import cffi

    kind = cffi_type
    if kind.kind == "pointer" and kind.item.kind == "function":
        kind = kind.item
    if kind.kind == "function":
        if kind.ellipsis:
            raise TypeError("vararg function is not supported")
        arguments = [map_type(each, use_record_dtype) for each in kind.args]
        return signature(map_type(kind.result, use_record_dtype), *arguments)
    if use_record_dtype and kind not in foreign.registered:
        if kind.kind == "struct":
            return _record(kind)
        if kind.kind == "array":
            return _nested(kind)
        if kind.kind == "pointer" and kind.item.kind in ("struct", "pointer"):
            return types.CPointer(map_type(kind.item, True))
    return foreign.cffi_type(cffi.FFI(), kind)


def _nested(kind):
    """An array in a struct, arrays of arrays as one."""
    shape = []
    while kind.kind == "array":
        shape.append(kind.length)
        kind = kind.item
    return types.NestedArray(map_type(kind, True), tuple(shape))


def _record(kind):
    import cffi

    names, formats, offsets = [], [], []
    for name, field in kind.fields:
        if field.bitshift != -1:
            raise ValueError(f"field {name!r} has bitshift, this is not supported")
        names.append(name)
        formats.append(as_dtype(map_type(field.type, True)))
        offsets.append(field.offset)
    size = cffi.FFI().sizeof(kind)
    described = {"names": names, "formats": formats, "offsets": offsets, "itemsize": size}
    return from_dtype(np.dtype(described, align=True))


def make_function_type(cffi_func, use_record_dtype=False):
    """The type of a C function."""
    kind, _ = foreign.typed_cffi(cffi_func)
    return FunctionPointer(map_type(kind, use_record_dtype), get_pointer)
