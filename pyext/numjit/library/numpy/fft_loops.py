"""NumPy's own transforms: the inner loops of the ufuncs that ``numpy.fft`` calls.

``fft_loops.fft_d`` is the C function ``loop(args, dimensions, steps, data)`` for double precision,
bound to its data: pocketfft, with the plans that it keeps. The layout of a ufunc object is part of
NumPy's C API.
"""

import ctypes

from numpy.fft import _pocketfft_umath

from numjit import types

from ..core import foreign

_made = {}


class _Ufunc(ctypes.Structure):
    """The head of PyUFuncObject."""

    _fields_ = (
        ("head", ctypes.c_byte * object.__basicsize__),
        ("nin", ctypes.c_int),
        ("nout", ctypes.c_int),
        ("nargs", ctypes.c_int),
        ("identity", ctypes.c_int),
        ("functions", ctypes.POINTER(ctypes.c_void_p)),
        ("data", ctypes.POINTER(ctypes.c_void_p)),
        ("ntypes", ctypes.c_int),
    )


def __getattr__(name):
    """``name``: that of the ufunc, and "_f" or "_d" for single or double precision."""
    if name.startswith("__"):
        raise AttributeError(name)
    if name not in _made:
        _made[name] = _function(name)
    return _made[name]


def _function(name):
    ufunc, _, precision = name.rpartition("_")
    found = getattr(_pocketfft_umath, ufunc)
    row = [each[-1].lower() for each in found.types].index(precision)
    head = _Ufunc.from_address(id(found))
    pointer = types.CPointer(types.none)
    loop = foreign.calling(name, head.functions[row], types.none, (pointer,) * 3 + (types.int64,))
    data = (head.data[row] or 0) if head.data else 0

    def transform(arguments, dimensions, steps):
        return loop(arguments, dimensions, steps, data)

    return transform
