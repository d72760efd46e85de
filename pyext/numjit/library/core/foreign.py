"""C functions in compiled code: those of ctypes and cffi, and callbacks that numjit compiled."""

import ctypes
import importlib
import sys
from types import BuiltinMethodType, MethodType

import numpy as np

from numjit import types
from numjit.derived import Derived

from ..python.callables import function_like, method_of_ufunc
from .addresses import calling
from .intrinsics import refuse
from .probability import distribution_method
from .special_functions import special_function

_pointer = types.CPointer(types.none)


def function_of(function):
    """The function in the subset that calls a C function; one that is refused if it cannot be.

    Objects of our own that stand for functions say themselves what is called for them.
    """
    if isinstance(function, np.ufunc):
        return special_function(function)
    if isinstance(function, BuiltinMethodType) and isinstance(function.__self__, np.ufunc):
        return method_of_ufunc(function.__self__, function.__name__)
    if isinstance(function, MethodType):
        return distribution_method(function)
    if isinstance(function, Derived):
        return function._in_compiled_code()
    if type(function).__name__ == "fortran":
        return _wrapped_by_f2py(function)
    if type(function).__module__ in ("functools", "operator", "numpy"):
        return function_like(function)
    try:
        name, address, result, parameters = _read(function)
    except TypeError as error:
        return _refused(str(error))
    return calling(name, address, result, parameters)


def _wrapped_by_f2py(function):
    later = importlib.import_module("numjit.library.python.fortran_functions")
    return later.fortran_function(function) or _refused(
        f"it is not known what {later.name_of(function)}() returns"
    )


def _refused(message):
    def c_function(*arguments):
        return refuse(message)

    return c_function


def _read(function):
    """(name, address, result type, parameter types); TypeError if a part is missing or unknown."""
    if isinstance(function, ctypes._CFuncPtr):
        return read_ctypes(function)
    if hasattr(function, "address"):  # numjit.callbacks.CFunc
        signature = function._sig
        return function.native_name, function.address, signature.return_type, signature.args
    return _read_cffi(function)


# -- ctypes ---------------------------------------------------------------------------------------

_by_size = {
    "i": {1: types.int8, 2: types.int16, 4: types.int32, 8: types.int64},
    "u": {1: types.uint8, 2: types.uint16, 4: types.uint32, 8: types.uint64},
}
_fixed = {
    None: types.none,
    ctypes.c_bool: types.boolean,
    ctypes.c_float: types.float32,
    ctypes.c_double: types.float64,
    ctypes.c_void_p: _pointer,
    ctypes.c_char_p: types.CPointer(types.uint8),
    ctypes.py_object: None,
}


def ctypes_type(kind):
    if kind in _fixed:
        found = _fixed[kind]
    elif isinstance(kind, type) and issubclass(kind, ctypes._Pointer):
        try:
            found = types.CPointer(ctypes_type(kind._type_))
        except TypeError:  # a pointer to a structure is an address
            found = _pointer
    elif isinstance(kind, type) and issubclass(kind, ctypes._CFuncPtr):
        found = _pointer
    elif isinstance(kind, type) and issubclass(kind, ctypes._SimpleCData):
        letter = kind._type_
        signs = "i" if letter in "bhilq" else "u" if letter in "BHILQ" else ""
        found = _by_size[signs][ctypes.sizeof(kind)] if signs else None
    else:
        found = None
    if found is None:
        raise TypeError(f"Unsupported ctypes type: {getattr(kind, '__name__', kind)}")
    return found


def read_ctypes(function):
    name = getattr(function, "__name__", None) or "C function"
    if function.argtypes is None:
        raise TypeError(
            f"cannot determine Numba type of the ctypes function {name}: set its argtypes (and "
            "restype) first"
        )
    address = ctypes.cast(function, ctypes.c_void_p).value
    parameters = tuple(ctypes_type(kind) for kind in function.argtypes)
    return name, address, ctypes_type(function.restype), parameters


# -- cffi -----------------------------------------------------------------------------------------

_cffi_names = {
    "void": types.none,
    "_Bool": types.boolean,
    "float": types.float32,
    "double": types.float64,
    "float _Complex": types.complex64,
    "double _Complex": types.complex128,
    "char": types.uint8,
}


#: What programs registered: types of cffi by themselves.
registered = {}


def cffi_type(ffi, kind):
    if kind in registered:
        return registered[kind]
    if kind.kind == "pointer":
        try:
            return types.CPointer(cffi_type(ffi, kind.item))
        except TypeError:
            return _pointer
    if kind.kind == "function":
        return _pointer
    found = _cffi_names.get(kind.cname)
    if found is None and kind.kind in ("primitive", "enum"):
        signed = kind.kind == "enum" or int(ffi.cast(kind, -1)) < 0
        found = _by_size["i" if signed else "u"].get(ffi.sizeof(kind))
    if found is None:
        raise TypeError(f"Unsupported cffi type: {kind.cname}")
    return found


def _read_cffi(function):
    import cffi

    ffi = cffi.FFI()
    name = getattr(function, "__name__", None) or "C function"
    kind, address = typed_cffi(function)
    if kind.kind != "function" or kind.ellipsis:
        raise TypeError(f"Unsupported cffi function type: {kind.cname}")
    parameters = tuple(cffi_type(ffi, argument) for argument in kind.args)
    return name, address, cffi_type(ffi, kind.result), parameters


def typed_cffi(function):
    """The type and the address of a C function: a pointer, or the function of a compiled module."""
    import cffi

    ffi = cffi.FFI()
    if isinstance(function, ffi.CData):
        kind = ffi.typeof(function)
    else:  # only the FFI of the module that it is from knows its type
        module = sys.modules[function.__module__]
        kind = module.ffi.typeof(function)
        function = module.ffi.addressof(module.lib, function.__name__)
    return (kind.item if kind.kind == "pointer" else kind), int(ffi.cast("uintptr_t", function))
