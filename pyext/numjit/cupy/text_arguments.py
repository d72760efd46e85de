"""Arguments of kernels that are C++: names of types, and values as the driver takes them."""

from __future__ import annotations

import ctypes
import struct
import threading

import numpy as np

from .mdspan import Mdspan
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
        lines.append("#include <cupy/float16.cuh>")
    return "\n".join(lines) + "\n"


class _Buffers(threading.local):
    """Memory for arguments: the driver copies them before a launch returns."""

    def __init__(self):
        self.memory = ctypes.create_string_buffer(8192)
        self.base = (ctypes.addressof(self.memory) + 15) & ~15
        self.offset = self.base - ctypes.addressof(self.memory)
        self.forms = {}


_buffers = _Buffers()


class Arguments:
    """The arguments of one launch."""

    __slots__ = ("_alive", "_form", "_places", "_size", "_slots", "_values")

    def __init__(self):
        self._form, self._places, self._values, self._size, self._alive = "", (), [], 0, []
        self._slots = []  # at which byte the addresses of arrays are

    def _add(self, form, size, *values):
        """Values of one argument in the form of struct, at the next multiple of 16 bytes."""
        self._places += (self._size,)
        padding = -size % 16
        self._form += f"{form}{padding}x" if padding else form
        self._size += size + padding
        self._values += values

    def add_bytes(self, data):
        self._add(f"{len(data)}s", len(data), data)

    def add_pointer(self, address):
        self._slots.append(self._size)
        self._add("Q", 8, address)

    def add_array(self, device):
        """The view of numjit/array.cuh."""
        self._alive.append(device)
        self._slots.append(self._size)
        count = max(len(device.shape), 1)
        size = 1
        for n in device.shape:
            size *= n
        self._add(
            f"Q{1 + 2 * count}q", 16 + 16 * count, device._pointer, size,
            *(device.shape or (1,)), *(device.strides or (0,)),
        )  # fmt: skip

    def add(self, value):
        """An argument of a RawKernel."""
        if isinstance(value, ndarray):
            device = value._for_writing()
            self._alive.append(device)
            self._add("Q", 8, device._pointer)
        elif isinstance(value, np.generic):
            self.add_bytes(value.tobytes())
        elif isinstance(value, bool):
            self._add("?", 1, value)
        elif isinstance(value, int):
            self._add("Q" if value >= 1 << 63 else "q", 8, value)
        elif isinstance(value, float):
            self._add("d", 8, value)
        elif isinstance(value, complex):
            self._add("2d", 16, value.real, value.imag)
        elif isinstance(value, Mdspan):
            device = value.array._for_writing()
            self._alive.append(device)
            size = struct.calcsize(f"={value.form}")
            self._add(value.form, size, device._pointer, *value.numbers)
        elif hasattr(value, "__cuda_array_interface__"):
            self._alive.append(value)
            self._add("Q", 8, value.__cuda_array_interface__["data"][0])
        elif hasattr(value, "ptr"):
            self._alive.append(value)
            self._add("Q", 8, int(value.ptr))
        elif isinstance(value, np.ndarray):
            if value.size != 1:
                raise TypeError(
                    f"Unsupported type: an array of the host ({value.size} elements) as an "
                    "argument of a kernel: copy it to the device, e.g. by cupy.asarray()"
                )
            self.add_bytes(value.tobytes())
        elif value is None:
            self._add("Q", 8, 0)
        else:
            raise TypeError(f"Unsupported type {type(value)} as an argument of a kernel")

    def pointers(self):
        """What cuLaunchKernel takes, until the next launch of this thread."""
        return self._packed(self._values)

    def _packed(self, values):
        buffers = _buffers
        found = buffers.forms.get(self._form)
        if found is None:
            if self._size > 8000:
                raise ValueError("the arguments of a kernel take more than 8000 bytes")
            places = [buffers.base + place for place in self._places]
            array = (ctypes.c_void_p * max(len(places), 1))(*places)
            found = buffers.forms[self._form] = struct.Struct(f"={self._form}"), array
        layout, array = found
        layout.pack_into(buffers.memory, buffers.offset, *values)
        return array

    @property
    def places(self):
        """At which byte each argument begins."""
        return tuple(self._places)

    def planned(self):
        """The bytes of all, where each begins, and where addresses of arrays are."""
        layout = struct.Struct(f"={self._form}")
        return layout.pack(*self._values), self.places, tuple(self._slots)
