"""The types of C functions that ctypes knows, for contexts that call them."""

from __future__ import annotations

import ctypes

from numjit.library.core.foreign import ctypes_type, read_ctypes

from_ctypes = ctypes_type


def is_ctypes_funcptr(obj) -> bool:
    return isinstance(obj, ctypes._CFuncPtr)


def get_pointer(ctypes_func) -> int:
    """The address of a function."""
    return ctypes.cast(ctypes_func, ctypes.c_void_p).value or 0


class FunctionPointer:
    """The type of a C function."""

    def __init__(self, sig, get_pointer=get_pointer):
        self.sig = sig
        self.get_pointer = get_pointer


def make_function_type(cfnptr):
    """The type of a function of ctypes that has argtypes."""
    _, _, result, arguments = read_ctypes(cfnptr)
    return FunctionPointer(result(*arguments))
