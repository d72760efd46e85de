"""Arrays in device memory.

Views are computed by NumPy on a *shadow*: an ndarray with the shape, strides and address of the
device array, whose elements are not read.
"""

from __future__ import annotations

import ctypes
import math

import numpy as np

from numjit import _core, config
from numjit.types import from_dtype
from numjit.types.arrays import Array
from numjit.upcalls import ask

from . import layouts
from .devices import context_of_memory, get_context
from .driver import Memory, Stream, get_driver, stream_handle
from .layouts import (  # noqa: F401
    as_shape,
    complete,
    layout_like,
    reshaped,
    runs,
    strides_for,
    view_index,
)

ERR_CONTIGUOUS = (
    "Array contains non-contiguous buffer and cannot be transferred as a single memory region. "
    "Please ensure contiguous buffer with numpy.ascontiguousarray()"
)
errmsg_contiguous_buffer = ERR_CONTIGUOUS


class _Interface:
    """What np.asarray makes a shadow of."""

    def __init__(self, interface, owner):
        self.__array_interface__, self.owner = interface, owner


class DeviceNDArray(_core.DeviceArray):
    """An array on a device."""

    __cuda_memory__ = True
    __cuda_ndarray__ = True
    __array_priority__ = 100
    _is_record = False

    def __new__(cls, shape, strides, dtype, stream=0, gpu_data=None):
        shape = as_shape(shape)
        dtype = np.dtype(dtype)
        strides = strides_for(shape, dtype) if strides is None else as_shape(strides)
        if dtype.hasobject:
            raise TypeError("device arrays cannot hold Python objects")
        if any(n < 0 for n in shape):
            raise ValueError("negative dimensions are not allowed")
        if gpu_data is None:
            gpu_data = get_context().memalloc(math.prod(shape) * dtype.itemsize)
        pointer = gpu_data.device_pointer_value
        self = super().__new__(cls, pointer, shape, strides, dtype, cls._is_record)
        self.gpu_data, self.stream = gpu_data, stream
        return self

    # -- what it is -----------------------------------------------------------------------------

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        return math.prod(self.shape)

    @property
    def itemsize(self):
        return self.dtype.itemsize

    @property
    def nbytes(self):
        return self.size * self.dtype.itemsize

    alloc_size = nbytes

    @property
    def device_pointer(self):
        return ctypes.c_uint64(self._pointer)

    device_ctypes_pointer = device_pointer

    @property
    def __cuda_array_interface__(self):
        return {
            "shape": self.shape,
            "strides": None if self._c_contiguous else self.strides,
            "data": (self._pointer if self.size else 0, False),
            "typestr": self.dtype.str,
            "descr": layouts.description(self.dtype),
            "stream": int(stream_handle(self.stream) or 0) or None,
            "version": 3,
        }

    @property
    def flags(self):
        return {"C_CONTIGUOUS": self._c_contiguous, "F_CONTIGUOUS": self._f_contiguous}

    def is_c_contiguous(self):
        return self._c_contiguous

    def is_f_contiguous(self):
        return self._f_contiguous

    @property
    def _numba_type_(self):
        if self._is_record:
            return from_dtype(self.dtype)
        layout = "C" if self._c_contiguous else "F" if self._f_contiguous else "A"
        return Array(from_dtype(self.dtype), self.ndim, layout)

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("`copy=False` is not possible: the array is on a device")
        found = self.copy_to_host()
        return found if dtype is None else found.astype(dtype, copy=False)

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __repr__(self):
        return f"<numjit.cuda device array {self.dtype}{list(self.shape)} at {self._pointer:#x}>"

    def __iter__(self):
        for i in range(len(self)):
            yield self[i]

    def bind(self, stream=0):
        """The same array, used in a stream from now on."""
        return self._view(self._shadow(), stream)

    def as_cuda_arg(self):
        return self

    def get_ipc_handle(self):
        """A handle with which another process opens the array: `with handle as array:`."""
        desc = {"shape": self.shape, "strides": self.strides, "dtype": self.dtype}
        return ask("handle of an array for other processes")(
            get_context().get_ipc_handle(self.gpu_data), desc
        )

    # -- views ----------------------------------------------------------------------------------

    def _shadow(self):
        if not self.size:
            return np.ndarray(self.shape, self.dtype, bytearray(), strides=self.strides)
        interface = {
            "shape": self.shape,
            "strides": self.strides,
            "data": (self._pointer, False),
            "typestr": f"|V{self.dtype.itemsize}",
            "version": 3,
        }
        return np.asarray(_Interface(interface, self.gpu_data)).view(self.dtype)

    def _at(self, pointer, shape, strides, dtype, stream=None):
        """An array over a part of the same memory."""
        memory = self.gpu_data
        whole = math.prod(shape) * dtype.itemsize == self.nbytes
        if pointer != memory.device_pointer_value or not whole:
            size = _extent(shape, strides, dtype.itemsize) or self.nbytes
            memory = Memory(pointer, size, memory.context, owner=memory)
        stream = self.stream if stream is None else stream
        return DeviceNDArray(shape, strides, dtype, stream, memory)

    def _view(self, shadow, stream=None):
        pointer = shadow.__array_interface__["data"][0] if shadow.size else self._pointer
        return self._at(pointer, shadow.shape, shadow.strides, shadow.dtype, stream)

    @property
    def T(self):
        return self.transpose()

    def transpose(self, *axes):
        return self._view(self._shadow().transpose(*axes))

    def reshape(self, *newshape, order="C"):
        """The same elements in another shape; they are not copied."""
        if len(newshape) == 1 and hasattr(newshape[0], "__iter__"):
            newshape = tuple(newshape[0])
        if order == "A":
            order = "F" if self._f_contiguous and not self._c_contiguous else "C"
        if order not in ("C", "F"):
            raise ValueError(f"order must be one of 'C', 'F' or 'A', not {order!r}")
        newshape = complete(as_shape(newshape), self.size)
        shape, strides = self.shape, self.strides
        if order == "F":
            shape, strides, newshape = shape[::-1], strides[::-1], newshape[::-1]
        newstrides = reshaped(shape, strides, newshape, self.dtype.itemsize)
        if newstrides is None:
            raise NotImplementedError("reshape would require copy")
        if order == "F":
            newshape, newstrides = newshape[::-1], newstrides[::-1]
        return self._at(self._pointer, newshape, newstrides, self.dtype)

    def ravel(self, order="C", stream=0):
        return self.reshape(-1, order=order)

    flatten = ravel

    def squeeze(self, axis=None, stream=0):
        return self._view(self._shadow().squeeze(axis))

    def view(self, dtype):
        return self._view(self._shadow().view(dtype))

    def split(self, section, stream=0):
        """Equal pieces of a vector, the last one shorter."""
        if self.ndim != 1:
            raise ValueError("only support 1d array")
        if self.strides[0] != self.dtype.itemsize:
            raise ValueError("only support unit stride")
        for begin in range(0, self.size, section):
            yield self[begin : begin + section]

    def __getitem__(self, item):
        return self._get(item, self.stream)

    def getitem(self, item, stream=0):
        """array[item] in a stream."""
        return self._get(item, stream)

    def _get(self, item, stream):
        index, element = view_index(item)
        view = self._view(self._shadow()[index])
        if view.ndim or not element:
            return view
        if view.dtype.names is not None:
            return DeviceRecord(view.dtype, stream, view.gpu_data)
        found = view.copy_to_host(stream=stream)
        if stream_handle(stream) is not None:
            get_driver().synchronize_stream(stream_handle(stream))
        return found[()]

    def __setitem__(self, key, value):
        self._set(key, value, self.stream)

    def setitem(self, key, value, stream=0):
        """array[key] = value in a stream."""
        self._set(key, value, stream)

    def _set(self, key, value, stream):
        target = self._view(self._shadow()[view_index(key)[0]])
        if isinstance(value, _core.DeviceArray) or hasattr(value, "__cuda_array_interface__"):
            value = from_cuda_array_interface_of(value)
            if value.shape != target.shape or value.dtype != target.dtype:
                value = value.copy_to_host(stream=stream)
            else:
                target._copy_from("DtoD", value._pointer, value.strides, stream)
                return
        value = np.asarray(value)
        if value.ndim > target.ndim:
            raise ValueError(f"Can't assign {value.ndim}-D array to {target.ndim}-D self")
        for axis, (have, want) in enumerate(zip(value.shape[::-1], target.shape[::-1])):
            if have not in (1, want):
                raise ValueError(
                    f"Can't copy sequence with size {have} to array axis "
                    f"{target.ndim - 1 - axis} with dimension {want}"
                )
        full = np.empty(target.shape, target.dtype)
        full[...] = value
        target._copy_from("HtoD", full.ctypes.data, full.strides, stream)
        if stream_handle(stream or self.stream) is not None:
            get_driver().synchronize_stream(stream_handle(stream or self.stream))

    # -- copies ---------------------------------------------------------------------------------

    def _extent(self):
        """Where the memory of the elements begins, and how many bytes there are."""
        begin = self._pointer
        end = begin + self.dtype.itemsize
        for n, step in zip(self.shape, self.strides):
            if step < 0:
                begin += (n - 1) * step
            else:
                end += (n - 1) * step
        return begin, end - begin

    def copy_to_host(self, ary=None, stream=0):
        """The elements, in a new array or in `ary`."""
        if ary is not None:
            _check_like(self, ary)
        get_context()
        handle = stream_handle(stream or self.stream)
        driver = get_driver()
        in_order = ary is not None and ary.strides == self.strides
        if not self.size:
            return np.empty(self.shape, self.dtype) if ary is None else ary
        if in_order and (self._c_contiguous or self._f_contiguous):
            driver.copy("DtoH", ary.ctypes.data, self._pointer, self.nbytes, handle)
            return ary
        begin, count = self._extent()
        bytes_ = np.empty(count, np.uint8)
        driver.copy("DtoH", bytes_.ctypes.data, begin, count, handle)
        found = np.ndarray(
            self.shape, self.dtype, bytes_, offset=self._pointer - begin, strides=self.strides
        )
        if ary is None:
            if self._c_contiguous or self._f_contiguous:
                return found
            if handle is not None:
                driver.synchronize_stream(handle)
            return found.copy()
        if handle is not None:
            driver.synchronize_stream(handle)
        ary[...] = found
        return ary

    def copy_to_device(self, ary, stream=0):
        """Takes the elements of an array of the host or of a device, which has the same dtype and,
        but for axes of one element, the same shape. Both sides are one piece of memory in the same
        order; only arrays of the host are brought into that form."""
        if self.size == 0:
            return
        get_context()
        target = _without_repetition(self)
        _check_one_piece(target)
        on_device = isinstance(ary, _core.DeviceArray) or hasattr(ary, "__cuda_array_interface__")
        if on_device:
            source = _without_repetition(from_cuda_array_interface_of(ary))
            _check_one_piece(source)
        else:
            source = np.asarray(ary, self.dtype) if not hasattr(ary, "dtype") else np.asarray(ary)
        if source.dtype != self.dtype:
            raise TypeError(f"incompatible dtype: {self.dtype} vs. {source.dtype}")
        if source.ndim == self.ndim and not on_device:
            source = source[_once(self)]
        if _long_axes(source) != _long_axes(target):
            raise ValueError(f"incompatible shape: {self.shape} vs. {source.shape}")
        if on_device:
            address, kind = source._pointer, "DtoD"
            if _long_axes(source, source.strides) != _long_axes(target, target.strides):
                raise ValueError(f"incompatible strides: {self.strides} vs. {source.strides}")
        else:
            source = np.array(source, order="C" if target._c_contiguous else "F", copy=None)
            address, kind = source.ctypes.data, "HtoD"
        handle = stream_handle(stream or self.stream)
        get_driver().copy(kind, target._pointer, address, target.nbytes, handle)
        if handle is not None and not on_device and source is not ary:
            get_driver().synchronize_stream(handle)  # `source` goes away

    def _copy_from(self, kind, address, strides, stream):
        """Takes elements that lie at an address with any strides."""
        get_context()
        handle = stream_handle(stream or self.stream)
        for to, from_, count in runs(self.shape, self.dtype.itemsize, self.strides, strides):
            get_driver().copy(kind, self._pointer + to, address + from_, count, handle)


class DeviceRecord(DeviceNDArray):
    """A record on a device."""

    _is_record = True

    def __new__(cls, dtype, stream=0, gpu_data=None):
        return super().__new__(cls, (), (), dtype, stream, gpu_data)

    def copy_to_host(self, ary=None, stream=0):
        """The record, in a new array without dimensions or in `ary`, an array or a record."""
        if not isinstance(ary, np.void):
            return super().copy_to_host(ary, stream)
        _check_like(self, np.asarray(ary))
        found = super().copy_to_host(stream=stream)
        if handle := stream_handle(stream or self.stream):
            get_driver().synchronize_stream(handle)
        for name in found.dtype.names:
            ary[name] = found[name]
        return ary

    def _get(self, item, stream):
        view = super()._get(item, stream)
        return view._get((), stream) if isinstance(item, str) and view.ndim == 0 else view


class MappedNDArray(np.ndarray):
    """An array of the host that a device reads and writes in place."""

    __cuda_memory__ = True
    stream = 0
    copy_to_host = property(lambda self: self._device_view.copy_to_host)
    copy_to_device = property(lambda self: self._device_view.copy_to_device)
    split = property(lambda self: self._device_view.split)

    @property
    def __cuda_array_interface__(self):
        return self._device_view.__cuda_array_interface__

    @property
    def _device_view(self):
        return DeviceNDArray(self.shape, self.strides, self.dtype, self.stream, self.gpu_data)

    def __array_finalize__(self, base):
        self.gpu_data, self.stream = None, getattr(base, "stream", 0)
        memory = getattr(base, "gpu_data", None)
        if memory is not None and isinstance(base, np.ndarray):
            offset = self.ctypes.data - base.ctypes.data
            if 0 <= offset <= memory.size:
                self.gpu_data = Memory(
                    memory.device_pointer_value + offset,
                    memory.size - offset,
                    memory.context,
                    owner=memory,
                )


ManagedNDArray = MappedNDArray


def _once(array):
    """An index that takes repeated axes, those with a stride of 0, once."""
    return tuple(
        slice(0, 1) if step == 0 and n > 1 else slice(None)
        for n, step in zip(array.shape, array.strides)
    )


def _without_repetition(array):
    """The part of a device array that has memory of its own."""
    if 0 in array.strides and array.size:
        return array._view(array._shadow()[_once(array)])
    return array


def _check_one_piece(array):
    if not (array._c_contiguous or array._f_contiguous):
        raise ValueError(ERR_CONTIGUOUS)


def _long_axes(array, of=None):
    """The extents, or strides, of the axes with more than one element."""
    return [each for n, each in zip(array.shape, of or array.shape) if n != 1]


def _check_like(array, other):
    if other.dtype != array.dtype:
        raise TypeError(f"incompatible dtype: {array.dtype} vs. {other.dtype}")
    if other.shape != array.shape:
        raise ValueError(f"incompatible shape: {array.shape} vs. {other.shape}")


def is_cuda_ndarray(obj):
    return isinstance(obj, _core.DeviceArray) or getattr(obj, "__cuda_ndarray__", False)


def require_cuda_ndarray(obj):
    if not is_cuda_ndarray(obj):
        raise ValueError("an array of a device is wanted")


def verify_cuda_ndarray_interface(obj):
    """Raises for what an array of a device has not."""
    require_cuda_ndarray(obj)
    for name, wanted in (("shape", tuple), ("strides", tuple), ("dtype", np.dtype), ("size", int)):
        if not isinstance(getattr(obj, name, None), wanted):
            raise AttributeError(f"{name} must be of type {wanted}")


def array_core(ary):
    """The array with repeated axes, those with a stride of 0, taken once."""
    if not ary.strides or not ary.size:
        return ary
    return ary[tuple(0 if step == 0 else slice(None) for step in ary.strides)]


def is_contiguous(ary):
    """Whether the elements lie one behind the other in C order, but for repeated axes."""
    size = ary.dtype.itemsize
    for n, step in zip(reversed(ary.shape), reversed(ary.strides)):
        if n > 1 and step != 0:
            if step != size:
                return False
            size *= n
    return True


def from_array_like(ary, stream=0, gpu_data=None):
    """A device array of the shape, strides and dtype of another array."""
    return DeviceNDArray(ary.shape, ary.strides, ary.dtype, stream, gpu_data)


def from_record_like(rec, stream=0, gpu_data=None):
    """A record on a device, of the dtype of another one."""
    return DeviceRecord(rec.dtype, stream, gpu_data)


def _extent(shape, strides, itemsize):
    """Bytes from the first element to the end of the last one; 0 where one lies before it."""
    if strides is None:
        return math.prod(shape) * itemsize
    if 0 in shape or any(step < 0 for step in strides):
        return 0
    return itemsize + sum((n - 1) * step for n, step in zip(shape, strides))


def is_cuda_array(obj):
    """Whether an object is an array on a device, of any library."""
    return isinstance(obj, _core.DeviceArray) or hasattr(obj, "__cuda_array_interface__")


def from_cuda_array_interface_of(obj, sync=True):
    """The memory of an object with __cuda_array_interface__ as a device array."""
    if isinstance(obj, DeviceNDArray):
        return obj
    return from_cuda_array_interface(obj.__cuda_array_interface__, obj, sync)


def from_cuda_array_interface(desc, owner=None, sync=True):
    """A device array over memory that a __cuda_array_interface__ describes."""
    version = desc.get("version", 0)
    if version >= 1 and desc.get("mask") is not None:
        raise NotImplementedError("Masked arrays are not supported")
    shape, dtype = tuple(desc["shape"]), np.dtype(desc["typestr"])
    if dtype.kind == "V" and desc.get("descr"):
        dtype = np.lib.format.descr_to_dtype(desc["descr"])
    own = getattr(owner, "dtype", None)
    if dtype.kind == "V" and isinstance(own, np.dtype) and own.itemsize == dtype.itemsize:
        dtype = own  # such as bfloat16, for which the protocol has no text
    strides = desc.get("strides")
    pointer = desc["data"][0] or 0
    context = context_of_memory(pointer)
    array = DeviceNDArray(
        shape,
        strides,
        dtype,
        0,
        Memory(pointer, math.prod(shape) * dtype.itemsize, context, owner=owner),
    )
    stream = desc.get("stream") if version >= 3 else None
    if stream is not None:
        array.stream = Stream(stream, context, external=True)
        if sync and config.CUDA_ARRAY_INTERFACE_SYNC:
            array.stream.synchronize()
    return array


def as_cuda_array(obj, sync=True):
    """An array of another library as a device array, without a copy."""
    if not is_cuda_array(obj):
        raise TypeError("*obj* doesn't implement the cuda array interface.")
    return from_cuda_array_interface_of(obj, sync)


def captured(obj):
    """A global or captured array of a device as the compiler reads it: an array of the host whose
    memory is that of the device. None for what kernels cannot take."""
    array = obj if isinstance(obj, DeviceNDArray) else as_cuda_array(obj)
    return None if array._is_record else array._shadow()


def auto_device(obj, stream=0, copy=True):
    """The device array for an argument, and whether it is new."""
    if isinstance(obj, DeviceNDArray):
        return obj, False
    if isinstance(obj, MappedNDArray) and obj.gpu_data is not None:
        return obj._device_view, False
    if hasattr(obj, "__cuda_array_interface__"):
        return as_cuda_array(obj), False
    source = np.asarray(obj)
    if isinstance(obj, np.void):
        record = DeviceRecord(source.dtype, stream)
        if copy:
            record.copy_to_device(source, stream)
        return record, True
    if source.flags.c_contiguous or source.flags.f_contiguous:
        array = DeviceNDArray(source.shape, source.strides, source.dtype, stream)
        if copy:
            array.copy_to_device(source, stream)
        return array, True
    return _turned(source, stream, copy), True


def _turned(source, stream, copy):
    """The device array for an array whose memory is one piece but for axes that are repeated or run
    backwards: a view of that piece."""
    backwards = tuple(slice(None, None, -1 if step < 0 else 1) for step in source.strides)
    piece = source[backwards][_once(source)]
    axes = sorted(range(piece.ndim), key=lambda axis: -piece.strides[axis])
    ordered = piece.transpose(axes)
    if not ordered.flags.c_contiguous:
        raise ValueError(ERR_CONTIGUOUS)
    array = DeviceNDArray(ordered.shape, ordered.strides, ordered.dtype, stream)
    if copy:
        array.copy_to_device(ordered, stream)
    first = sum(-(n - 1) * step for n, step in zip(source.shape, source.strides) if step < 0)
    return array._at(array._pointer + first, source.shape, source.strides, source.dtype)
