"""Memory of the device and of the host: allocations and copies of pycuda.driver."""

from __future__ import annotations

import ctypes

import numpy as np

from numjit.cuda.cudadrv import devices
from numjit.cuda.cudadrv.driver import get_driver
from numjit.cupy import pinned, pool
from numjit.cupy.driver_calls import copy_rows
from numjit.cupy.ndarrays import ndarray
from numjit.cupy.pending import evaluate_all
from numjit.cupy.pointers import MemoryPointer, UnownedMemory


class DeviceAllocation:
    """Memory of the device, freed with the last reference or by free()."""

    def __init__(self, memory):
        self._memory, self.ptr, self.size = memory, memory.device_pointer_value, memory.size

    def __int__(self):
        return self.ptr

    __index__ = __int__

    def __add__(self, offset):
        return self.ptr + offset

    __radd__ = __add__

    def __eq__(self, other):
        return int(self) == int(other)

    def __hash__(self):
        return hash(self.ptr)

    def free(self):
        self._memory = None

    def as_buffer(self, size, offset=0):
        raise TypeError("memory of the device is no buffer of the host")

    @property
    def __cuda_array_interface__(self):
        return {"shape": (self.size,), "typestr": "|u1", "data": (self.ptr, False), "version": 3,
                "strides": None}  # fmt: skip


def mem_alloc(bytes):
    """Memory of the device."""
    return DeviceAllocation(pool.allocate(int(bytes)))


def mem_alloc_like(ary):
    """Memory of the device for what an array of the host holds."""
    return mem_alloc(ary.nbytes)


def address(place):
    """An address on the device."""
    if hasattr(place, "gpudata"):
        place = place.gpudata
    return int(getattr(place, "ptr", place))


def host_address(buffer, writes=False):
    """The address and the size of memory of the host."""
    if isinstance(buffer, (np.ndarray, np.generic)):
        array = np.asarray(buffer)
        if not (array.flags.c_contiguous or array.flags.f_contiguous):
            raise ValueError("ndarray is not contiguous")
        return array.ctypes.data, array.nbytes
    view = memoryview(buffer).cast("B")
    if writes:
        return ctypes.addressof(ctypes.c_char.from_buffer(view)), view.nbytes
    array = np.frombuffer(view, np.uint8)
    return array.ctypes.data, array.nbytes


def _stream(stream):
    return (stream.handle if stream is not None else 0) or None


def memcpy_htod(dest, src):
    """Copies from the host to the device."""
    memcpy_htod_async(dest, src, None)


def memcpy_htod_async(dest, src, stream=None):
    evaluate_all()
    if hasattr(dest, "_for_writing"):
        dest._for_writing()
    if isinstance(src, np.ndarray) and not src.ndim:
        src = src.reshape(1)
    place, size = host_address(src)
    devices.get_context()
    get_driver().copy("HtoD", address(dest), place, size, _stream(stream))


def memcpy_dtoh(dest, src):
    """Copies from the device to the host."""
    memcpy_dtoh_async(dest, src, None)


def memcpy_dtoh_async(dest, src, stream=None):
    evaluate_all()
    place, size = host_address(dest, writes=True)
    get_driver().copy("DtoH", place, address(src), size, _stream(stream))


def memcpy_dtod(dest, src, size):
    """Copies on the device."""
    memcpy_dtod_async(dest, src, size, None)


def memcpy_dtod_async(dest, src, size, stream=None):
    evaluate_all()
    get_driver().copy("DtoD", address(dest), address(src), int(size), _stream(stream))


def to_device(bf_obj):
    """Memory of the device with the bytes of an array of the host."""
    found = mem_alloc(host_address(bf_obj)[1])
    memcpy_htod(found, bf_obj)
    return found


def from_device(devptr, shape, dtype, order="C"):
    """An array of the host with bytes of the device."""
    found = np.empty(shape, dtype, order)
    memcpy_dtoh(found, devptr)
    return found


def from_device_like(devptr, other_ary):
    found = np.empty_like(other_ary)
    memcpy_dtoh(found, devptr)
    return found


def _filled(dtype):
    def memset(dest, data, count):
        place = UnownedMemory(address(dest), int(count) * np.dtype(dtype).itemsize, dest)
        ndarray((int(count),), dtype, MemoryPointer(place, 0)).fill(dtype(data))

    return memset


memset_d8, memset_d16, memset_d32 = map(_filled, (np.uint8, np.uint16, np.uint32))


def mem_get_info():
    """Free and total bytes."""
    devices.get_context()
    return get_driver().memory_info()


def pagelocked_empty(shape, dtype, order="C", mem_flags=0):
    """An array of the host that is never paged out."""
    return pinned.empty_pinned(shape, dtype, order)


def pagelocked_zeros(shape, dtype, order="C", mem_flags=0):
    return pinned.zeros_pinned(shape, dtype, order)


def pagelocked_empty_like(array, mem_flags=0):
    return pinned.empty_like_pinned(array)


def pagelocked_zeros_like(array, mem_flags=0):
    return pinned.zeros_like_pinned(array)


class Memcpy2D:
    """A copy of rows with a distance of their own on each side."""

    def __init__(self):
        self.src_x_in_bytes = self.src_y = self.dst_x_in_bytes = self.dst_y = 0
        self.src_pitch = self.dst_pitch = self.width_in_bytes = self.height = 0
        self._source = self._target = None

    def set_src_host(self, buffer):
        self._source = "H", host_address(buffer)[0]

    def set_src_device(self, place):
        self._source = "D", address(place)

    def set_dst_host(self, buffer):
        self._target = "H", host_address(buffer, writes=True)[0]

    def set_dst_device(self, place):
        self._target = "D", address(place)

    def __call__(self, stream=None, aligned=True):
        evaluate_all()
        (here, source), (there, target) = self._source, self._target
        pitch_in = self.src_pitch or self.width_in_bytes
        pitch_out = self.dst_pitch or self.width_in_bytes
        handle = None if stream is None or isinstance(stream, bool) else _stream(stream)
        begin = source + self.src_y * pitch_in + self.src_x_in_bytes
        end = target + self.dst_y * pitch_out + self.dst_x_in_bytes
        kind, size = f"{here}to{there}", (self.width_in_bytes, self.height)
        copy_rows(kind, end, pitch_out, begin, pitch_in, *size, handle)
        if handle is None:
            get_driver().synchronize_stream(0)
