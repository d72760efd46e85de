"""C functions that Cython modules export."""

import ctypes
import importlib


def get_cython_function_address(module_name, function_name) -> int:
    """Address of the C function that a Cython module exports (`cdef api`, `cpdef` in its .pxd).

    ValueError if the module has no such function.
    """
    exported = importlib.import_module(module_name).__pyx_capi__
    try:
        capsule = exported[function_name]
    except KeyError:
        raise ValueError(
            f"No function {function_name!r} found in __pyx_capi__ of {module_name!r}"
        ) from None
    name_of = ctypes.pythonapi.PyCapsule_GetName
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return pointer_of(capsule, name_of(capsule))
