"""Functions that the compiler knows and that do nothing special in the interpreter."""


class prange:
    """range, for loops whose iterations may run in parallel."""

    def __new__(cls, *args):
        return range(*args)


def literal_unroll(container):
    """In compiled code: `for x in literal_unroll(tuple)` has one copy of its body per item."""
    return container


def literally(value):
    """In compiled code: asks for `value` as a compile-time constant."""
    return value


def carray(ptr, shape, dtype=None):
    """The memory at a pointer (of ctypes, or of compiled code) as a C-contiguous array."""
    return _array_at(ptr, shape, dtype, "C")


def farray(ptr, shape, dtype=None):
    """As carray, with the first index running fastest."""
    return _array_at(ptr, shape, dtype, "F")


def _array_at(ptr, shape, dtype, order):
    import ctypes

    import numpy as np

    pointee = getattr(ptr, "_type_", None)
    known = np.dtype(pointee) if isinstance(ptr, ctypes._Pointer) else None
    if not isinstance(ptr, (ctypes._Pointer, ctypes.c_void_p)):
        raise TypeError(f"expected a ctypes pointer, got {ptr!r}")
    if dtype is None and known is None:
        raise TypeError("explicit 'dtype' argument required for void* argument")
    if dtype is not None and known is not None and np.dtype(dtype) != known:
        raise TypeError(f"mismatching dtype '{np.dtype(dtype)}' for pointer {ptr}")
    dtype = np.dtype(known if dtype is None else dtype)
    shape = shape if isinstance(shape, tuple) else (shape,)
    size = dtype.itemsize * int(np.prod(shape))
    address = ctypes.cast(ptr, ctypes.c_void_p).value
    memory = (ctypes.c_char * size).from_address(address)
    return np.ndarray(shape, dtype, memory, order=order)
