"""Arguments of kernels that are C++: names of types, and values as the driver takes them."""

from __future__ import annotations

import ctypes

import numpy as np

from .ndarrays import ndarray

_NAMES = {
    "?": "bool",
    "b": "signed char",
    "h": "short",
    "i": "int",
    "l": "long long",
    "q": "long long",
    "B": "unsigned char",
    "H": "unsigned short",
    "I": "unsigned int",
    "L": "unsigned long long",
    "Q": "unsigned long long",
    "e": "float16",
    "f": "float",
    "d": "double",
    "F": "complex<float>",
    "D": "complex<double>",
}


def c_name(dtype):
    """The name of a dtype in kernels."""
    found = _NAMES.get(np.dtype(dtype).char)
    if found is None:
        raise TypeError(f"kernels as text have no type for {dtype}")
    return found


def includes(dtypes):
    """Headers for dtypes."""
    lines = ['#include "numjit/array.cuh"']
    if any(dtype.kind == "c" for dtype in dtypes):
        lines.append('#include "cupy/complex.cuh"')
    if any(dtype == "f2" for dtype in dtypes):
        lines += ["#include <cuda_fp16.h>", "typedef __half float16;"]
    return "\n".join(lines) + "\n"


class Arguments:
    """The arguments of one launch."""

    def __init__(self):
        self._values, self._alive = [], []

    def add_bytes(self, data):
        self._values.append(ctypes.create_string_buffer(data, len(data)))

    def add_pointer(self, address):
        self._values.append(ctypes.c_uint64(address))

    def add_array(self, device):
        """The view of numjit/array.cuh."""
        count = max(device.ndim, 1)
        words = [device._pointer, device.size, *(device.shape or (1,)), *(device.strides or (0,))]
        assert len(words) == 2 + 2 * count
        self._values.append((ctypes.c_int64 * len(words))(*words))
        self._alive.append(device)

    def add(self, value):
        """An argument of a RawKernel."""
        if isinstance(value, ndarray):
            device = value._for_writing()
            self._alive.append(device)
            self.add_pointer(device._pointer)
        elif isinstance(value, np.generic):
            self.add_bytes(value.tobytes())
        elif isinstance(value, bool):
            self._values.append(ctypes.c_bool(value))
        elif isinstance(value, int):
            unsigned = value >= 1 << 63
            self._values.append((ctypes.c_uint64 if unsigned else ctypes.c_int64)(value))
        elif isinstance(value, float):
            self._values.append(ctypes.c_double(value))
        elif isinstance(value, complex):
            self._values.append((ctypes.c_double * 2)(value.real, value.imag))
        elif hasattr(value, "__cuda_array_interface__"):
            self._alive.append(value)
            self.add_pointer(value.__cuda_array_interface__["data"][0])
        elif hasattr(value, "ptr"):
            self._alive.append(value)
            self.add_pointer(int(value.ptr))
        elif isinstance(value, np.ndarray):
            self.add_bytes(value.tobytes())
        elif value is None:
            self.add_pointer(0)
        else:
            raise TypeError(f"Unsupported type {type(value)} as an argument of a kernel")

    def pointers(self):
        """What cuLaunchKernel takes."""
        places = [ctypes.addressof(each) for each in self._values]
        return (ctypes.c_void_p * max(len(places), 1))(*places)
