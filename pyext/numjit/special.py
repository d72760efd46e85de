"""Functions that the compiler knows and that do nothing special in the interpreter."""

import ctypes

import numpy as np

from numjit import _core


def structured(fields):
    """The dtype of fields, each a tuple of a name, a dtype and maybe a shape, or of a text."""
    return np.dtype(fields if isinstance(fields, str) else list(fields))


def class_of_dtype(name):
    """What type() of the dtype is."""
    return type(np.dtype(name))


class prange:
    """range, for loops whose iterations may run in parallel."""

    def __new__(cls, *args):
        return range(*args)


def get_num_threads():
    """How many threads the parallel loops of this thread use."""
    return _core.get_num_threads()


def set_num_threads(n):
    """Sets how many threads the parallel loops of this thread use."""
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise TypeError("The number of threads specified must be an integer")
    _core.set_num_threads(n.__index__())


def get_thread_id():
    """In a parallel loop: the number of the thread that works on it; else 0."""
    return _core.get_thread_id()


def get_parallel_chunksize():
    """How many iterations a chunk of a parallel loop has; 0: the loop decides."""
    return _core.get_chunk_size()


def set_parallel_chunksize(n):
    """Sets how many iterations a chunk of a parallel loop has; returns the number before."""
    return _core.set_chunk_size(n)


def threading_layer():
    """The library that provides the threads."""
    return "tbb"


class parallel_chunksize:
    """A context in which chunks of parallel loops have `n` iterations."""

    def __init__(self, n):
        self.n = n

    def __enter__(self):
        self.before = set_parallel_chunksize(self.n)

    def __exit__(self, *exception):
        set_parallel_chunksize(self.before)


def literal_unroll(container):
    """In compiled code: `for x in literal_unroll(tuple)` has one copy of its body per item."""
    return container


def literally(value):
    """In compiled code: asks for `value` as a compile-time constant.

    Where `value` comes from an argument, the function is compiled once for each of its values.
    """
    return value


def carray(ptr, shape, dtype=None):
    """The memory at a pointer (of ctypes, or of compiled code) as a C-contiguous array."""
    return _array_at(ptr, shape, dtype, "C")


def farray(ptr, shape, dtype=None):
    """As carray, with the first index running fastest."""
    return _array_at(ptr, shape, dtype, "F")


def _array_at(ptr, shape, dtype, order):
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
